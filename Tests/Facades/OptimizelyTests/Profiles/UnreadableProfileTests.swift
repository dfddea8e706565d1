/// The default service while its store cannot be read.
@Suite(.ownThread) struct UnreadableProfileTests {
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
