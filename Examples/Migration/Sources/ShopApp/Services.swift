import Foundation
import Optimizely

class ShopLogger: OPTLogger {
    private static var _logLevel: OptimizelyLogLevel?

    static var logLevel: OptimizelyLogLevel {
        get { _logLevel ?? .info }
        set { _logLevel = newValue }
    }

    required init() {}

    func log(level: OptimizelyLogLevel, message: String) {
        if level <= ShopLogger.logLevel { print("[shop] \(level.name): \(message)") }
    }
}

class ShopProfileService: OPTUserProfileService {
    private var profiles = [String: UPProfile]()
    private let lock = DispatchQueue(label: "profiles")

    required init() {}

    func lookup(userId: String) -> UPProfile? {
        lock.sync { profiles[userId] }
    }

    func save(userProfile: UPProfile) {
        guard let userId = userProfile["user_id"] as? String else { return }
        lock.sync { profiles[userId] = userProfile }
    }

    func print() {
        lock.sync {
            for (userId, profile) in profiles.sorted(by: { $0.key < $1.key }) {
                let map = profile["experiment_bucket_map"] as? UPBucketMap ?? [:]
                let entries = map.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value["variation_id"] ?? "")" }
                Swift.print("\(userId): \(entries)")
            }
        }
    }
}

class ShopEventDispatcher: OPTEventDispatcher {
    private(set) var impressions = 0
    private(set) var conversions = 0

    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {
        if String(decoding: event.body, as: UTF8.self).contains("campaign_activated") {
            impressions += 1
        } else {
            conversions += 1
        }
        completionHandler?(.success(Data()))
    }

    func flushEvents() {}
}

/// Datafiles from a file, so that the program needs no network.
class ShopDatafileHandler: OPTDatafileHandler {
    private let path: String
    private var interval: Int?
    var endPointStringFormat = ""

    required init() { path = "" }
    init(path: String) { self.path = path }

    func setPeriodicInterval(sdkKey: String, interval: Int) { self.interval = interval }
    func hasPeriodicInterval(sdkKey: String) -> Bool { interval != nil }

    func downloadDatafile(sdkKey: String) -> Data? { FileManager.default.contents(atPath: path) }
    func downloadDatafile(
        sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double?,
        completionHandler: @escaping DatafileDownloadCompletionHandler
    ) {
        completionHandler(.success(downloadDatafile(sdkKey: sdkKey)))
    }

    func startUpdates(sdkKey: String, datafileChangeNotification: ((Data) -> Void)?) {}
    func stopUpdates(sdkKey: String) {}
    func stopAllUpdates() {}

    func saveDatafile(sdkKey: String, dataFile: Data) {}
    func loadSavedDatafile(sdkKey: String) -> Data? { nil }
    func isDatafileSaved(sdkKey: String) -> Bool { false }
    func removeSavedDatafile(sdkKey: String) {}
}
