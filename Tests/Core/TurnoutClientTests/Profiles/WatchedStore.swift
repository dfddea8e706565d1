/// A store in memory that records its calls, and fails or blocks on request.
final class WatchedStore: ProfileStore {
    let store = MemoryProfileStore()
    let calls = Collected<String>()
    let isRemote: Bool
    private let broken: Locked<Bool>
    private let reading: @Sendable () -> Void
    private let writing: @Sendable () -> Void

    init(
        isBroken: Bool = false, isRemote: Bool = false, reading: @escaping @Sendable () -> Void = {},
        writing: @escaping @Sendable () -> Void = {}
    ) {
        broken = Locked(isBroken)
        self.isRemote = isRemote
        self.reading = reading
        self.writing = writing
    }

    /// Whether calls fail from now on.
    var isBroken: Bool {
        get { broken.withLock { $0 } }
        set { broken.withLock { $0 = newValue } }
    }

    func profile(of userID: String) throws -> UserProfile {
        calls.add("read \(userID)")
        let found = store.profile(of: userID)
        reading()
        if isBroken { throw TestError() }
        return found
    }

    func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        calls.add("read \(userIDs.count) users")
        if isBroken { throw TestError() }
        return try store.profiles(of: userIDs)
    }

    func save(_ assignments: [String: String], for userID: String) throws {
        calls.add("add \(assignments.count) to \(userID)")
        writing()
        if isBroken { throw TestError() }
        store.save(assignments, for: userID)
    }

    func forget(_ userID: String) throws {
        calls.add("forget \(userID)")
        if isBroken { throw TestError() }
        store.forget(userID)
    }
}
