#if SQLite
    import Optimizely
    import TurnoutSQLite

    /// Both interfaces share assignments in one file, which the next process reads, too.
    @Suite struct SharedProfilesTests {
        private let directory = TemporaryDirectory()

        /// A setup with new storage, as after a restart of the program.
        private func setup() throws -> TestSetup {
            var setup = TestSetup()
            setup.environment.storage = try SQLiteStorage(directory: directory.path, log: directory.log)
            return setup
        }

        private func service(_ setup: TestSetup) throws -> OPTLYUserProfileServiceDefault {
            try required(setup.make { OPTLYUserProfileServiceDefault { _ in } })
        }

        @Test("A-34") func usersKeepTheirVariationAfterARestart() throws {
            do {
                let setup = try setup()
                let client = try setup.client(profiles: service(setup))
                #expect(client.activate("sticky", userId: "ada")?.variationKey == "first")
            }
            let setup = try setup()
            let client = try setup.client(OldDatafile(sticky: "12"), profiles: service(setup))
            #expect(client.activate("sticky", userId: "ada")?.variationKey == "first")
            #expect(client.activate("sticky", userId: "new")?.variationKey == "second")
        }

        @Test("A-32") func oldProfilesAreMigrated() throws {
            let settings = try required(UserDefaults(suiteName: "turnout-\(UUID().uuidString)"))
            settings.set(["ada": ["1": "11", "2": "21"]], forKey: "user-profile")
            settings.set(["ada": Profiles.profile("ada", "2", "22")], forKey: "user-profile-service")
            for _ in 0..<2 {
                let service = try setup().make {
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
            let setup = try setup()
            let old = try service(setup)
            let modern = setup.make { DefaultUserProfileService() }
            try setup.client(profiles: old).activate("sticky", userId: "ada")
            let profile = try required(modern.lookup(userId: "ada"))
            #expect(profile["experiment_bucket_map"] as? [String: [String: String]] == ["1": ["variation_id": "11"]])
            // The profile store passed to a `FlagClient`.
            let store = try required(setup.environment.storage as? SQLiteStorage).profiles
            #expect(try store.profile(of: "ada").assignments == ["1": "11"])
            modern.save(userProfile: ["user_id": "bob", "experiment_bucket_map": ["1": ["variation_id": "12"]]])
            #expect(try setup.client(profiles: old).variation("sticky", userId: "bob")?.variationKey == "second")
        }

        @Test func staleAssignmentsAreDeletedFromTheFile() throws {
            let service = try service(try setup())
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
