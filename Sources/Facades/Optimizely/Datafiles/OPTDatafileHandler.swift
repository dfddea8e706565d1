public import Foundation

/// Takes the outcome of a download: the datafile, nil if it has not changed, or why there is none.
public typealias DatafileDownloadCompletionHandler = (OptimizelyResult<Data?>) -> Void

/// Gets datafiles, keeps copies of them, and asks for newer ones by itself.
///
/// Everything is by SDK key; called from any thread.
public protocol OPTDatafileHandler {
    /// Creates a handler.
    init()

    /// The address of datafiles; `%@` stands for the SDK key.
    var endPointStringFormat: String { get set }

    /// Says how often to ask for newer datafiles, in seconds. Only the first call for a key counts, until
    /// ``stopUpdates(sdkKey:)``.
    func setPeriodicInterval(sdkKey: String, interval: Int)

    /// Whether an interval was set.
    func hasPeriodicInterval(sdkKey: String) -> Bool

    /// Gets the newest datafile, and waits for it.
    ///
    /// - Returns: The datafile, or nil: it has not changed, or it cannot be had.
    func downloadDatafile(sdkKey: String) -> Data?

    /// Gets the newest datafile.
    ///
    /// - Parameters:
    ///   - sdkKey: Which one.
    ///   - returnCacheIfNoChange: Whether the outcome is the kept copy, rather than nil, if there is no change.
    ///   - resourceTimeoutInterval: The longest time it may take, in seconds; nil, zero or less: the handler's default.
    ///   - completionHandler: Takes the outcome, once, on any thread.
    func downloadDatafile(
        sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double?,
        completionHandler: @escaping DatafileDownloadCompletionHandler)

    /// Starts asking for newer datafiles, if an interval was set and this has not begun yet.
    ///
    /// - Parameters:
    ///   - sdkKey: Which one.
    ///   - datafileChangeNotification: Takes every datafile that was got, changed or not. Kept until the updates stop.
    func startUpdates(sdkKey: String, datafileChangeNotification: ((Data) -> Void)?)

    /// No longer asks for newer datafiles of a key, and forgets its interval.
    func stopUpdates(sdkKey: String)

    /// No longer asks for newer datafiles, and forgets all intervals.
    func stopAllUpdates()

    /// Keeps a copy of a datafile.
    func saveDatafile(sdkKey: String, dataFile: Data)

    /// The copy that is kept, or nil: there is none.
    func loadSavedDatafile(sdkKey: String) -> Data?

    /// Whether a copy is kept.
    func isDatafileSaved(sdkKey: String) -> Bool

    /// Forgets the copy.
    func removeSavedDatafile(sdkKey: String)
}
