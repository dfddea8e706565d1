import OptimizelySDKCore

// Calls and services as in existing programs.

/// Has the interface of the type in the tests that run the samples.
final class Collected<Element> {
    private(set) var all: [Element] = []
    func add(_ element: Element) { all.append(element) }
}

final class QuietLogger: NSObject, OPTLYLogger {
    var logLevel: OptimizelyLogLevel
    required init?(logLevel: OptimizelyLogLevel) { self.logLevel = logLevel }
    func logMessage(_ message: String, with level: OptimizelyLogLevel) { print(message) }
}

final class Profiles: NSObject, OPTLYUserProfileService {
    var stored: [String: [AnyHashable: Any]] = [:]
    func lookup(_ userId: String) -> [AnyHashable: Any]? { stored[userId] }
    func save(_ userProfile: [AnyHashable: Any]) {
        if let user = userProfile["user_id"] as? String { stored[user] = userProfile }
    }
}

final class Dispatcher: NSObject, OPTLYEventDispatcher {
    func dispatchImpressionEvent(_ params: [AnyHashable: Any], callback: ((Data?, URLResponse?, Error?) -> Void)?) {}
    func dispatchConversionEvent(_ params: [AnyHashable: Any], callback: ((Data?, URLResponse?, Error?) -> Void)?) {}
}

final class Datafiles: NSObject, OPTLYDatafileManager {
    func downloadDatafile(
        _ datafileConfig: OPTLYDatafileConfig, completionHandler: (@Sendable (Data?, URLResponse?, Error?) -> Void)?
    ) { completionHandler?(nil, nil, nil) }
    func saveDatafile(_ datafile: Data) {}
    func getSavedDatafile(_ error: NSErrorPointer) -> Data? { nil }
    func isDatafileCached() -> Bool { false }
}

func call(_ client: OPTLYClient, _ any: OptimizelyProtocol) {
    client.activate("a", userId: "u")
    client.variation("a", userId: "u", attributes: ["b": 1])
    client.isFeatureEnabled("f", userId: "u")
    client.getEnabledFeatures("u")
    let steps: NSNumber? = client.getFeatureVariableInteger("f", variableKey: "v", userId: "u")
    let title: String? = client.getFeatureVariableString("f", variableKey: "v", userId: "u", attributes: nil)
    print(steps ?? 0, title ?? "")
    client.track("e", userId: "u")
    client.track("e", userId: "u", attributes: ["b": true])
    client.track("e", userId: "u", eventTags: ["revenue": 1])
    client.track("e", userId: "u", attributes: nil, eventTags: nil)
    any.activate("a", userId: "u")
    any.track("e", userId: "u")
    let center = client.notificationCenter()
    let id = center?.addActivateNotificationListener { experiment, user, attributes, variation, event in
        print(experiment.experimentKey, user, attributes ?? [:], variation.variationId, event.count)
    }
    center?.removeNotificationListener(UInt(id ?? 0))
    center?.clearNotificationListeners(.track)
    client.optimizely?.notificationCenter?.clearAllNotificationListeners()
    client.setForcedVariation("a", userId: "u", variationKey: nil)
    client.defaultAttributes = [OptimizelyAppVersionKey: "1"]
}

func make() {
    let errors = OPTLYErrorHandlerDefault()
    let dispatcher = OPTLYEventDispatcherDefault(
        builder: OPTLYEventDispatcherBuilder {
            $0?.eventDispatcherDispatchInterval = 10
            $0?.maxNumberOfEventsToSave = 500
        })
    dispatcher?.flushEvents()
    let manager = OPTLYManagerBasic(
        builder: OPTLYManagerBuilder { builder in
            builder?.sdkKey = "key"
            builder?.logger = OPTLYLoggerDefault(logLevel: .debug)
            builder?.errorHandler = errors
            builder?.eventDispatcher = dispatcher
            builder?.userProfileService = Profiles()
            builder?.datafileManager = Datafiles()
        })
    manager?.initialize()
    manager?.initialize { error, client in print(error ?? "", client ?? "") }
    manager?.datafileConfig = OPTLYDatafileConfig(projectId: nil, withSDKKey: "other")
    OPTLYClient { $0.datafile = nil }.activate("a", userId: "u")
}
