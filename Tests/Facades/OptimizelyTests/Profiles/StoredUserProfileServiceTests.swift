/// Any profile store can be a user profile service.
@Suite struct StoredUserProfileServiceTests {
    /// An in-memory store that records additions, and fails on request.
    private final class Recorder: ProfileStore {
        let memory = MemoryProfileStore()
        let added = Collected<[String: String]>()
        let isBroken = Locked(false)

        func profile(of userID: String) throws -> UserProfile {
            if isBroken.withLock({ $0 }) { throw CancellationError() }
            return memory.profile(of: userID)
        }

        func save(_ assignments: [String: String], for userID: String) throws {
            if isBroken.withLock({ $0 }) { throw CancellationError() }
            added.add(assignments)
            memory.save(assignments, for: userID)
        }
    }

    private static func profile(_ assignments: [String: String]) -> OPTUserProfileService.UPProfile {
        ["user_id": "ada", "experiment_bucket_map": assignments.mapValues { ["variation_id": $0] }]
    }

    @Test func profilesAreDictionaries() {
        let service = StoredUserProfileService()
        #expect(service.lookup(userId: "ada") == nil)
        service.save(userProfile: Self.profile(["1": "11", "2": "21"]))
        let found = service.lookup(userId: "ada")
        #expect(found?["user_id"] as? String == "ada")
        #expect(
            found?["experiment_bucket_map"] as? [String: [String: String]] == [
                "1": ["variation_id": "11"], "2": ["variation_id": "21"],
            ])
    }

    @Test func onlyChangesAreAdded() {
        let store = Recorder()
        let service = StoredUserProfileService(store, log: .silent)
        service.save(userProfile: Self.profile(["1": "11"]))
        service.save(userProfile: Self.profile(["1": "11"]))
        service.save(userProfile: Self.profile(["1": "11", "2": "21"]))
        service.save(userProfile: ["experiment_bucket_map": [:]])
        #expect(store.added.all == [["1": "11"], ["2": "21"]])
    }

    @Test func failuresOverwriteNothing() {
        let (store, log) = (Recorder(), MemoryLog())
        let service = StoredUserProfileService(store, log: log)
        service.save(userProfile: Self.profile(["1": "11"]))
        store.isBroken.withLock { $0 = true }
        #expect(service.lookup(userId: "ada") == nil)
        service.save(userProfile: Self.profile(["1": "12"]))
        store.isBroken.withLock { $0 = false }
        #expect(store.memory.profile(of: "ada") == UserProfile(["1": "11"]))
        #expect(log.entries.count { $0.level == .error } == 2 && log.entries.allSatisfy { !$0.message.contains("ada") })
    }

    @Test func clientsMergeAssignmentsAndReportUnavailableStores() {
        let store = Recorder()
        let access = ProfileServiceAccess.access(to: StoredUserProfileService(store, log: .silent))
        let sessions = [access.load("ada"), access.load("ada")]
        access.commit(["1": "11"], in: sessions[0])
        access.commit(["2": "21"], in: sessions[1])
        #expect(store.added.all == [["1": "11"], ["2": "21"]])
        #expect(store.memory.profile(of: "ada").assignments.count == 2)
        store.isBroken.withLock { $0 = true }
        #expect(access.load("ada").profile.isUnavailable)
        #expect(access.failures[.lookupFailed] == 1)
    }
}
