/// A thread-safe list.
final class Collected<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }
    var count: Int { all.count }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// Records messages.
final class Messages: NSObject, OPTLYLogger {
    let logLevel: OptimizelyLogLevel
    private let collected = Collected<(level: OptimizelyLogLevel, text: String)>()

    init?(logLevel: OptimizelyLogLevel) { self.logLevel = logLevel }
    override init() { logLevel = .all }

    /// Keeps the message without the library and the key.
    func logMessage(_ message: String, with level: OptimizelyLogLevel) {
        collected.add((level, message.replacing(#/^OptimizelySDKCore( "[^"]*")?: /#, with: "")))
    }

    func texts(_ level: OptimizelyLogLevel) -> [String] { collected.all.filter { $0.level == level }.map(\.text) }
}

/// Records errors.
final class Errors: NSObject, OPTLYErrorHandlerProtocol {
    private let collected = Collected<Int>()

    func handleError(_ error: any Error) { collected.add((error as NSError).code) }

    #if canImport(ObjectiveC)
        func handle(_ exception: NSException) {}
    #endif

    /// The error codes.
    var codes: [Int] { collected.all }
}

/// Records events and other calls, in order.
final class Dispatched: NSObject, OPTLYEventDispatcher {
    struct Event: Sendable {
        let kind: String
        let payload: JSONValue
    }

    let journal = Collected<String>()
    private let collected = Collected<Event>()

    func dispatchImpressionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {
        add("impression", params)
    }

    func dispatchConversionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {
        add("conversion", params)
    }

    private func add(_ kind: String, _ params: [AnyHashable: Any]) {
        journal.add(kind)
        if let payload = JSONValue(params) { collected.add(Event(kind: kind, payload: payload)) }
    }

    var events: [Event] { collected.all }
    /// The only snapshot of the last event.
    var snapshot: JSONValue? { events.last?.payload["visitors"]?.elements.first?["snapshots"]?.elements.first }
}

/// A custom profile service in memory.
final class Profiles: NSObject, OPTLYUserProfileService {
    let journal = Collected<String>()
    private let table = Locked<[String: Kept]>([:])

    /// An untyped profile, which callers may pass between threads.
    private struct Kept: @unchecked Sendable { let profile: [AnyHashable: Any] }

    init(_ profiles: [String: [AnyHashable: Any]] = [:]) {
        let kept = profiles.mapValues { Kept(profile: $0) }
        table.withLock { $0 = kept }
    }

    func lookup(_ userId: String) -> [AnyHashable: Any]? {
        journal.add("lookup \(userId)")
        return table.withLock { $0[userId] }?.profile
    }

    func save(_ userProfile: [AnyHashable: Any]) {
        let user = userProfile["user_id"] as? String ?? ""
        journal.add("save \(user)")
        let kept = Kept(profile: userProfile)
        table.withLock { $0[user] = kept }
    }

    /// The id of the user's variation in an experiment.
    func variation(of user: String, in experiment: String) -> String? {
        let map = table.withLock { $0[user] }?.profile["experiment_bucket_map"] as? [String: [String: String]]
        return map?[experiment]?["variation_id"]
    }

    /// A profile with one assignment.
    static func profile(_ user: String, _ experiment: String, _ variation: Any) -> [AnyHashable: Any] {
        ["user_id": user, "experiment_bucket_map": [experiment: ["variation_id": variation]]]
    }
}

extension JSONValue {
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
}
