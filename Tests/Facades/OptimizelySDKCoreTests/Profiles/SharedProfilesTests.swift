#if SQLite
    import Foundation
    import Optimizely
    import OptimizelySDKiOS
    import Testing
    import TurnoutClient
    import TurnoutSQLite

    /// Both interfaces share assignments in one file, which the next process reads, too.
    @Suite struct SharedProfilesTests {
        private let directory = NSTemporaryDirectory() + "turnout-objective-c-" + UUID().uuidString

        /// A rig with new storage, as after a restart of the program.
        private func rig() throws -> Rig {
            var rig = Rig()
            rig.world.storage = try SQLiteStorage(directory: directory, log: .silent)
            return rig
        }

        private func service(_ rig: Rig) throws -> OPTLYUserProfileServiceDefault {
            try required(rig.make { OPTLYUserProfileServiceDefault { _ in } })
        }

        @Test("A-34") func usersKeepTheirVariationAfterARestart() throws {
            do {
                let rig = try rig()
                let client = try rig.client(profiles: service(rig))
                #expect(client.activate("sticky", userId: "ada")?.variationKey == "first")
            }
            let rig = try rig()
            let client = try rig.client(OldDatafile(sticky: "12"), profiles: service(rig))
            #expect(client.activate("sticky", userId: "ada")?.variationKey == "first")
            #expect(client.activate("sticky", userId: "new")?.variationKey == "second")
        }

        @Test("A-32") func oldProfilesAreMigrated() throws {
            let settings = try required(UserDefaults(suiteName: "turnout-\(UUID().uuidString)"))
            settings.set(["ada": ["1": "11", "2": "21"]], forKey: "user-profile")
            settings.set(["ada": Profiles.profile("ada", "2", "22")], forKey: "user-profile-service")
            for _ in 0..<2 {
                let service = try rig().make {
                    OPTLYUserProfileServiceDefault(builder: .init { _ in }, takingOverFrom: settings)
                }
                let profile = OPTLYUserProfile(dictionary: service?.lookup("ada"))
                #expect(profile?.getVariationId(forExperimentId: "1") == "11")
                #expect(profile?.getVariationId(forExperimentId: "2") == "22")
                #expect(settings.object(forKey: "user-profile") == nil)
                #expect(settings.object(forKey: "user-profile-service") == nil)
            }
        }

        @Test func theModernInterfaceSeesTheSameAssignments() throws {
            let rig = try rig()
            let old = try service(rig)
            let modern = rig.make { DefaultUserProfileService() }
            try rig.client(profiles: old).activate("sticky", userId: "ada")
            let profile = try required(modern.lookup(userId: "ada"))
            #expect(profile["experiment_bucket_map"] as? [String: [String: String]] == ["1": ["variation_id": "11"]])
            // The profile store passed to a `Client`.
            let store = try required(rig.world.storage as? SQLiteStorage).profiles
            #expect(try store.profile(of: "ada").assignments == ["1": "11"])
            modern.save(userProfile: ["user_id": "bob", "experiment_bucket_map": ["1": ["variation_id": "12"]]])
            #expect(try rig.client(profiles: old).variation("sticky", userId: "bob")?.variationKey == "second")
        }

        @Test func staleAssignmentsAreDeletedFromTheFile() throws {
            let service = try service(try rig())
            for (user, count) in [("many", 100), ("few", 99)] {
                let map = Dictionary(uniqueKeysWithValues: (0..<count).map { ("e\($0)", ["variation_id": "x"]) })
                service.save(["user_id": user, "experiment_bucket_map": map])
            }
            service.removeInvalidExperiments(forAllUsers: ["e0"])
            let map = service.lookup("many")?["experiment_bucket_map"] as? [String: [String: String]]
            #expect(map == ["e0": ["variation_id": "x"]])
            #expect(OPTLYUserProfile(dictionary: service.lookup("few"))?.experiment_bucket_map.count == 99)
            service.removeUserExperimentRecords(forUserId: "many")
            #expect(service.lookup("many") == nil)
        }
    }
#endif
