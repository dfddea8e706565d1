/// A handler without datafiles.
class NoDatafiles: OPTDatafileHandler {
    required init() {}

    var endPointStringFormat: String {
        get { "" }
        // swift-format-ignore
        set {}
    }

    func setPeriodicInterval(sdkKey: String, interval: Int) {}
    func hasPeriodicInterval(sdkKey: String) -> Bool { false }
    func downloadDatafile(sdkKey: String) -> Data? { nil }
    func downloadDatafile(
        sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double?,
        completionHandler: @escaping DatafileDownloadCompletionHandler
    ) { completionHandler(.success(nil)) }
    func startUpdates(sdkKey: String, datafileChangeNotification: ((Data) -> Void)?) {}
    func stopUpdates(sdkKey: String) {}
    func stopAllUpdates() {}
    func saveDatafile(sdkKey: String, dataFile: Data) {}
    func loadSavedDatafile(sdkKey: String) -> Data? { nil }
    func isDatafileSaved(sdkKey: String) -> Bool { false }
    func removeSavedDatafile(sdkKey: String) {}
}
