/// What happened, in order; shared by the services and listeners of one test.
final class Journal: Sendable {
    private let entries = Locked<[String]>([])
    var lines: [String] { entries.withLock { $0 } }
    func add(_ line: String) { entries.withLock { $0.append(line) } }
    func count(of line: String) -> Int { lines.count { $0 == line } }
}

/// A thread-safe counter.
final class Counter: Sendable {
    private let number = Locked(0)
    var value: Int { number.withLock { $0 } }
    func add(_ difference: Int = 1) { number.withLock { $0 += difference } }
}

/// A handler with scripted responses, which records its calls.
final class ScriptedHandler: OPTDatafileHandler, @unchecked Sendable {
    typealias Completion = DatafileDownloadCompletionHandler

    private let lock = NSRecursiveLock()
    private var script: (@escaping Completion) -> Void = { $0(.success(nil)) }
    private var cache: Data?
    private var intervals: [String: Int] = [:]
    private var listener: ((Data) -> Void)?
    let journal = Journal()
    var endPointStringFormat = ""

    init() {}

    convenience init(cache: Data? = nil, download: @escaping (@escaping Completion) -> Void) {
        self.init()
        self.cache = cache
        script = download
    }

    convenience init(cache: Data? = nil, downloads: OptimizelyResult<Data?>...) {
        self.init(cache: cache) { completion in for result in downloads { completion(result) } }
    }

    /// Reports a new datafile, as a polling handler does.
    func poll(_ datafile: Data) { lock.withLock { listener }?(datafile) }
    func respond(with script: @escaping (@escaping Completion) -> Void) { lock.withLock { self.script = script } }

    func setPeriodicInterval(sdkKey: String, interval: Int) {
        journal.add("interval \(interval)")
        lock.withLock { intervals[sdkKey] = interval }
    }
    func hasPeriodicInterval(sdkKey: String) -> Bool { lock.withLock { intervals[sdkKey] != nil } }
    func downloadDatafile(sdkKey: String) -> Data? { nil }
    func downloadDatafile(
        sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double?,
        completionHandler: @escaping Completion
    ) {
        let timeout = resourceTimeoutInterval.map { " \($0)" } ?? ""
        journal.add(returnCacheIfNoChange ? "download or cache\(timeout)" : "download\(timeout)")
        lock.withLock { script }(completionHandler)
    }
    func startUpdates(sdkKey: String, datafileChangeNotification: ((Data) -> Void)?) {
        journal.add("start updates")
        lock.withLock { listener = datafileChangeNotification }
    }
    func stopUpdates(sdkKey: String) {
        journal.add("stop updates")
        lock.withLock { listener = nil }
    }
    func stopAllUpdates() {}
    func saveDatafile(sdkKey: String, dataFile: Data) { lock.withLock { cache = dataFile } }
    func loadSavedDatafile(sdkKey: String) -> Data? { lock.withLock { cache } }
    func isDatafileSaved(sdkKey: String) -> Bool { lock.withLock { cache != nil } }
    func removeSavedDatafile(sdkKey: String) { lock.withLock { cache = nil } }
}

/// A dispatcher that keeps events, and calls a closure with each.
final class RecordingDispatcher: OPTEventDispatcher, @unchecked Sendable {
    private let lock = NSLock()
    private var kept: [EventForDispatch] = []
    let journal: Journal
    let action: (EventForDispatch) -> Void

    init(_ journal: Journal = Journal(), _ action: @escaping (EventForDispatch) -> Void = { _ in }) {
        self.journal = journal
        self.action = action
    }

    var events: [EventForDispatch] { lock.withLock { kept } }
    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {
        lock.withLock { kept.append(event) }
        journal.add("event")
        action(event)
        completionHandler?(.success(event.body))
    }
    func flushEvents() { journal.add("flush") }
    func close() { journal.add("close") }
}

/// A profile service that keeps profiles, and calls a closure on each call.
final class RecordingProfiles: OPTUserProfileService, @unchecked Sendable {
    private let lock = NSLock()
    private var table: [String: UPProfile] = [:]
    let journal = Journal()
    var onCall: () -> Void = {}
    var nonsense: UPProfile?

    func lookup(userId: String) -> UPProfile? {
        journal.add("lookup \(userId)")
        onCall()
        return nonsense ?? lock.withLock { table[userId] }
    }
    func save(userProfile: UPProfile) {
        journal.add("save \(userProfile["user_id"] ?? "no user")")
        onCall()
        if let user = userProfile["user_id"] as? String { lock.withLock { table[user] = userProfile } }
    }
    func assignments(of user: String) -> [String: String] {
        let map = lock.withLock { table[user]?["experiment_bucket_map"] } as? UPBucketMap ?? [:]
        return map.compactMapValues { $0["variation_id"] }
    }
    func assign(_ user: String, _ assignments: [String: String]) {
        let map = assignments.mapValues { ["variation_id": $0] }
        lock.withLock { table[user] = ["user_id": user, "experiment_bucket_map": map] }
    }
}

/// A logger as customers write it, with a lock around its state.
final class RecordingMessages: OPTLogger {
    private static let level = Locked(OptimizelyLogLevel.info)
    static var logLevel: OptimizelyLogLevel {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
    let journal = Journal()
    func log(level: OptimizelyLogLevel, message: String) { journal.add("\(level.name): \(message)") }
    func has(_ level: OptimizelyLogLevel, _ part: String? = nil) -> Bool {
        journal.lines.contains { $0.hasPrefix(level.name) && (part.map($0.contains) ?? true) }
    }
}

/// Logs nothing. A level would not do: only the first client of a process sets that of the default logger.
final class SilentLogger: OPTLogger {
    static var logLevel: OptimizelyLogLevel {
        get { .off }
        set {}
    }
    func log(level: OptimizelyLogLevel, message: String) {}
}

/// A client and its services.
struct TestSetup: @unchecked Sendable {
    let client: OptimizelyClient
    let logger = RecordingMessages()
    let dispatcher: RecordingDispatcher
    let handler: ScriptedHandler
    let profiles = RecordingProfiles()
    /// The calls of listeners and of the dispatcher.
    let journal = Journal()

    /// Creates a client; without a datafile it is not started.
    init(
        _ datafile: Data? = ShopDatafile.data, sdkKey: String = UUID().uuidString, handler: ScriptedHandler = .init(),
        interval: Int = 0, options: [OptimizelyDecideOption] = [], cmab: CmabConfig? = nil,
        environment: HostEnvironment = .withManualClock, onEvent: @escaping (EventForDispatch) -> Void = { _ in }
    ) throws {
        self.handler = handler
        let dispatcher = RecordingDispatcher(journal, onEvent)
        self.dispatcher = dispatcher
        let (logger, profiles) = (logger, profiles)
        client = HostEnvironment.$override.withValue(environment) {
            OptimizelyClient(
                sdkKey: sdkKey, logger: logger, eventDispatcher: dispatcher, datafileHandler: handler,
                userProfileService: profiles, periodicDownloadInterval: interval, defaultDecideOptions: options,
                cmabConfig: cmab)
        }
        if let datafile { try client.start(datafile: datafile, doFetchDatafileBackground: false) }
    }

    /// The center to which listeners are added.
    var center: any OPTNotificationCenter { client.notificationCenter ?? DefaultNotificationCenter() }

    func user(_ id: String = "ada", _ attributes: [String: Any]? = nil) -> OptimizelyUserContext {
        client.createUserContext(userId: id, attributes: attributes)
    }

    /// Waits until all events are dispatched and all listeners are called.
    func settle() { client.close() }

    /// The object `visitors[0]` of each event.
    func visitors() -> [[String: Any]] {
        settle()
        return dispatcher.events.map { event in
            let json = (try? JSONSerialization.jsonObject(with: event.body)) as? [String: Any]
            return (json?["visitors"] as? [[String: Any]])?.first ?? [:]
        }
    }

    var revision: String? { try? client.getOptimizelyConfig().revision }
}

extension HostEnvironment {
    /// An environment with a manual clock, so that nothing is late on a busy machine.
    static var withManualClock: HostEnvironment {
        var environment = HostEnvironment()
        environment.clock = ManualClock()
        return environment
    }
}

/// The description of an `OptimizelyError`.
func reason(_ body: () throws -> Void) -> String? {
    do { try body() } catch let error as OptimizelyError { return error.errorDescription } catch { return "\(error)" }
    return nil
}
