import Foundation
import Optimizely

/// Records the effects of a client, in the format of the cases.
final class Recording: Sendable {
    private struct Lists {
        var impressions: [JSONValue] = []
        var notifications: [JSONValue] = []
        var saves: [JSONValue] = []
        var lookups = 0
        var predictionCalls: [JSONValue] = []
    }

    private let lists = Locked(Lists())

    var impressions: [JSONValue] { lists.withLock { $0.impressions } }
    var notifications: [JSONValue] { lists.withLock { $0.notifications } }
    var saves: [JSONValue] { lists.withLock { $0.saves } }
    var lookups: Int { lists.withLock { $0.lookups } }
    var predictionCalls: [JSONValue] { lists.withLock { $0.predictionCalls } }

    func add(impression: JSONValue) { lists.withLock { $0.impressions.append(impression) } }
    func add(notification: JSONValue) { lists.withLock { $0.notifications.append(notification) } }
    func add(save: JSONValue) { lists.withLock { $0.saves.append(save) } }
    func addLookup() { lists.withLock { $0.lookups += 1 } }
    func add(predictionCall: JSONValue) { lists.withLock { $0.predictionCalls.append(predictionCall) } }
}

/// Records the decision of each impression.
final class RecordingDispatcher: OPTEventDispatcher {
    private let recording: Recording

    init(_ recording: Recording) { self.recording = recording }

    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {
        let body = try? JSONValue(parsing: [UInt8](event.body))
        let visitor = body?["visitors"]?.elements?.first
        let decision = visitor?["snapshots"]?.elements?.first?["decisions"]?.elements?.first
        recording.add(impression: decision ?? .string("an event without a decision"))
        completionHandler?(.success(event.body))
    }

    func flushEvents() {}
}

/// Holds profiles, valid or not, as in a case.
final class RecordingProfiles: OPTUserProfileService {
    private let recording: Recording
    private let profiles: Locked<[String: JSONValue]>

    init(_ profiles: [String: JSONValue], _ recording: Recording) {
        self.profiles = Locked(profiles)
        self.recording = recording
    }

    convenience init() { self.init([:], Recording()) }

    func lookup(userId: String) -> UPProfile? {
        recording.addLookup()
        return profiles.withLock { $0[userId] }?.members?.mapValues(\.untyped)
    }

    func save(userProfile: UPProfile) {
        let profile = JSONValue.object(userProfile.mapValues { JSONValue(untyped: $0) })
        recording.add(save: profile)
        profiles.withLock { $0[profile["user_id"]?.text ?? ""] = profile }
    }
}

/// Predicts the variation of the case for every user, or fails.
struct RecordingPredictions: PredictionSource {
    struct NoPrediction: Error {}

    let variationID: String?
    let recording: Recording

    func variationID(for request: PredictionRequest, uuid: String) async throws -> String {
        let attributes = request.attributes.map { ($0.id, JSONValue.string($0.value.description)) }
        recording.add(
            predictionCall: .object([
                "userId": .string(request.userID), "ruleId": .string(request.ruleID),
                "attributes": .object(Dictionary(attributes) { $1 }),
            ]))
        guard let variationID else { throw NoPrediction() }
        return variationID
    }
}

/// Makes the same uuid for each prediction.
struct ConstantRandom: RandomSource {
    func next() -> UInt64 { 0 }
}

/// A handler without datafiles.
final class NoDatafiles: OPTDatafileHandler {
    init() {}

    var endPointStringFormat: String {
        get { "" }
        set {}
    }

    func setPeriodicInterval(sdkKey: String, interval: Int) {}
    func hasPeriodicInterval(sdkKey: String) -> Bool { false }
    func downloadDatafile(sdkKey: String) -> Data? { nil }

    func downloadDatafile(
        sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double?,
        completionHandler: @escaping DatafileDownloadCompletionHandler
    ) {
        completionHandler(.failure(.datafileDownloadFailed("there is no network")))
    }

    func startUpdates(sdkKey: String, datafileChangeNotification: ((Data) -> Void)?) {}
    func stopUpdates(sdkKey: String) {}
    func stopAllUpdates() {}
    func saveDatafile(sdkKey: String, dataFile: Data) {}
    func loadSavedDatafile(sdkKey: String) -> Data? { nil }
    func isDatafileSaved(sdkKey: String) -> Bool { false }
    func removeSavedDatafile(sdkKey: String) {}
}

/// Silences the client, so that the output of the tests stays readable.
final class SilentLogger: OPTLogger {
    static var logLevel: OptimizelyLogLevel {
        get { .off }
        set {}
    }

    init() {}
    func log(level: OptimizelyLogLevel, message: String) {}
}
