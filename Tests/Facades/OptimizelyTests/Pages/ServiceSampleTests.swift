import Foundation
import Optimizely
import Testing
import TurnoutClient

// Services of one's own, as the pages and the demo app have them.

/// The profile service of the page, with a list for a database.
private final class CustomUserProfileService: OPTUserProfileService {
    private let profiles = Locked<[String: Carried<UPProfile>]>([:])
    private let forgets: Bool

    init(forgets: Bool) { self.forgets = forgets }
    convenience required init() { self.init(forgets: false) }

    var saved: [String: Carried<UPProfile>] { profiles.withLock { $0 } }

    // Retrieve and return user profile
    func lookup(userId: String) -> UPProfile? { forgets ? nil : saved[userId]?.value }

    // Save user profile
    func save(userProfile: UPProfile) {
        guard let userId = userProfile["user_id"] as? String else { return }
        let profile = Carried(userProfile)
        profiles.withLock { $0[userId] = profile }
    }
}

/// The logger of the demo app: an initializer, a level, a function.
private final class CustomLogger: OPTLogger {
    private static let level = Locked(OptimizelyLogLevel.info)
    static let journal = Journal()

    static var logLevel: OptimizelyLogLevel {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }

    required init() {}
    func log(level: OptimizelyLogLevel, message: String) { Self.journal.add(level.name) }
}

@Suite(.ownThread) struct ServiceSampleTests {
    private func makeClient(_ profiles: CustomUserProfileService) -> OptimizelyClient {
        OptimizelyClient(
            sdkKey: newKey(), logger: PageLogger(), eventDispatcher: PageEvents(), datafileHandler: PageDatafiles(),
            userProfileService: profiles)
    }

    @Test func storedUsersKeepTheirVariation() throws {
        let profiles = CustomUserProfileService()
        let before = makeClient(profiles)
        try before.start(datafile: PageDatafile.text())
        #expect(before.createUserContext(userId: "ada").decide(key: "flagKey").variationKey == "red")
        let map = profiles.saved["ada"]?.value["experiment_bucket_map"] as? OPTUserProfileService.UPBucketMap
        #expect(map == ["1": ["variation_id": "11"]])

        let after = makeClient(profiles)
        try after.start(datafile: PageDatafile.text(revision: "2", variation: "blue"))
        #expect(after.createUserContext(userId: "ada").decide(key: "flagKey").variationKey == "red")
        #expect(after.createUserContext(userId: "bob").decide(key: "flagKey").variationKey == "blue")
    }

    @Test func servicesThatFindNobodyOnlyTrack() throws {
        let profiles = CustomUserProfileService(forgets: true)
        let before = makeClient(profiles)
        try before.start(datafile: PageDatafile.text())
        #expect(before.createUserContext(userId: "ada").decide(key: "flagKey").variationKey == "red")
        #expect(profiles.saved.keys.sorted() == ["ada"])
        let after = makeClient(profiles)
        try after.start(datafile: PageDatafile.text(revision: "2", variation: "blue"))
        #expect(after.createUserContext(userId: "ada").decide(key: "flagKey").variationKey == "blue")
    }

    @Test func loggersOfOnesOwnReceiveAllLevelsAndFilterThemselves() throws {
        let optimizely = OptimizelyClient(
            sdkKey: newKey(), logger: CustomLogger(), eventDispatcher: PageEvents(), datafileHandler: PageDatafiles(),
            periodicDownloadInterval: nil, defaultLogLevel: .error)
        #expect(CustomLogger.logLevel == .error)
        #expect(!optimizely.isFeatureEnabled(featureKey: "flagKey", userId: "ada"))
        #expect(throws: OptimizelyError.self) { try optimizely.start(datafile: "{") }
        #expect(CustomLogger.journal.lines.contains("ERROR"))
        try optimizely.start(datafile: PageDatafile.text())
        let other = PageDatafile.text().replacingOccurrences(of: #""projectId": "P""#, with: #""projectId": "Q""#)
        optimizely.datafileHandler?.saveDatafile(sdkKey: "", dataFile: Data(other.utf8))
        try optimizely.start(datafile: PageDatafile.text())
        #expect(CustomLogger.journal.lines.contains("WARNING"), "it is the logger that filters")
    }
}
