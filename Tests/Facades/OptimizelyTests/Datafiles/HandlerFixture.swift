/// A datafile without flags.
func emptyDatafile(revision: String) -> Data {
    Data(
        """
        {"version":"4","accountId":"1","projectId":"2","revision":"\(revision)","anonymizeIP":true,"attributes":[],
        "events":[],"audiences":[],"groups":[],"rollouts":[],"featureFlags":[],"experiments":[]}
        """.utf8)
}

/// An in-memory data store.
final class MemoryStore: OPTDataStore {
    private let item = Locked<Data?>(nil)
    func getItem(forKey: String) -> Any? { item.withLock { $0 } }
    func saveItem(forKey: String, value: Any) { item.withLock { [data = value as? Data] in $0 = data } }
    func removeItem(forKey: String) { item.withLock { $0 = nil } }
}

/// The default handler with in-memory copies. Counts the calls of the factory method.
class MemoryHandler: DefaultDatafileHandler {
    let storeCount = Locked(0)
    override func createDataStore(sdkKey: String) -> any OPTDataStore {
        storeCount.withLock { $0 += 1 }
        return MemoryStore()
    }
}

/// The outcome of a download, in a comparable form.
enum DownloadOutcome: Equatable {
    case datafile(Data)
    case noChange
    case downloadFailed(String)
    case loadingFailed(String)
    case otherFailure

    init(_ result: OptimizelyResult<Data?>) {
        switch result {
        case .success(let data?): self = .datafile(data)
        case .success(nil): self = .noChange
        case .failure(.datafileDownloadFailed(let hint)): self = .downloadFailed(hint)
        case .failure(.datafileLoadingFailed(let hint)): self = .loadingFailed(hint)
        case .failure: self = .otherFailure
        }
    }
}

extension DefaultDatafileHandler {
    /// Downloads, and waits for the outcome.
    func download(
        _ sdkKey: String = "key", returnsCache: Bool = false, timeout: Double? = nil
    ) async -> DownloadOutcome {
        await withCheckedContinuation { continuation in
            downloadDatafile(
                sdkKey: sdkKey, returnCacheIfNoChange: returnsCache, resourceTimeoutInterval: timeout
            ) { continuation.resume(returning: DownloadOutcome($0)) }
        }
    }

    /// A handler with a network that always gives one response.
    convenience init(response: HTTPResponse) {
        self.init()
        transport = MemoryTransport { _ in response }
        log = .silent
    }
}
