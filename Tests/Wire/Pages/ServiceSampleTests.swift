// Custom services, as on the pages and in the demo app.

// @unchecked Sendable because the value is only used under a lock.
/// A dictionary that is not `Sendable`, for use in a lock.
private struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// The page's profile service, with a dictionary instead of a database.
private final class CustomUserProfileService: OPTUserProfileService {
    private let profiles = Locked<[String: UncheckedBox<UPProfile>]>([:])
    private let forgets: Bool

    init(forgets: Bool) { self.forgets = forgets }
    convenience required init() { self.init(forgets: false) }

    var saved: [String: UncheckedBox<UPProfile>] { profiles.withLock { $0 } }

    // Retrieve and return user profile
    func lookup(userId: String) -> UPProfile? { forgets ? nil : saved[userId]?.value }

    // Save user profile
    func save(userProfile: UPProfile) {
        guard let userId = userProfile["user_id"] as? String else { return }
        let profile = UncheckedBox(userProfile)
        profiles.withLock { $0[userId] = profile }
    }
}

/// The demo app's logger: an initializer, a level, a function.
private final class CustomLogger: OPTLogger {
    private static let level = Locked(OptimizelyLogLevel.info)
    static let journal = Collected<String>()

    static var logLevel: OptimizelyLogLevel {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }

    required init() {}
    func log(level: OptimizelyLogLevel, message: String) { Self.journal.add(level.name) }
}

@Suite(.blocking) struct ServiceSampleTests {
    private let network: TestNetwork
    private let sdkKey = unique("key")

    init() throws { network = try TestNetwork() }

    /// A client as in a new session.
    private func started(_ datafile: PageDatafile, _ profiles: CustomUserProfileService) throws -> OptimizelyClient {
        let client = network.optimizely(profiles: profiles)
        try client.start(datafile: datafile.text)
        return client
    }

    @Test func storedUsersKeepTheirVariation() async throws {
        let profiles = CustomUserProfileService()
        let before = try started(PageDatafile(), profiles)
        #expect(before.createUserContext(userId: "ada").decide(key: "flagKey").variationKey == "red")
        let map = profiles.saved["ada"]?.value["experiment_bucket_map"] as? OPTUserProfileService.UPBucketMap
        #expect(map == ["1": ["variation_id": "11"]])
        try await before.closed()

        let after = try started(PageDatafile(revision: "2", variation: "blue"), profiles)
        #expect(after.createUserContext(userId: "ada").decide(key: "flagKey").variationKey == "red")
        #expect(after.createUserContext(userId: "bob").decide(key: "flagKey").variationKey == "blue")
        try await after.closed()
        #expect(try await network.impressions(3) == ["ada red", "ada red", "bob blue"])
    }

    @Test func servicesThatFindNoProfileOnlyRecord() async throws {
        let profiles = CustomUserProfileService(forgets: true)
        let before = try started(PageDatafile(), profiles)
        #expect(before.createUserContext(userId: "ada").decide(key: "flagKey").variationKey == "red")
        #expect(profiles.saved.keys.sorted() == ["ada"])
        try await before.closed()
        let after = try started(PageDatafile(revision: "2", variation: "blue"), profiles)
        #expect(after.createUserContext(userId: "ada").decide(key: "flagKey").variationKey == "blue")
        try await after.closed()
        #expect(try await network.impressions(2) == ["ada blue", "ada red"])
    }

    @Test func customLoggersReceiveAllLevels() throws {
        let optimizely = network.make {
            OptimizelyClient(
                sdkKey: sdkKey, logger: CustomLogger(), datafileHandler: FileHandler(network.directory),
                periodicDownloadInterval: nil, defaultLogLevel: .error)
        }
        #expect(CustomLogger.logLevel == .error)
        #expect(!optimizely.isFeatureEnabled(featureKey: "flagKey", userId: "ada"))
        #expect(throws: OptimizelyError.self) { try optimizely.start(datafile: "{") }
        #expect(CustomLogger.journal.all.contains("ERROR"))
        try optimizely.start(datafile: PageDatafile().text)
        optimizely.datafileHandler?.saveDatafile(sdkKey: sdkKey, dataFile: PageDatafile(project: "Q").data)
        try optimizely.start(datafile: PageDatafile().text)
        #expect(CustomLogger.journal.all.contains("WARNING"), "the logger filters")
    }
}
