import Optimizely

/// The managers' default service.
@Suite struct StandardServiceTests {
    private let setup = TestSetup()
    private let settings: UserDefaults

    init() throws { settings = try required(UserDefaults(suiteName: "turnout-\(UUID().uuidString)")) }

    private func service() throws -> OPTLYUserProfileServiceDefault {
        try required(
            setup.make {
                OPTLYUserProfileServiceDefault(builder: .init { $0?.logger = setup.logger }, takingOverFrom: settings)
            })
    }

    private func map(_ service: OPTLYUserProfileServiceDefault, _ user: String) -> [String: String]? {
        service.lookup(user).flatMap { OPTLYUserProfile(dictionary: $0) }?.experiment_bucket_map
            .compactMapValues { $0["variation_id"] }
    }

    @Test func oldProfilesStayIfNothingElseIsDurable() throws {
        settings.set(["ada": ["1": "11", "2": "21"]], forKey: "user-profile")
        settings.set(["ada": Profiles.profile("ada", "2", "22")], forKey: "user-profile-service")
        for _ in 0..<2 { #expect(map(try service(), "ada") == ["1": "11", "2": "22"]) }
        #expect(settings.object(forKey: "user-profile") != nil)
    }

    @Test("A-33", arguments: [99, 100]) func manyStaleAssignmentsAreDeleted(count: Int) async throws {
        let service = try service()
        let stale = Dictionary(uniqueKeysWithValues: (0..<count - 2).map { ("old\($0)", ["variation_id": "x"]) })
        let live = ["1": ["variation_id": "11"], "5": ["variation_id": "51"]]
        service.save(["user_id": "ada", "experiment_bucket_map": stale.merging(live) { $1 }])
        let manager = try setup.manager { $0.userProfileService = service }
        manager.datafileManager?.saveDatafile(OldDatafile().data)
        manager.initialize()
        guard count == 100 else {
            service.removeInvalidExperiments(forAllUsers: [])
            #expect(map(service, "ada")?.count == 99)
            return
        }
        try await wait("the cleaning") { map(service, "ada") == ["1": "11", "5": "51"] }
    }

    @Test func aBundledDatafileDeletesNoAssignments() async throws {
        let service = try service()
        let stale = Dictionary(uniqueKeysWithValues: (0..<100).map { ("old\($0)", ["variation_id": "x"]) })
        service.save(["user_id": "ada", "experiment_bucket_map": stale])
        let manager = try setup.manager {
            $0.userProfileService = service
            $0.datafile = OldDatafile().data
            $0.datafileManager = OPTLYDatafileManagerNoOp()
        }
        #expect(manager.initialize()?.revision == "1")
        // Another thread would delete them, and nothing tells that it does not.
        try await Task.sleep(for: .milliseconds(50))
        #expect(map(service, "ada")?.count == 100)
    }

    @Test func usersCanBeForgotten() throws {
        let service = try service()
        for user in ["ada", "bob", "eve"] { service.save(Profiles.profile(user, "1", "11")) }
        service.removeUserExperimentRecords(forUserId: "ada")
        #expect(service.lookup("ada") == nil && map(service, "bob") == ["1": "11"])
        service.removeAllUserExperimentRecords()
        #expect(service.lookup("bob") == nil && service.lookup("eve") == nil)
        service.save(["user_id": "", "experiment_bucket_map": [:]])
        service.save(["user_id": "ada"])
        #expect(service.lookup("ada") == nil && setup.logger.texts(.warning).count == 2)
    }

    @Test func profilesThatCannotBeWrittenStayInTheSettings() throws {
        settings.set(["ada": Profiles.profile("ada", "1", "11")], forKey: "user-profile-service")
        var setup = setup
        setup.environment.storage = ReadOnlyStorage()
        let service = setup.make { OPTLYUserProfileServiceDefault(builder: .init { _ in }, takingOverFrom: settings) }
        #expect(service != nil && settings.object(forKey: "user-profile-service") != nil)
        service?.removeUserExperimentRecords(forUserId: "ada")
        #expect(settings.dictionary(forKey: "user-profile-service")?.isEmpty == true)
    }

    @Test func existingAssignmentsAreNotReplacedByMigration() throws {
        let first = try service()
        first.save(Profiles.profile("ada", "1", "12"))
        settings.set(["ada": ["1": "11", "2": "21"]], forKey: "user-profile")
        #expect(map(try service(), "ada") == ["1": "12", "2": "21"])
    }

    // MARK: Stored service
    // A manager keeps assignments in any profile store.

    private let store = MemoryProfileStore()
    private let profile: [AnyHashable: Any] = [
        "user_id": "ada", "experiment_bucket_map": ["1": ["variation_id": "11"]],
    ]

    @Test func profilesAreAddedAndFound() {
        let service = OPTLYStoredUserProfileService(store)
        #expect(service.lookup("ada") == nil)
        service.save(profile)
        #expect(store.profile(of: "ada") == UserProfile(["1": "11"]))
        #expect(OPTLYUserProfile(dictionary: service.lookup("ada"))?.getVariationId(forExperimentId: "1") == "11")
    }

    @Test func savingKeepsTheAssignmentsOfOtherPrograms() {
        let service = OPTLYStoredUserProfileService(store)
        store.save(["2": "22"], for: "ada")
        service.save(profile)
        #expect(store.profile(of: "ada") == UserProfile(["1": "11", "2": "22"]))
    }

    @Test func malformedProfilesAreIgnored() {
        let service = OPTLYStoredUserProfileService(store)
        for malformed: [AnyHashable: Any] in [[:], ["user_id": 1], ["user_id": "ada"]] { service.save(malformed) }
        #expect(store.profile(of: "ada").assignments.isEmpty)
    }
}

/// A storage whose disk is full.
private struct ReadOnlyStorage: ServiceStorage {
    private struct Profiles: EditableProfileStore {
        var isDurable: Bool { true }
        func profile(of userID: String) -> UserProfile { UserProfile() }
        func save(_ assignments: [String: String], for userID: String) {}
        func replace(with assignments: [String: String], for userID: String) {}
        func forget(_ userID: String) {}
        func removeAll() {}
        func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) {}
        func synchronize() {}
    }

    func events(named name: String, limit: Int) -> any EventStore { .memory(limit: limit) }
    func profiles() -> any EditableProfileStore { Profiles() }
    func vuid() -> any VuidStore { MemoryStorage().vuid() }
}
