import Foundation
import Optimizely

// Services as customers write them: plain classes with state, none of them `Sendable`.

final class ConsoleLogger: OPTLogger {
    nonisolated(unsafe) static var logLevel: OptimizelyLogLevel = .info
    required init() {}

    func log(level: OptimizelyLogLevel, message: String) {
        guard level <= ConsoleLogger.logLevel else { return }
        print("[\(level.name)] \(message)")
    }
}

class Profiles: OPTUserProfileService {
    var stored: [String: UPProfile] = [:]
    required init() {}
    func lookup(userId: String) -> UPProfile? { stored[userId] }

    func save(userProfile: UPProfile) {
        guard let userId = userProfile["user_id"] as? String else { return }
        let map = userProfile["experiment_bucket_map"] as? UPBucketMap
        print(map?["1"]?["variation_id"] ?? "")
        stored[userId] = userProfile
    }
}

/// Uses the protocol's default `close`.
class Dispatcher: OPTEventDispatcher {
    var sent: [EventForDispatch] = []

    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {
        sent.append(event)
        completionHandler?(.success(event.body))
        completionHandler?(.failure(.eventDispatchFailed("offline")))
    }

    func flushEvents() { sent = [] }
}

final class ClosingDispatcher: Dispatcher {
    func close() { flushEvents() }
}

class Datafiles: OPTDatafileHandler {
    var endPointStringFormat = "https://example.com/%@.json"
    var saved: [String: Data] = [:]
    required init() {}
    func setPeriodicInterval(sdkKey: String, interval: Int) {}
    func hasPeriodicInterval(sdkKey: String) -> Bool { false }
    func downloadDatafile(sdkKey: String) -> Data? { saved[sdkKey] }

    func downloadDatafile(
        sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double?,
        completionHandler: @escaping DatafileDownloadCompletionHandler
    ) {
        completionHandler(.success(saved[sdkKey]))
    }

    func startUpdates(sdkKey: String, datafileChangeNotification: ((Data) -> Void)?) {
        datafileChangeNotification?(saved[sdkKey] ?? Data())
    }

    func stopUpdates(sdkKey: String) {}
    func stopAllUpdates() {}
    func saveDatafile(sdkKey: String, dataFile: Data) { saved[sdkKey] = dataFile }
    func loadSavedDatafile(sdkKey: String) -> Data? { saved[sdkKey] }
    func isDatafileSaved(sdkKey: String) -> Bool { saved[sdkKey] != nil }
    func removeSavedDatafile(sdkKey: String) { saved[sdkKey] = nil }
}

class Center: OPTNotificationCenter {
    var notificationId = 1
    var listeners: [Int: GenericListener] = [:]
    required init() {}

    func addGenericNotificationListener(notificationType: Int, listener: @escaping GenericListener) -> Int? {
        notificationId += 1
        listeners[notificationId] = listener
        return notificationId
    }

    func addActivateNotificationListener(activateListener: @escaping ActivateListener) -> Int? { nil }
    func addTrackNotificationListener(trackListener: @escaping TrackListener) -> Int? { nil }
    func addDecisionNotificationListener(decisionListener: @escaping DecisionListener) -> Int? { nil }
    func addDatafileChangeNotificationListener(datafileListener: @escaping DatafileChangeListener) -> Int? { nil }
    func addLogEventNotificationListener(logEventListener: @escaping LogEventListener) -> Int? { nil }
    func removeNotificationListener(notificationId: Int) { listeners[notificationId] = nil }
    func clearNotificationListeners(type: NotificationType) {}
    func clearAllNotificationListeners() { listeners = [:] }
    func sendNotifications(type: Int, args: [Any?]) { for listener in listeners.values { listener(args) } }
}

final class Store: OPTDataStore {
    var items: [String: Any] = [:]
    func getItem(forKey: String) -> Any? { items[forKey] }
    func saveItem(forKey: String, value: Any) { items[forKey] = value }
    func removeItem(forKey: String) { items[forKey] = nil }
}

final class Lines: DataStoreQueueStack {
    typealias T = String
    var lines: [String] = []
    var count: Int { lines.count }
    func save(item: String) { lines.append(item) }
    func getFirstItems(count: Int) -> [String]? { Array(lines.prefix(count)) }
    func getLastItems(count: Int) -> [String]? { Array(lines.suffix(count)) }
    func removeFirstItems(count: Int) -> [String]? { nil }
    func removeLastItems(count: Int) -> [String]? { nil }
}
