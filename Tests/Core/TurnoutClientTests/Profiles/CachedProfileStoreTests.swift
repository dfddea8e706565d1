/// A cache calls the wrapped store as rarely as possible, and is never out of date because of its own writes.
@Suite struct CachedProfileStoreTests {
    private let clock = ManualClock()

    @Test func aLookupAddsNothingThatWasForgottenDuringIt() async throws {
        let latch = Latch()
        let store = WatchedStore(reading: { latch.blockFirst() })
        let cache = CachedProfileStore(store)
        async let found = blocking { try cache.profile(of: "ada") }
        try await wait("the store is called") { store.calls.count == 1 }
        try cache.save(["1": "11"], for: "ada")
        try cache.forget("ada")
        latch.open()
        #expect(try await found == UserProfile())
        #expect(try cache.profile(of: "ada") == UserProfile())
    }

    @Test func usersAreLookedUpOnce() throws {
        let store = WatchedStore(isRemote: true)
        store.store.save(["1": "11"], for: "ada")
        let cached = CachedProfileStore(store, users: 100, lifetime: .seconds(60), clock: clock)
        #expect(cached.isRemote && cached.profileInMemory(of: "ada") == nil)
        for _ in 0..<3 {
            #expect(try cached.profile(of: "ada") == UserProfile(["1": "11"]))
            #expect(try cached.profile(of: "unknown") == UserProfile())
        }
        #expect(cached.profileInMemory(of: "unknown") == UserProfile())
        #expect(store.calls.all == ["read ada", "read unknown"])
        store.store.save(["1": "12"], for: "ada")
        clock.advance(by: .seconds(60))
        #expect(try cached.profile(of: "ada") == UserProfile(["1": "12"]))
        #expect(store.calls.count == 3 && cached.count == 2)
    }

    @Test func additionsAreVisibleAtOnceAndWrittenThrough() throws {
        let store = WatchedStore()
        let cached = CachedProfileStore(store, lifetime: .seconds(60), clock: clock)
        _ = try cached.profile(of: "ada")
        clock.advance(by: .seconds(50))
        try cached.save(["1": "11"], for: "ada")
        #expect(try cached.profile(of: "ada") == UserProfile(["1": "11"]))
        #expect(store.store.profile(of: "ada") == UserProfile(["1": "11"]))
        // An addition does not extend the lifetime of the entry.
        clock.advance(by: .seconds(10))
        store.store.save(["2": "21"], for: "ada")
        #expect(try cached.profile(of: "ada").assignments.count == 2)
        // A partial profile is not a profile.
        try cached.save(["3": "31"], for: "bob")
        #expect(cached.profileInMemory(of: "bob") == nil)
    }

    @Test func failedLookupsAreNotCached() throws {
        let store = WatchedStore(isBroken: true)
        let cached = CachedProfileStore(store, clock: clock)
        #expect(throws: TestError.self) { try cached.profile(of: "ada") }
        #expect(throws: TestError.self) { try cached.profiles(of: ["ada", "bob"]) }
        #expect(cached.count == 0)
        store.isBroken = false
        _ = try cached.profile(of: "ada")
        store.isBroken = true
        #expect(throws: TestError.self) { try cached.save(["1": "11"], for: "ada") }
        #expect(try cached.profile(of: "ada") == UserProfile(), "a failed write is not cached")
    }

    /// A lookup reads, an addition starts and ends, then the lookup ends.
    @Test func lateLookupsDoNotHideAdditions() async throws {
        let latch = Latch()
        let store = WatchedStore { latch.pass() }
        let cached = CachedProfileStore(store, clock: clock)
        async let late = blocking { try cached.profile(of: "ada") }
        try await wait("the lookup has read the store") { store.calls.count == 1 }
        try cached.save(["1": "11"], for: "ada")
        latch.open()
        #expect(try await late == UserProfile(["1": "11"]))
        #expect(try cached.profile(of: "ada") == UserProfile(["1": "11"]))
        #expect(store.calls.count == 2)
    }

    /// With concurrent additions, the store's last one is unknown, so the store is read again.
    @Test func concurrentAdditionsAreLookedUpAgain() async throws {
        let latch = Latch()
        let store = WatchedStore(writing: { latch.pass() })
        let cached = CachedProfileStore(store, clock: clock)
        _ = try cached.profile(of: "ada")
        async let first: Void = blocking { try cached.save(["1": "11"], for: "ada") }
        async let second: Void = blocking { try cached.save(["1": "12"], for: "ada") }
        try await wait("both have begun") { store.calls.count == 3 }
        latch.open()
        _ = try await (first, second)
        #expect(cached.profileInMemory(of: "ada") == nil)
        #expect(try cached.profile(of: "ada") == store.store.profile(of: "ada"))
    }

    /// A lookup that may have missed an addition does not overwrite the result of a later one.
    @Test func laterLookupsFindReplacedAdditions() async throws {
        let (look, addition) = (Latch(), Latch())
        let isHolding = Locked(false)
        let store = WatchedStore(
            reading: { look.pass() }, writing: { if isHolding.withLock({ $0 }) { addition.pass() } })
        let cached = CachedProfileStore(store, clock: clock)
        async let first = blocking { try cached.profile(of: "ada") }
        try await wait("the lookup has read the store") { store.calls.count == 1 }
        try cached.save(["1": "old"], for: "ada")
        isHolding.withLock { $0 = true }
        async let held: Void = blocking { try cached.save(["2": "21"], for: "ada") }
        try await wait("the addition has begun") { store.calls.count == 3 }
        look.open()
        #expect(try await first == UserProfile(["1": "old"]))
        isHolding.withLock { $0 = false }
        try cached.save(["1": "new"], for: "ada")
        #expect(try cached.profile(of: "ada") == UserProfile(["1": "new"]))
        addition.open()
        try await held
        #expect(try cached.profile(of: "ada") == UserProfile(["1": "new", "2": "21"]))
    }

    @Test func manyThreadsAgreeWithTheStore() async throws {
        let store = MemoryProfileStore()
        let cached = CachedProfileStore(store, users: 64, clock: clock)
        await concurrently(0..<8) { task in
            for number in 0..<1_000 {
                let user = "user \(number % 20)"
                _ = try? cached.profile(of: user)
                if number % 3 == 0 { try? cached.save(["\(number % 7)": "\(task)"], for: user) }
            }
        }
        for number in 0..<20 {
            #expect(try cached.profile(of: "user \(number)") == store.profile(of: "user \(number)"))
        }
    }

    @Test func manyUsersAreFetchedAtOnce() async throws {
        let store = WatchedStore(isRemote: true)
        let users = (0..<2_500).map { "user \($0)" }
        store.store.save(["1": "11"], for: "user 7")
        let cached = CachedProfileStore(store, users: 100_000, clock: clock)
        _ = try cached.profile(of: "user 0")
        try await cached.prefetch(userIDs: users)
        #expect(store.calls.all == ["read user 0", "read 999 users", "read 1000 users", "read 500 users"])
        #expect(cached.profileInMemory(of: "user 7") == UserProfile(["1": "11"]))
        #expect(users.allSatisfy { cached.profileInMemory(of: $0) != nil })
        store.isBroken = true
        await #expect(throws: TestError.self) { try await cached.prefetch(userIDs: ["new"]) }
    }

    @Test func aFailedBatchDoesNotBlockOthers() async throws {
        let store = FailingStore(whereUsersAre: ["user 1500"])
        let cached = CachedProfileStore(store, clock: clock)
        await #expect(throws: TestError.self) { try await cached.prefetch(userIDs: (0..<3_000).map { "user \($0)" }) }
        #expect(cached.count == 2_000 && cached.profileInMemory(of: "user 2000") != nil)
        let other = FailingStore(whereUsersAre: ["user 0", "user 1000"])
        await #expect(throws: TestError.self) {
            try await CachedProfileStore(other, clock: clock).prefetch(userIDs: (0..<5_000).map { "user \($0)" })
        }
        #expect(other.callCount.withLock { $0 } == 2, "an unavailable store is not called once per user")
    }

    /// `String` keys are equal under canonical equivalence, so a dictionary would merge these two users.
    @Test func equivalentUserIDsAreFetchedSeparately() async throws {
        let store = WatchedStore(isRemote: true)
        let cached = CachedProfileStore(store, clock: clock)
        let users = ["Zo\u{EB}", "ada", "Zoe\u{308}", "ada"]
        for (number, user) in users.enumerated() { store.store.save(["1": "\(number)"], for: user) }
        try await cached.prefetch(userIDs: users)
        #expect(store.calls.all == ["read 2 users", "read 1 users"])
        #expect(cached.profileInMemory(of: "Zo\u{EB}") == UserProfile(["1": "0"]))
        #expect(cached.profileInMemory(of: "Zoe\u{308}") == UserProfile(["1": "2"]))
        #expect(cached.count == 3)
    }

    @Test func asynchronousDecisionsUseTheCacheWithoutAThread() async {
        let store = WatchedStore(isRemote: true)
        let client = FlagClient.scripted(
            Script(.split("a", between: "1", "2")),
            configuration: .quiet { $0.profiles = CachedProfileStore(store, clock: clock) })
        _ = client.user("ada").decide("a")
        // With a time limit of zero, a lookup would not be made.
        #expect(await client.user("ada").decide("a", within: .zero).stage == .storedAssignment)
        #expect(store.calls.all == ["read ada", "add 1 to ada"])
    }

    // MARK: A cache in front of an editable store

    private let memory = MemoryProfileStore()
    private var store: CachedEditableStore { CachedEditableStore(memory, users: 100, lifetime: .seconds(60)) }

    @Test("reads from memory until the entry expires, and shows its own additions at once")
    func expiredEntriesAreReadAgain() throws {
        let store = store
        memory.save(["e1": "v1"], for: "ada")
        #expect(try store.profile(of: "ada").assignments == ["e1": "v1"])
        memory.save(["e2": "v2"], for: "ada")
        #expect(try store.profile(of: "ada").assignments == ["e1": "v1"])
        try store.save(["e3": "v3"], for: "ada")
        #expect(try store.profile(of: "ada").assignments == ["e1": "v1", "e3": "v3"])
        #expect(memory.profile(of: "ada").assignments == ["e1": "v1", "e2": "v2", "e3": "v3"])
        #expect(try store.latestProfile(of: "ada").assignments == ["e1": "v1", "e2": "v2", "e3": "v3"])
    }

    @Test("shows replaced and removed profiles at once")
    func replacedProfilesAreVisibleAtOnce() throws {
        let store = store
        for user in ["ada", "bob"] {
            memory.save(["e1": "v1"], for: user)
            #expect(try store.profile(of: user).assignments == ["e1": "v1"])
        }
        try store.replace(with: ["e2": "v2"], for: "ada")
        #expect(try store.profile(of: "ada").assignments == ["e2": "v2"])
        try store.forget("ada")
        #expect(try store.profile(of: "ada").assignments.isEmpty)
        try store.removeAll()
        #expect(try store.profile(of: "bob").assignments.isEmpty)
    }

    @Test("forgets what a lookup reads while the user is removed")
    func lookupsDuringARemovalAreNotCached() throws {
        final class Store: ProfileStore {
            let during = Locked<(@Sendable () -> Void)?>(nil)
            func profile(of userID: String) -> UserProfile {
                let call = during.withLock { during in
                    defer { during = nil }
                    return during
                }
                call?()
                return UserProfile(["e1": "old"])
            }
            func save(_ assignments: [String: String], for userID: String) {}
        }
        let store = Store()
        let cache = CachedProfileStore(store)
        let dropped = { @Sendable in cache.dropping("ada") {} }
        store.during.withLock { $0 = dropped }
        #expect(try cache.profile(of: "ada").assignments == ["e1": "old"])
        #expect(cache.profileInMemory(of: "ada") == nil)
    }
}

/// A store that fails if certain users are among those looked up.
private final class FailingStore: ProfileStore {
    private let users: Set<String>
    let callCount = Locked(0)

    init(whereUsersAre users: Set<String>) { self.users = users }

    func profile(of userID: String) throws -> UserProfile { UserProfile() }
    func save(_ assignments: [String: String], for userID: String) throws {}

    func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        callCount.withLock { $0 += 1 }
        guard users.isDisjoint(with: userIDs) else { throw TestError() }
        return [:]
    }
}
