@Suite("A cache in front of an editable store")
struct CachedEditableStoreTests {
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
