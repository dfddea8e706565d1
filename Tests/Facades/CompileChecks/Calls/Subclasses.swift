import Foundation
import Optimizely

// Subclasses as customers write them, which override every open member.

// As C2 allows, a subclass has to restate that clients are `Sendable`.
class AppClient: OptimizelyClient {
    override init(
        sdkKey: String, logger: OPTLogger? = nil, eventDispatcher: OPTEventDispatcher? = nil,
        datafileHandler: OPTDatafileHandler? = nil, userProfileService: OPTUserProfileService? = nil,
        odpManager: OdpManager? = nil, defaultLogLevel: OptimizelyLogLevel? = nil,
        defaultDecideOptions: [OptimizelyDecideOption]? = nil, settings: OptimizelySdkSettings? = nil,
        cmabConfig: CmabConfig? = nil
    ) {
        super.init(
            sdkKey: sdkKey, logger: logger, eventDispatcher: eventDispatcher, datafileHandler: datafileHandler,
            userProfileService: userProfileService, odpManager: odpManager, defaultLogLevel: defaultLogLevel,
            defaultDecideOptions: defaultDecideOptions, settings: settings, cmabConfig: cmabConfig)
    }

    override func track(
        eventKey: String, userId: String, attributes: OptimizelyAttributes? = nil,
        eventTags: OptimizelyEventTags? = nil
    ) throws {
        try super.track(eventKey: "app_" + eventKey, userId: userId, attributes: attributes, eventTags: eventTags)
    }
}

final class SilentClient: OptimizelyClient, @unchecked Sendable {}

func subclassedClients() {
    _ = AppClient(sdkKey: "key")
    _ = SilentClient(sdkKey: "key", periodicDownloadInterval: 60)
}

class PrefixingLogger: DefaultLogger {
    required init() { super.init() }
    override func log(level: OptimizelyLogLevel, message: String) {
        super.log(level: level, message: "app: " + message)
    }
}

class TracingProfiles: DefaultUserProfileService {
    required init() { super.init() }
    override func lookup(userId: String) -> UPProfile? { super.lookup(userId: userId) }
    override func save(userProfile: UPProfile) { super.save(userProfile: userProfile) }
    override func reset(userProfiles: UserProfileData? = nil) { super.reset(userProfiles: userProfiles) }
}

class EncryptedFile<T: Codable>: DataStoreFile<T> {
    override init(storeName: String, async: Bool = true) { super.init(storeName: storeName, async: async) }
    override func readData() throws -> Data { Data(try super.readData().reversed()) }
    override func writeData(_ data: Data) throws { try super.writeData(Data(data.reversed())) }
}

func subclassedServices() {
    DefaultLogger.logLevel = .debug
    DefaultLogger().log(level: .info, message: "hello \(DefaultLogger.logLevel)")
    PrefixingLogger().log(level: .info, message: "hello")
    let profiles = TracingProfiles()
    profiles.reset()
    profiles.reset(userProfiles: ["ada": ["user_id": "ada"]])
    DefaultUserProfileService().save(userProfile: ["user_id": "ada"])
    print(DefaultUserProfileService().lookup(userId: "ada") as Any, OPTLoggerFactory.self as NSObject.Type)
    print(EncryptedFile<[Data]>(storeName: "events").url)
}
