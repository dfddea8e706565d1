import TestSupport
import Testing
import TurnoutClient

/// Users keep their assignments while they migrate from an old store to a new one.
@Suite struct FallbackProfileStoreTests {
    @Test func assignmentsOfTheOldStoreAreCopied() throws {
        let (new, old) = (WatchedStore(), WatchedStore(isRemote: true))
        old.store.save(["1": "11", "2": "21"], for: "ada")
        new.store.save(["2": "22"], for: "ada")
        let both = new.fallingBack(to: old, log: .silent)
        #expect(both.isRemote)
        for _ in 0..<2 { #expect(try both.profile(of: "ada") == UserProfile(["1": "11", "2": "22"])) }
        #expect(new.store.profile(of: "ada") == UserProfile(["1": "11", "2": "22"]))
        #expect(new.calls.all == ["read ada", "read ada", "add 1 to ada", "read ada"])
        try both.save(["3": "31"], for: "ada")
        #expect(try both.profile(of: "ada").assignments.count == 3)
        #expect(old.calls.all == ["read ada", "read ada", "read ada", "read ada"])
    }

    @Test func manyUsersAreCopiedAtOnce() throws {
        let (new, old) = (MemoryProfileStore(), MemoryProfileStore())
        for number in 0..<10 { old.save(["1": "11"], for: "user \(number)") }
        let both = new.fallingBack(to: old, log: .silent)
        #expect(both.profileInMemory(of: "user 3") == nil)
        #expect(try both.profiles(of: (0..<10).map { "user \($0)" }).count >= 10)
        #expect(new.count == 10)
        #expect(both.profileInMemory(of: "user 3") == UserProfile(["1": "11"]))
    }

    @Test func aLookupDoesNotBringAForgottenUserBack() async throws {
        let latch = Latch()
        let (new, old) = (WatchedStore(reading: { latch.blockFirst() }), WatchedStore())
        old.store.save(["1": "11"], for: "ada")
        let both = new.fallingBack(to: old, log: .silent)
        async let found = blocking { try both.profile(of: "ada") }
        try await wait("the new store is called") { new.calls.count == 1 }
        try both.forget("ada")
        latch.open()
        _ = try await found
        #expect(new.store.count == 0 && old.store.count == 0)
    }

    @Test func copyingIsOptional() throws {
        let (new, old) = (MemoryProfileStore(), MemoryProfileStore())
        old.save(["1": "11"], for: "ada")
        let both = new.fallingBack(to: old, copying: false, log: .silent)
        #expect(try both.profile(of: "ada") == UserProfile(["1": "11"]))
        #expect(both.profileInMemory(of: "ada") == UserProfile(["1": "11"]) && new.count == 0)
    }

    /// A partial profile would overwrite the rest.
    @Test func aFailureOfEitherStoreFailsTheLookup() throws {
        let (new, old) = (WatchedStore(), WatchedStore())
        let both = new.fallingBack(to: old, log: .silent)
        old.isBroken = true
        #expect(throws: TestError.self) { try both.profile(of: "ada") }
        #expect(throws: TestError.self) { try both.profiles(of: ["ada"]) }
        (new.isBroken, old.isBroken) = (true, false)
        #expect(throws: TestError.self) { try both.profile(of: "ada") }
        #expect(throws: TestError.self) { try both.save(["1": "11"], for: "ada") }
    }

    /// A lookup reads both stores, an addition starts and ends, then the lookup copies.
    @Test func copiesDoNotReplaceNewerAssignments() async throws {
        let latch = Latch()
        let (new, old) = (WatchedStore(), WatchedStore { latch.pass() })
        old.store.save(["1": "11", "2": "21"], for: "ada")
        let both = new.fallingBack(to: old, log: .silent)
        async let found = blocking { try both.profile(of: "ada") }
        try await wait("the old store is called") { old.calls.count == 1 }
        try both.save(["1": "12"], for: "ada")
        latch.open()
        #expect(try await found == UserProfile(["1": "12", "2": "21"]))
        #expect(new.store.profile(of: "ada") == UserProfile(["1": "12", "2": "21"]))
    }

    /// The copy is in progress when an addition starts.
    @Test func additionsFollowTheCopy() async throws {
        let latch = Latch()
        let new = WatchedStore(writing: { latch.blockFirst() })
        let old = MemoryProfileStore()
        old.save(["1": "11"], for: "ada")
        let both = new.fallingBack(to: old, log: .silent)
        async let found = blocking { try both.profile(of: "ada") }
        try await wait("the copy has begun") { new.calls.all.last == "add 1 to ada" }
        async let added: Void = blocking { try both.save(["1": "12"], for: "ada") }
        // Other users do not wait.
        try both.save(["1": "12"], for: "bob")
        try await Task.sleep(for: .milliseconds(20))
        latch.open()
        _ = try await (found, added)
        #expect(new.store.profile(of: "ada") == UserProfile(["1": "12"]))
    }

    @Test func failedCopiesAreCounted() throws {
        let old = MemoryProfileStore()
        old.save(["1": "11"], for: "ada")
        let both = ReadOnlyStore().fallingBack(to: old, log: .silent)
        #expect(try both.profile(of: "ada") == UserProfile(["1": "11"]))
        #expect(both.failures[.writeFailed] == 1)
    }
}

/// A store that refuses all writes.
private struct ReadOnlyStore: ProfileStore {
    func profile(of userID: String) -> UserProfile { UserProfile() }
    func save(_ assignments: [String: String], for userID: String) throws { throw TestError() }
}
