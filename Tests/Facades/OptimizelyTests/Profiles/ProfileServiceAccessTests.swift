import Dispatch

/// A service whose calls are thread-safe one by one, like those that customers write.
final class RecordingService: OPTUserProfileService {
    typealias Profile = [String: Any]

    struct State {
        var profiles: [String: [String: [String: String]]] = [:]
        var lookupCount = 0
        var saveCount = 0
        var savesRunning = 0
        var mostSavesRunning = 0
    }

    let state = Locked(State())
    let pause: UInt32

    init(pause: UInt32) { self.pause = pause }
    convenience init() { self.init(pause: 0) }

    func lookup(userId: String) -> UPProfile? {
        let map = state.withLock { state in
            state.lookupCount += 1
            return state.profiles[userId]
        }
        if pause > 0 { usleepFor(pause) }
        return map.map { ["user_id": userId, "experiment_bucket_map": $0] }
    }

    func save(userProfile: UPProfile) {
        let map = userProfile["experiment_bucket_map"] as? UPBucketMap ?? [:]
        let user = userProfile["user_id"] as? String ?? ""
        state.withLock { state in
            state.saveCount += 1
            state.savesRunning += 1
            state.mostSavesRunning = max(state.mostSavesRunning, state.savesRunning)
        }
        if pause > 0 { usleepFor(pause) }
        state.withLock { state in
            state.profiles[user] = map
            state.savesRunning -= 1
        }
    }

    private func usleepFor(_ microseconds: UInt32) {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(Int(microseconds)))
    }
}

/// A service that keeps one dictionary, whatever its content.
final class PlainService: OPTUserProfileService {
    var profile: UPProfile?
    var saveCount = 0
    var duringSave: (() -> Void)?
    var duringLookup: (() -> Void)?

    func lookup(userId: String) -> UPProfile? {
        duringLookup?()
        return profile
    }

    func save(userProfile: UPProfile) {
        saveCount += 1
        profile = userProfile
        duringSave?()
    }

    var map: UPBucketMap? { profile?["experiment_bucket_map"] as? UPBucketMap }
}

@Suite("Access to a profile service", .ownThread)
struct ProfileServiceAccessTests {
    @Test("reads the assignments for some experiments only, and saves all")
    func someExperiments() {
        let service = PlainService()
        let access = ProfileServiceAccess.access(to: service)
        access.commit(["e1": "v1", "e2": "v2"], in: access.load("ada"))
        let session = access.load("ada") { ["e2", "e3"] }
        #expect(session.profile.assignments == ["e2": "v2"])
        access.commit(["e3": "v3"], in: session)
        #expect(access.load("ada").profile.assignments == ["e1": "v1", "e2": "v2", "e3": "v3"])
    }

    @Test("reads a map of another type as a whole, and nothing from a damaged one")
    func someExperimentsOfForeignMaps() {
        let service = PlainService()
        let access = ProfileServiceAccess.access(to: service)
        let known = ["variation_id": "v1"]
        for (map, isUsable) in [(["e1": known] as [String: Any], true), (["e1": known, "e2": 5], false)] {
            service.profile = ["user_id": "ada", "experiment_bucket_map": map]
            let session = access.load("ada") { ["e1"] }
            #expect(session.profile.assignments == (isUsable ? ["e1": "v1"] : [:]))
            access.commit([:], in: session)
        }
    }

    @Test("keeps unknown members of a profile")
    func otherKeys() {
        let service = PlainService()
        service.profile = [
            "plan": 3, "experiment_bucket_map": ["e1": ["variation_id": "v1", "note": "x"]] as [String: Any],
        ]
        let access = ProfileServiceAccess.access(to: service)
        let session = access.load("ada")
        #expect(session.profile.assignments == ["e1": "v1"])
        access.commit(["e2": "v2"], in: session)
        #expect(service.profile?["plan"] as? Int == 3)
        #expect(service.profile?["user_id"] as? String == "ada")
        #expect(service.map == ["e1": ["variation_id": "v1", "note": "x"], "e2": ["variation_id": "v2"]])
    }

    @Test("loses nothing when many threads decide for one user", arguments: [0, 200] as [UInt32])
    func threads(pause: UInt32) {
        let service = RecordingService(pause: pause)
        // Two clients share the service.
        let accesses = [ProfileServiceAccess.access(to: service), ProfileServiceAccess.access(to: service)]
        let roundCount = pause == 0 ? rounds(20, thorough: 200) : 5
        DispatchQueue.concurrentPerform(iterations: 20) { thread in
            for round in 0..<roundCount {
                let access = accesses[thread % 2]
                access.commit(["e\(thread)-\(round)": "v"], in: access.load("ada"))
            }
        }
        let state = service.state.withLock { $0 }
        #expect(state.profiles["ada"]?.count == 20 * roundCount)
        #expect(state.mostSavesRunning == 1)
        #expect(state.lookupCount == 20 * roundCount)
        #expect(state.saveCount <= 20 * roundCount)
        #expect((accesses[0] as? ProfileServiceAccess)?.usersInProgress == 0)
    }

    @Test("loses nothing when decisions overlap in any order")
    func overlap() {
        let service = RecordingService()
        let access = ProfileServiceAccess.access(to: service)
        let sessions = (0..<4).map { _ in access.load("ada") }
        for (number, session) in sessions.reversed().enumerated() { access.commit(["e\(number)": "v"], in: session) }
        #expect(service.state.withLock { $0.profiles["ada"]?.count } == 4)
        // New assignments are visible to other sessions before they are saved.
        let first = access.load("ada")
        access.commit(["late": "v"], in: access.load("ada"))
        #expect(access.load("ada").profile.assignments["late"] == "v")
        access.commit([:], in: first)
    }

    @Test("is shared by the clients of a service, and released with the last of them")
    func sharing() {
        weak let service: RecordingService?
        do {
            let shared = RecordingService()
            let first = ProfileServiceAccess.access(to: shared) as? ProfileServiceAccess
            let second = ProfileServiceAccess.access(to: shared) as? ProfileServiceAccess
            #expect(first != nil && first === second)
            let other = ProfileServiceAccess.access(to: RecordingService()) as? ProfileServiceAccess
            #expect(other !== first)
            service = shared
        }
        #expect(service == nil)
    }

    @Test("is direct for the default service, but not for its subclasses")
    func defaultService() {
        final class Custom: DefaultUserProfileService {
            var saveCount = 0
            override func save(userProfile: UPProfile) {
                saveCount += 1
                super.save(userProfile: userProfile)
            }
        }
        let (standard, custom) = (DefaultUserProfileService(), Custom())
        for service in [standard, custom] {
            let access = ProfileServiceAccess.access(to: service)
            #expect((access is ProfileServiceAccess) == (service === custom))
            access.commit(["e1": "v1"], in: access.load("ada"))
            access.commit(["e2": "v2"], in: access.load("ada"))
            #expect(access.load("ada").profile.assignments == ["e1": "v1", "e2": "v2"])
        }
        #expect(custom.saveCount == 2)
        #expect(custom.assignments(of: "ada") == ["e1": "v1", "e2": "v2"])
    }

    // MARK: Unreadable profile
    // The default service while its store cannot be read.

    /// Profiles in memory that can be made unreadable.
    private final class Profiles: EditableProfileStore {
        private struct Unreadable: Error {}
        private let known = Locked<[String: [String: String]]>([:])
        private let failing = Locked(false)

        var isFailing: Bool {
            get { failing.withLock { $0 } }
            set { failing.withLock { $0 = newValue } }
        }

        var isDurable: Bool { false }
        func profile(of userID: String) throws -> UserProfile {
            if isFailing { throw Unreadable() }
            return UserProfile(known.withLock { $0[userID] ?? [:] })
        }
        func save(_ assignments: [String: String], for userID: String) {
            known.withLock { $0[userID, default: [:]].merge(assignments) { $1 } }
        }
        func replace(with assignments: [String: String], for userID: String) {}
        func forget(_ userID: String) {}
        func removeAll() {}
        func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) {}
        func synchronize() {}
    }

    @Test func aFailedLookupDoesNotOverwriteTheProfile() throws {
        let profiles = Profiles()
        let client = HostEnvironment.$override.withValue(HostEnvironment()) {
            OptimizelyClient(
                sdkKey: UUID().uuidString, logger: RecordingMessages(),
                datafileHandler: ScriptedHandler(), userProfileService: DefaultUserProfileService(profiles))
        }
        func variation() throws -> String { try client.getVariationKey(experimentKey: "sticky", userId: "ada") }
        try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
        #expect(try variation() == "first")
        try client.start(datafile: ShopDatafile(sticky: "62").data, doFetchDatafileBackground: false)
        profiles.isFailing = true
        #expect(try variation() == "second", "decided without the profile")
        profiles.isFailing = false
        #expect(try variation() == "first", "nothing was overwritten")
    }
}
