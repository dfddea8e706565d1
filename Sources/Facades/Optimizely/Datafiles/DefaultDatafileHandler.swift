public import Foundation
public import TurnoutClient

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Downloads datafiles, caches them in files, and polls for new ones.
///
/// May be used from any number of threads at once. Subclasses may override the request, the session, the parsing of a
/// response, and the stores for cached datafiles.
open class DefaultDatafileHandler: OPTDatafileHandler {
    struct State {
        var endPoint: String?
        var accessToken: String?
        var prefersHigherRevision = false
        var minimumInterval = standardMinimumInterval
        var directory: URL?
        var transport: (any Transport)?
        var random: any RandomSource = .system
        var clock: any Clock<Duration> = .continuous
        /// The polling of each SDK key that has an interval.
        var polls: [String: DatafilePoll] = [:]
        var runCount = 0
        /// The stores for cached datafiles, which are created on first use.
        var stores: [String: UncheckedSendable<any OPTDataStore>] = [:]
        /// The downloads that failed since a poll began, by key. Apart from `outcomes`, which polls do not reset.
        var failures: [String: DownloadFailure] = [:]
        /// The outcome of the last download by key.
        var outcomes: [String: DatafileOutcome] = [:]
        var monitors: [String: DatafileMonitor] = [:]
        /// The bodies of responses that are being read, in case they could not be written to a file.
        var bodies: [ObjectIdentifier: Data] = [:]
        /// The parsed datafiles by SDK key, until updates of the key are stopped. Limited, because callers may download
        /// datafiles of any number of keys.
        var memos = LRUCache<String, DatafileMemo>(capacity: 16, lifetime: nil)
    }

    /// Two minutes, as the vendor's documentation states.
    package static let standardMinimumInterval = 120

    let state = Locked(State())
    let switchableLog = SwitchableLog()
    /// Characters that stay unescaped in a URL; SDK keys are untrusted.
    private static let plainCharacters = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")

    /// Creates a handler.
    public required init() {}

    /// The URL format for datafiles; `%@` stands for the SDK key. Takes effect with the next request. Default: the
    /// vendor's URL, or the one for authenticated datafiles if there is a ``datafileAccessToken``.
    public var endPointStringFormat: String {
        get {
            state.withLock {
                $0.endPoint ?? HTTPDatafileOptions.standardAddress(isAuthenticated: $0.accessToken != nil)
            }
        }
        set { state.withLock { $0.endPoint = newValue } }
    }

    /// The access token for authenticated datafiles, sent as `Authorization: Bearer …`. Takes effect with the next
    /// request. Default: nil.
    public var datafileAccessToken: String? {
        get { state.withLock { $0.accessToken } }
        set { state.withLock { $0.accessToken = newValue } }
    }

    /// Whether a client that starts with a bundled datafile prefers it to the cached one if it has a higher revision of
    /// the same project, as after an update of the program. Default: false, the cached datafile takes precedence.
    public var prefersHigherRevision: Bool {
        get { state.withLock { $0.prefersHigherRevision } }
        set { state.withLock { $0.prefersHigherRevision = newValue } }
    }

    /// The directory of cached datafiles, each in a file of its own. Set it before the handler is used. Default: nil,
    /// the folder `datafiles` in this program's folder, which its processes share under one user account; copies that
    /// earlier versions and the vendor's client cached beside it are moved there.
    public var cacheDirectory: URL? {
        get { state.withLock { $0.directory } }
        set { state.withLock { $0.directory = newValue } }
    }

    /// The minimum polling interval, in seconds. A shorter interval is raised to the minimum, with a warning. Lower it
    /// only for your own datafile server. Default: 120.
    public var minimumPollingInterval: Int {
        get { state.withLock { $0.minimumInterval } }
        set { state.withLock { $0.minimumInterval = newValue } }
    }

    /// The transport for downloads. Default: nil, every download fails.
    package var transport: (any Transport)? {
        get { state.withLock { $0.transport } }
        set { state.withLock { $0.transport = newValue } }
    }

    /// The source of randomness for polling jitter. Default: the system.
    package var random: any RandomSource {
        get { state.withLock { $0.random } }
        set { state.withLock { $0.random = newValue } }
    }

    /// Measures polling intervals. Default: the system's clock.
    package var clock: any Clock<Duration> {
        get { state.withLock { $0.clock } }
        set { state.withLock { $0.clock = newValue } }
    }

    /// The log. Default: standard error.
    package var log: any Log {
        get { switchableLog.target }
        set { switchableLog.target = newValue }
    }

    // MARK: Downloads

    /// Downloads the datafile and blocks the thread until the download succeeds or fails.
    ///
    /// - Returns: The datafile, the cached copy if the download failed, or nil if the datafile has not changed or there
    ///   is none.
    public func downloadDatafile(sdkKey: String) -> Data? {
        let outcome = OneShot<Data?>()
        // An override may call the completion twice, or never.
        download(
            sdkKey,
            OnceCallback { result in
                if case .success(let data) = result { outcome.end(data) } else { outcome.end(nil) }
            })
        return outcome.blockingValue() ?? nil
    }

    /// A separate method, because the caller would retain the completion while it waits for it.
    func download(_ sdkKey: String, _ callback: consuming OnceCallback<Data?>) {
        let callback = callback
        downloadDatafile(sdkKey: sdkKey, returnCacheIfNoChange: false, resourceTimeoutInterval: nil) { result in
            callback.give { result }
        }
    }

    /// Downloads the datafile. If a copy with validators is cached, the request is conditional.
    ///
    /// If the download fails, the result is the cached copy. A usable datafile of the same project replaces the cached
    /// copy.
    ///
    /// - Parameters:
    ///   - sdkKey: The SDK key.
    ///   - returnCacheIfNoChange: Whether the result is the cached copy, rather than nil, if the datafile has not
    ///     changed.
    ///   - resourceTimeoutInterval: The time limit in seconds; nil, zero or less means the request's timeout, which is
    ///     60 seconds unless ``getRequest(sdkKey:)`` sets another.
    ///   - completionHandler: Called once, with the result, on a separate thread.
    open func downloadDatafile(
        sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double?,
        completionHandler: @escaping DatafileDownloadCompletionHandler
    ) {
        let call = UncheckedSendable((handler: self, completion: completionHandler))
        BlockingCall.start {
            let (handler, completion) = call.value
            handler.send(sdkKey, within: resourceTimeoutInterval) { reply in
                completion(handler.result(of: reply, sdkKey, returnCacheIfNoChange))
            }
        }
    }

    /// Returns the session that downloads a datafile; it is invalidated after the download. The standard implementation
    /// returns a placeholder for the client's own network.
    open func getSession(resourceTimeoutInterval: Double?) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        if let limit = resourceTimeoutInterval, limit > 0 { configuration.timeoutIntervalForResource = limit }
        let session = URLSession(configuration: configuration)
        session.sessionDescription = Self.standardSession
        return session
    }

    /// The description that identifies the standard session.
    static let standardSession = "turnout.datafiles"

    /// Returns the request for a datafile, or nil if there is no valid URL for the key. The keys `.` and `..` have
    /// none.
    open func getRequest(sdkKey: String) -> URLRequest? {
        // `.` and `..` change the URL's path, even escaped.
        guard sdkKey != ".", sdkKey != ".." else { return nil }
        let key = sdkKey.addingPercentEncoding(withAllowedCharacters: Self.plainCharacters) ?? sdkKey
        let address = endPointStringFormat.replacingOccurrences(of: "%@", with: key)
        guard !sdkKey.isEmpty, let url = URL(string: address), url.scheme != nil else { return nil }
        var request = URLRequest(url: url)
        if let token = datafileAccessToken { request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization") }
        for (name, value) in documents(sdkKey).current?.copy.conditions ?? [:] {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    /// Reads a response with status 200.
    ///
    /// - Parameters:
    ///   - sdkKey: The SDK key.
    ///   - response: The response's status and headers.
    ///   - url: The file with the response's body, which is deleted afterwards.
    /// - Returns: The datafile, or nil if the body is not JSON.
    open func getResponseData(sdkKey: String, response: HTTPURLResponse, url: URL?) -> Data? {
        let body = state.withLock { $0.bodies[ObjectIdentifier(response)] }
        guard let data = body ?? url.flatMap({ try? Data(contentsOf: $0) }) else { return nil }
        if (try? memo(sdkKey).project(of: data)) != nil { return data }
        switch try? JSONValue(parsing: Array(data)) {
        case .object, .array: return data
        default: return nil
        }
    }

    /// The outcome of the last download for a key. Use it to tell a current datafile from a stale copy, which stays in
    /// use after a refused or failed download.
    ///
    /// For subclasses that override the download itself, it stays `fromCache`.
    public func lastOutcome(sdkKey: String) -> DatafileOutcome { state.withLock { $0.outcomes[sdkKey] } ?? .fromCache }

    /// Records the requests for a key.
    func monitor(_ sdkKey: String) -> DatafileMonitor {
        state.withLock { state in
            if let known = state.monitors[sdkKey] { return known }
            let new = DatafileMonitor(clock: state.clock, wallClock: .system, log: .silent)
            state.monitors[sdkKey] = new
            return new
        }
    }

    /// Parses the datafiles of a key, for this handler and its clients.
    package func memo(_ sdkKey: String) -> DatafileMemo {
        state.withLock { state in
            if let known = state.memos.value(for: sdkKey, at: .zero) { return known }
            let new = DatafileMemo()
            state.memos.save(new, for: sdkKey, at: .zero)
            return new
        }
    }

    // MARK: Cached datafiles

    /// Creates the store for a cached datafile; called once for each key. Values are `Data`, keys are SDK keys.
    open func createDataStore(sdkKey: String) -> any OPTDataStore {
        let directory = cacheDirectory ?? StoreDirectory.ofThisProgram.appending(path: "datafiles")
        let store = DataStoreFile<Data>(storeName: sdkKey, directory: directory)
        guard cacheDirectory == nil else { return store }
        let earlier = DataStoreFile<Data>(storeName: sdkKey).url
        do { try store.takeOver(earlier) } catch {
            log.failure(
                .warning, "the cached datafile in \(earlier.deletingLastPathComponent().path) is not used", error)
        }
        return store
    }

    /// Caches a datafile without checking it.
    public func saveDatafile(sdkKey: String, dataFile: Data) {
        try? copies.keep(DatafileCopy(datafile: Array(dataFile)), for: sdkKey)
    }

    /// The cached datafile, or nil if there is none.
    public func loadSavedDatafile(sdkKey: String) -> Data? {
        (try? copies.copy(for: sdkKey)).map { Data($0.datafile) }
    }

    /// Whether a datafile is cached.
    public func isDatafileSaved(sdkKey: String) -> Bool {
        // Does not read a file's contents.
        if let file = try? copies.store(for: sdkKey) as? DataStoreFile<Data> { return file.size > 0 }
        return loadSavedDatafile(sdkKey: sdkKey) != nil
    }

    /// Removes the cached datafile.
    public func removeSavedDatafile(sdkKey: String) { try? copies.forget(sdkKey) }

    /// The cached datafiles.
    var copies: HandlerCache { HandlerCache(handler: UncheckedSendable(self)) }

    /// The store for a key. No lock is held while it is created, because an override may do that.
    ///
    /// - Throws: An error for an empty key: all clients without a key would share the datafile.
    fileprivate func store(for sdkKey: String) throws -> any OPTDataStore {
        guard !sdkKey.isEmpty else { throw DatafileSourceError.misconfigured("the SDK key is empty") }
        if let known = state.withLock({ $0.stores[sdkKey] }) { return known.value }
        let new = UncheckedSendable(createDataStore(sdkKey: sdkKey))
        return state.withLock { state in
            if let known = state.stores[sdkKey] { return known }
            state.stores[sdkKey] = new
            return new
        }.value
    }

    // MARK: Polling

    /// Sets the polling interval. Only the first call for a key counts, until ``stopUpdates(sdkKey:)``.
    ///
    /// Each interval varies randomly by up to a tenth, but is never shorter than ``minimumPollingInterval``. The first
    /// failure changes nothing; each further consecutive failure doubles the interval, up to an hour, and it is never
    /// shorter than the server asks for. The first success restores the interval.
    ///
    /// - Parameters:
    ///   - sdkKey: The SDK key.
    ///   - interval: The interval in seconds. Less than ``minimumPollingInterval`` is raised to that; zero or less sets
    ///     no interval.
    public func setPeriodicInterval(sdkKey: String, interval: Int) { setInterval(interval, sdkKey) }

    /// Whether a polling interval is set.
    public func hasPeriodicInterval(sdkKey: String) -> Bool {
        state.withLock { $0.polls[sdkKey] } != nil
    }

    /// Starts polling; the first request follows after one interval. Does nothing if no interval is set or polling has
    /// started already.
    ///
    /// - Parameters:
    ///   - sdkKey: The SDK key.
    ///   - datafileChangeNotification: Receives every downloaded datafile, and the cached one after a failed download,
    ///     changed or not. Retained until polling stops.
    public func startUpdates(sdkKey: String, datafileChangeNotification: ((Data) -> Void)?) {
        start(sdkKey, UncheckedSendable(datafileChangeNotification))
    }

    /// Stops polling for a key and removes its interval.
    public func stopUpdates(sdkKey: String) {
        let stopped = state.withLock { state in
            state.memos.remove(sdkKey)
            return state.polls.removeValue(forKey: sdkKey)
        }
        stopped?.timer?.cancel()
        monitor(sdkKey).nextPoll(after: nil)
    }

    /// Stops polling for all keys and removes their intervals.
    public func stopAllUpdates() {
        let stopped = state.withLock { state in
            state.memos.removeAll()
            defer { state.polls = [:] }
            return state.polls.values.map { $0 }
        }
        for poll in stopped { poll.timer?.cancel() }
        for monitor in state.withLock({ Array($0.monitors.values) }) { monitor.nextPoll(after: nil) }
    }
}

/// The cached datafiles of a handler, in the stores that it creates.
struct HandlerCache: DataStoreCache {
    let handler: UncheckedSendable<DefaultDatafileHandler>

    func store(for key: String) throws -> any OPTDataStore { try handler.value.store(for: key) }
}
