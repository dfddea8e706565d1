public import Foundation

/// Receives the result of a download: the datafile, nil if it has not changed, or the error.
public typealias DatafileDownloadCompletionHandler = (OptimizelyResult<Data?>) -> Void

/// A service that downloads datafiles, caches them, and polls for new ones.
///
/// State is kept separately for each SDK key. The client calls a handler from any thread, for several keys and at the
/// same time; clients with one SDK key share a handler.
///
/// A client calls these methods:
///
/// - when it is created, ``setPeriodicInterval(sdkKey:interval:)``, if it has an interval;
/// - when it starts, ``loadSavedDatafile(sdkKey:)`` and the download with a completion handler, then
///   ``startUpdates(sdkKey:datafileChangeNotification:)``;
/// - when it finds that a cached datafile is unusable, ``removeSavedDatafile(sdkKey:)``: the next response would
///   otherwise only be "not modified";
/// - when it closes, ``stopUpdates(sdkKey:)``.
///
/// The other methods are for the program. Caching is the handler's own task: a client never calls
/// ``saveDatafile(sdkKey:dataFile:)``. Failures are passed to the completion handler; the other methods cannot fail.
/// ``DefaultDatafileHandler`` is the standard handler, and subclasses may replace single steps.
public protocol OPTDatafileHandler {
    /// Creates a handler.
    init()

    /// The URL format for datafiles; `%@` stands for the SDK key.
    var endPointStringFormat: String { get set }

    /// Sets the polling interval, in seconds. Only the first call for a key counts, until ``stopUpdates(sdkKey:)``.
    func setPeriodicInterval(sdkKey: String, interval: Int)

    /// Whether a polling interval is set.
    func hasPeriodicInterval(sdkKey: String) -> Bool

    /// Downloads the datafile and blocks the thread until then.
    ///
    /// - Returns: The datafile, or nil if it has not changed or is not available.
    func downloadDatafile(sdkKey: String) -> Data?

    /// Downloads the datafile.
    ///
    /// - Parameters:
    ///   - sdkKey: The SDK key.
    ///   - returnCacheIfNoChange: Whether the result is the cached copy, rather than nil, if the datafile has not
    ///     changed.
    ///   - resourceTimeoutInterval: The time limit in seconds; nil, zero or less means the handler's default.
    ///   - completionHandler: To be called once, with the result, on any thread. Further calls are ignored.
    func downloadDatafile(
        sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double?,
        completionHandler: @escaping DatafileDownloadCompletionHandler)

    /// Starts polling, if an interval is set and polling has not started yet.
    ///
    /// - Parameters:
    ///   - sdkKey: The SDK key.
    ///   - datafileChangeNotification: Receives every downloaded datafile, changed or not. Retained until polling
    ///     stops.
    func startUpdates(sdkKey: String, datafileChangeNotification: ((Data) -> Void)?)

    /// Stops polling for a key and removes its interval.
    func stopUpdates(sdkKey: String)

    /// Stops polling for all keys and removes their intervals.
    func stopAllUpdates()

    /// Caches a datafile.
    func saveDatafile(sdkKey: String, dataFile: Data)

    /// The cached datafile, or nil if there is none.
    func loadSavedDatafile(sdkKey: String) -> Data?

    /// Whether a datafile is cached.
    func isDatafileSaved(sdkKey: String) -> Bool

    /// Removes the cached datafile.
    func removeSavedDatafile(sdkKey: String)
}
