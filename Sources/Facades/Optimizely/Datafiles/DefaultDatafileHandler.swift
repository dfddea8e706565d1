public import Foundation
package import TurnoutClient

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Gets datafiles over the network, keeps copies in files, and asks for newer ones at intervals.
///
/// May be used from any number of threads at once. Subclasses may replace the request, the session, the reading of an
/// answer, and the stores of copies.
open class DefaultDatafileHandler: OPTDatafileHandler {
    struct State {
        var endPoint: String?
        var accessToken: String?
        var prefersHigherRevision = false
        var minimumInterval = 120
        var transport: (any Transport)?
        var random: any RandomSource = .system
        var polling = DatafilePolling()
        /// The keys whose last download failed, and how long the server wants to be left alone.
        var failures: [String: DownloadFailure] = [:]
        /// The contents of answers that are being read, in case they could not be written to a file.
        var bodies: [ObjectIdentifier: Data] = [:]
    }

    let state = Locked(State())
    let cache = DatafileCache()
    let switchableLog = SwitchableLog()
    /// What an address carries as it is; a key may come from anywhere.
    private static let plainCharacters = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")

    /// Creates a handler.
    public required init() {}

    /// The address of datafiles; `%@` stands for the SDK key. Takes effect with the next request. Default: the
    /// vendor's, that of authenticated datafiles if there is a ``datafileAccessToken``.
    public var endPointStringFormat: String {
        get { state.withLock { $0.endPoint ?? Self.standardEndPoint(isAuthenticated: $0.accessToken != nil) } }
        set { state.withLock { $0.endPoint = newValue } }
    }

    private static func standardEndPoint(isAuthenticated: Bool) -> String {
        isAuthenticated
            ? "https://config.optimizely.com/datafiles/auth/%@.json"
            : "https://cdn.optimizely.com/datafiles/%@.json"
    }

    /// The token for authenticated datafiles, sent as `Authorization: Bearer …`. Takes effect with the next request.
    /// Default: none.
    public var datafileAccessToken: String? {
        get { state.withLock { $0.accessToken } }
        set { state.withLock { $0.accessToken = newValue } }
    }

    /// Whether a client that starts with a datafile at hand prefers it to the kept copy if it has a higher revision of
    /// the same project, as after an update of the program. Default: false, the kept copy goes first.
    public var prefersHigherRevision: Bool {
        get { state.withLock { $0.prefersHigherRevision } }
        set { state.withLock { $0.prefersHigherRevision = newValue } }
    }

    /// The shortest polling interval, in seconds; a shorter one becomes this one, with a warning. For whoever runs the
    /// server of the datafiles. Default: 120.
    public var minimumPollingInterval: Int {
        get { state.withLock { $0.minimumInterval } }
        set { state.withLock { $0.minimumInterval = newValue } }
    }

    /// The network. Default: none, every download fails.
    package var transport: (any Transport)? {
        get { state.withLock { $0.transport } }
        set { state.withLock { $0.transport = newValue } }
    }

    /// Where the chance in polling comes from. Default: the system.
    package var random: any RandomSource {
        get { state.withLock { $0.random } }
        set { state.withLock { $0.random = newValue } }
    }

    /// Where the handler reports. Default: the standard error output.
    package var log: any Log {
        get { switchableLog.target }
        set { switchableLog.target = newValue }
    }

    // MARK: Downloads

    /// Gets the newest datafile, and waits for it, until the network gives up.
    ///
    /// - Returns: The datafile, the kept copy if the network failed, or nil: it has not changed, or there is none.
    public func downloadDatafile(sdkKey: String) -> Data? {
        let outcome = Outcome()
        let done = DispatchSemaphore(value: 0)
        // An override may answer twice, or never.
        let answer = SingleAnswer<Data?> { result in
            if case .success(let data) = result { outcome.data.withLock { $0 = data } }
            done.signal()
        }
        download(sdkKey, answer)
        done.wait()
        return outcome.data.withLock { $0 }
    }

    /// Apart from the caller, which would keep the answer while it waits for it.
    private func download(_ sdkKey: String, _ answer: consuming SingleAnswer<Data?>) {
        let answer = answer
        downloadDatafile(sdkKey: sdkKey, returnCacheIfNoChange: false, resourceTimeoutInterval: nil) { result in
            answer.give { result }
        }
    }

    private final class Outcome: Sendable {
        let data = Locked<Data?>(nil)
    }

    /// Gets the newest datafile. A server that was asked before is only asked for changes.
    ///
    /// If it cannot be had, the outcome is the kept copy. A datafile that can be used replaces the kept copy.
    ///
    /// - Parameters:
    ///   - sdkKey: Which one.
    ///   - returnCacheIfNoChange: Whether the outcome is the kept copy, rather than nil, if there is no change.
    ///   - resourceTimeoutInterval: The longest time it may take, in seconds; nil, zero or less: the request's, which
    ///     is 60 seconds unless ``getRequest(sdkKey:)`` says otherwise.
    ///   - completionHandler: Takes the outcome, once, on a thread of its own.
    open func downloadDatafile(
        sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double?,
        completionHandler: @escaping DatafileDownloadCompletionHandler
    ) {
        let call = Handed((handler: self, completion: completionHandler))
        BlockingCall.start {
            let (handler, completion) = call.value
            handler.send(sdkKey, within: resourceTimeoutInterval) { reply in
                completion(handler.result(of: reply, sdkKey, returnCacheIfNoChange))
            }
        }
    }

    /// The session that datafiles are downloaded with, if a subclass brings one; it is ended after the download. The
    /// standard implementation stands for the client's own network.
    open func getSession(resourceTimeoutInterval: Double?) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        if let limit = resourceTimeoutInterval, limit > 0 { configuration.timeoutIntervalForResource = limit }
        let session = URLSession(configuration: configuration)
        session.sessionDescription = Self.standardSession
        return session
    }

    /// What the standard session is recognised by.
    static let standardSession = "turnout.datafiles"

    /// The request for a datafile, or nil: there is no address for the key. The keys `.` and `..` have none.
    open func getRequest(sdkKey: String) -> URLRequest? {
        // Dots alone lead to another folder, escaped or not.
        guard sdkKey != ".", sdkKey != ".." else { return nil }
        let key = sdkKey.addingPercentEncoding(withAllowedCharacters: Self.plainCharacters) ?? sdkKey
        let address = endPointStringFormat.replacingOccurrences(of: "%@", with: key)
        guard !sdkKey.isEmpty, let url = URL(string: address), url.scheme != nil else { return nil }
        var request = URLRequest(url: url)
        if let token = datafileAccessToken { request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization") }
        guard let kept = record(sdkKey), kept.lastModified != nil || kept.entityTag != nil else { return request }
        // Of a copy that nobody can use, "no change" is no help.
        guard kept.project != nil else { return request }
        if let date = kept.lastModified { request.setValue(date, forHTTPHeaderField: "If-Modified-Since") }
        if let tag = kept.entityTag { request.setValue(tag, forHTTPHeaderField: "If-None-Match") }
        return request
    }

    /// Reads an answer of status 200.
    ///
    /// - Parameters:
    ///   - sdkKey: Which one.
    ///   - response: The answer's head.
    ///   - url: The file with the answer's content, which is gone afterwards.
    /// - Returns: The datafile, or nil: the content is not JSON.
    open func getResponseData(sdkKey: String, response: HTTPURLResponse, url: URL?) -> Data? {
        let body = state.withLock { $0.bodies[ObjectIdentifier(response)] }
        guard let data = body ?? url.flatMap({ try? Data(contentsOf: $0) }) else { return nil }
        switch try? JSONValue(parsing: Array(data)) {
        case .object, .array: return data
        default: return nil
        }
    }

    // MARK: Copies

    /// The store for the copy of a datafile; called once for each key. Values are `Data`, keys are SDK keys.
    open func createDataStore(sdkKey: String) -> any OPTDataStore {
        DataStoreFile<Data>(storeName: sdkKey)
    }

    /// Keeps a copy of a datafile, whatever it contains.
    public func saveDatafile(sdkKey: String, dataFile: Data) { save(DatafileRecord(body: dataFile), sdkKey) }

    /// The copy that is kept, or nil: there is none.
    public func loadSavedDatafile(sdkKey: String) -> Data? { record(sdkKey)?.body }

    /// Whether a copy is kept.
    public func isDatafileSaved(sdkKey: String) -> Bool { record(sdkKey) != nil }

    /// Forgets the copy.
    public func removeSavedDatafile(sdkKey: String) { cache.remove(sdkKey, createDataStore) }

    func record(_ sdkKey: String) -> DatafileRecord? { cache.record(sdkKey, createDataStore) }

    func save(_ record: DatafileRecord, _ sdkKey: String) { cache.save(record, sdkKey, createDataStore) }

    // MARK: Polling

    /// Says how often to ask for newer datafiles. Only the first call for a key counts, until ``stopUpdates(sdkKey:)``.
    ///
    /// Each time is up to a tenth shorter or longer by chance, but no shorter than ``minimumPollingInterval``. One
    /// failure changes nothing, each further one in a row doubles the time, up to an hour, and it is no shorter than
    /// the server asks for; the first success ends that.
    ///
    /// - Parameters:
    ///   - sdkKey: Which one.
    ///   - interval: In seconds. Less than ``minimumPollingInterval`` becomes that; zero or less: not at all.
    public func setPeriodicInterval(sdkKey: String, interval: Int) { setInterval(interval, sdkKey) }

    /// Whether an interval was set.
    public func hasPeriodicInterval(sdkKey: String) -> Bool {
        state.withLock { $0.polling.interval(of: sdkKey) } != nil
    }

    /// Asks for newer datafiles at intervals, the first time after one of them. Does nothing if no interval was set, or
    /// if this has begun already.
    ///
    /// - Parameters:
    ///   - sdkKey: Which one.
    ///   - datafileChangeNotification: Takes every datafile that was got, changed or not. Kept until the updates stop.
    public func startUpdates(sdkKey: String, datafileChangeNotification: ((Data) -> Void)?) {
        start(sdkKey, Handed(datafileChangeNotification))
    }

    /// No longer asks for newer datafiles of a key, and forgets its interval.
    public func stopUpdates(sdkKey: String) {
        _ = state.withLock { $0.polling.stop(sdkKey) }
    }

    /// No longer asks for newer datafiles, and forgets all intervals.
    public func stopAllUpdates() {
        _ = state.withLock { $0.polling.stopAll() }
    }
}
