/// The profile store as a decision sees it: loads a profile once, and commits new assignments once.
///
/// Other decisions for the same user may run between the two; an access ensures that none of their assignments is lost.
/// Stores that merge do that themselves (``StoreAccess``). A service that can only replace whole profiles needs more
/// care, which is why this is a protocol.
package protocol ProfileAccess: AnyObject, Sendable {
    /// Loads a user's profile. If that fails, the profile is unavailable.
    func load(_ userID: String) -> ProfileSession
    /// Like ``load(_:)``, but the profile may lack assignments to experiments other than these. Default: it is the
    /// whole profile, and the closure is not called.
    func load(_ userID: String, forExperiments experimentIDs: () -> [String]) -> ProfileSession
    /// Like ``load(_:)``, but does not count a failure: a caller that timed out has already counted it as late.
    func attempt(_ userID: String) -> ProfileSession
    /// Like ``attempt(_:)``, without blocking the calling task's thread. Returns nil if the call was not made: the
    /// caller was late when its turn came, or too many calls wait for a thread.
    func awaitAttempt(_ userID: String, unlessLate isLate: @escaping @Sendable () -> Bool) async -> ProfileSession?
    /// Like ``commit(_:in:)``, without blocking the calling task's thread.
    func awaitCommit(_ assignments: [String: String], in session: ProfileSession) async
    /// Counts the failure of an attempt, if any.
    func count(_ session: ProfileSession)
    /// Like ``load(_:)``, but returns nil if it would wait.
    func loadFromMemory(_ userID: String) -> ProfileSession?
    /// Ends a session. `assignments` are the new ones, or empty. Called exactly once for each session.
    func commit(_ assignments: [String: String], in session: ProfileSession)
    /// Like ``commit(_:in:)``, but returns false without ending the session if it would wait.
    func commitToMemory(_ assignments: [String: String], in session: ProfileSession) -> Bool
    /// Counts a lookup whose caller has stopped waiting.
    func countTimedOutLookup()
    /// Waits until committed assignments are stored, within a limit.
    func flush(within limit: Duration) async
    var failures: ProfileFailures { get }
    /// Whether these calls wait for another process or machine.
    var isRemote: Bool { get }
}

extension ProfileAccess {
    package func load(_ userID: String, forExperiments experimentIDs: () -> [String]) -> ProfileSession { load(userID) }
    package func attempt(_ userID: String) -> ProfileSession { load(userID) }
    package func count(_ session: ProfileSession) {}

    package func awaitAttempt(
        _ userID: String, unlessLate isLate: @escaping @Sendable () -> Bool
    ) async -> ProfileSession? {
        await BlockingCall.valueUnlessOverloaded { isLate() ? nil : self.attempt(userID) }
    }

    package func awaitCommit(_ assignments: [String: String], in session: ProfileSession) async {
        await BlockingCall.value { self.commit(assignments, in: session) }
    }

    package func loadFromMemory(_ userID: String) -> ProfileSession? { isRemote ? nil : load(userID) }

    package func commitToMemory(_ assignments: [String: String], in session: ProfileSession) -> Bool {
        guard !isRemote else { return false }
        commit(assignments, in: session)
        return true
    }

    package func countTimedOutLookup() {}
    package var failures: ProfileFailures { ProfileFailures() }
}

/// One load and commit of a profile.
package struct ProfileSession: Sendable {
    package let userID: String
    package let profile: UserProfile
    /// Why the profile is unavailable, or nil.
    package let failure: (any Error)?

    package init(userID: String, profile: UserProfile, failure: (any Error)? = nil) {
        self.userID = userID
        self.profile = profile
        self.failure = failure
    }
}

/// Access to a store that merges.
package final class StoreAccess: ProfileAccess {
    private let store: any ProfileStore
    /// The same store, if its calls can be awaited; nil if that is not known yet.
    private let cast = Locked<(any AwaitableProfileStore)??>(nil)
    private let counter: ProfileFailureCounter

    /// Creates the access to a store. Failures are counted and logged.
    package init(_ store: any ProfileStore, log: any Log) {
        self.store = store
        isRemote = store.isRemote
        savesImmediately = store.savesImmediately
        counter = ProfileFailureCounter("profile store", log: log)
    }

    /// The same store, if its calls can be awaited. Asked by asynchronous calls only: the first such cast of a process
    /// searches all of its libraries.
    private var awaitable: (any AwaitableProfileStore)? {
        cast.withLock { [store] cast in
            if let known = cast { return known }
            let found = store as? any AwaitableProfileStore
            cast = .some(found)
            return found
        }
    }

    /// Cached, since it is read with every decision.
    package let isRemote: Bool
    private let savesImmediately: Bool

    package var failures: ProfileFailures { counter.failures }

    package func load(_ userID: String) -> ProfileSession {
        let session = attempt(userID)
        count(session)
        return session
    }

    package func attempt(_ userID: String) -> ProfileSession {
        do {
            return ProfileSession(userID: userID, profile: try store.profile(of: userID))
        } catch {
            return ProfileSession(userID: userID, profile: .unavailable, failure: error)
        }
    }

    package func awaitAttempt(
        _ userID: String, unlessLate isLate: @escaping @Sendable () -> Bool
    ) async -> ProfileSession? {
        guard let awaitable else {
            return await BlockingCall.valueUnlessOverloaded { isLate() ? nil : self.attempt(userID) }
        }
        guard !isLate() else { return nil }
        do {
            return ProfileSession(userID: userID, profile: try await awaitable.awaitProfile(of: userID))
        } catch {
            return ProfileSession(userID: userID, profile: .unavailable, failure: error)
        }
    }

    package func count(_ session: ProfileSession) {
        if let error = session.failure { counter.add(error.kindOfLookup, error) }
    }

    package func loadFromMemory(_ userID: String) -> ProfileSession? {
        guard isRemote else { return load(userID) }
        return store.profileInMemory(of: userID).map { ProfileSession(userID: userID, profile: $0) }
    }

    package func commit(_ assignments: [String: String], in session: ProfileSession) {
        guard !assignments.isEmpty else { return }
        do {
            try store.save(assignments, for: session.userID)
        } catch {
            counter.add(error.kindOfWrite, error)
        }
    }

    package func awaitCommit(_ assignments: [String: String], in session: ProfileSession) async {
        guard let awaitable else { return await BlockingCall.value { self.commit(assignments, in: session) } }
        guard !assignments.isEmpty else { return }
        do {
            try await awaitable.awaitSave(assignments, for: session.userID)
        } catch {
            counter.add(error.kindOfWrite, error)
        }
    }

    package func commitToMemory(_ assignments: [String: String], in session: ProfileSession) -> Bool {
        guard savesImmediately || assignments.isEmpty else { return false }
        commit(assignments, in: session)
        return true
    }

    package func countTimedOutLookup() { counter.add(.lookupTimedOut) }

    package func flush(within limit: Duration) async { await store.flush(within: limit) }
}

extension Error {
    fileprivate var kindOfLookup: ProfileFailures.Kind {
        switch self as? ProfileStoreError {
        case .timedOut, .unresponsive: .lookupTimedOut
        case .full, .cannotForget, nil: .lookupFailed
        }
    }

    fileprivate var kindOfWrite: ProfileFailures.Kind {
        switch self as? ProfileStoreError {
        case .timedOut: .writeTimedOut
        case .unresponsive, .full: .writeLost
        case .cannotForget, nil: .writeFailed
        }
    }
}

/// The number of failures to load and store assignments, by kind.
///
/// Failures do not prevent decisions. The counts only grow.
public struct ProfileFailures: Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failures.
    public enum Kind: String, Sendable, CaseIterable {
        /// The store could not look up a user's assignments.
        case lookupFailed = "lookups failed"
        /// The store did not respond to a lookup in time, or was not called because too many calls were late.
        case lookupTimedOut = "lookups timed out"
        /// The store could not write a user's assignments, for now.
        case writeFailed = "writes failed"
        /// The store did not write a user's assignments in time. It may have written them later.
        case writeTimedOut = "writes timed out"
        /// A user's assignments were given up and are not in the store.
        case writeLost = "writes lost"
    }

    private var counts: [Kind: Int] = [:]

    /// Creates empty counts.
    public init() {}

    /// The number of failures of a kind.
    public internal(set) subscript(kind: Kind) -> Int {
        get { counts[kind] ?? 0 }
        set { counts[kind] = newValue == 0 ? nil : newValue }
    }

    /// The total number of failures.
    public var total: Int { counts.values.reduce(0, +) }

    /// The counts as text: `lookups timed out: 3, writes lost: 1`; `none` if there are none.
    public var description: String {
        let parts = Kind.allCases.filter { self[$0] != 0 }.map { "\($0.rawValue): \(self[$0])" }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }
}

/// Counts the failures of one store or client, and logs them without filling the log.
final class ProfileFailureCounter: Sendable {
    private let name: String
    private let log: any Log
    private let state = Locked(ProfileFailures())

    /// Creates a counter. The name is for the log.
    init(_ name: String, log: any Log) {
        self.name = name
        self.log = log
    }

    var failures: ProfileFailures { state.withLock { $0 } }

    /// Counts failures. Logs only powers of two, because a long outage must not fill the log; none if they are told to
    /// another function.
    func add(_ kind: ProfileFailures.Kind, count: Int = 1, _ error: (any Error)? = nil, isTold: Bool = false) {
        let (old, new) = state.withLock { failures in
            defer { failures[kind] += count }
            return (failures[kind], failures[kind] + count)
        }
        guard !isTold, new.leadingZeroBitCount < old.leadingZeroBitCount else { return }
        let text = "\(name): \(new) \(kind.rawValue) so far"
        if let error { log.failure(.error, text, error) } else { log(.error, text) }
    }
}
