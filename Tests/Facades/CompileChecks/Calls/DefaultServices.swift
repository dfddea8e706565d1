import Foundation
import Optimizely

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// The default services, called and overridden member by member.

class CountingDispatcher: DefaultEventDispatcher {
    var count = 0

    override init(
        batchSize: Int = DefaultValues.batchSize, backingStore: DataStoreType = .file,
        dataStoreName: String = "OPTEventQueue", timerInterval: TimeInterval = DefaultValues.timeInterval,
        maxQueueSize: Int = DefaultValues.maxQueueSize
    ) {
        super.init(
            batchSize: batchSize, backingStore: backingStore, dataStoreName: dataStoreName,
            timerInterval: timerInterval, maxQueueSize: maxQueueSize)
    }

    override func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {
        count += 1
        super.dispatchEvent(event: event, completionHandler: completionHandler)
    }

    override func flushEvents() { super.flushEvents() }

    override func sendEvent(event: EventForDispatch, completionHandler: @escaping DispatchCompletionHandler) {
        super.sendEvent(event: event, completionHandler: completionHandler)
    }

    override func close() { super.close() }
}

class SignedDatafiles: DefaultDatafileHandler {
    required init() { super.init() }

    override func downloadDatafile(
        sdkKey: String, returnCacheIfNoChange: Bool, resourceTimeoutInterval: Double?,
        completionHandler: @escaping DatafileDownloadCompletionHandler
    ) {
        super.downloadDatafile(
            sdkKey: sdkKey, returnCacheIfNoChange: returnCacheIfNoChange,
            resourceTimeoutInterval: resourceTimeoutInterval, completionHandler: completionHandler)
    }

    override func getSession(resourceTimeoutInterval: Double?) -> URLSession {
        super.getSession(resourceTimeoutInterval: resourceTimeoutInterval)
    }

    override func getRequest(sdkKey: String) -> URLRequest? {
        var request = super.getRequest(sdkKey: sdkKey)
        request?.addValue("secret", forHTTPHeaderField: "Authorization")
        return request
    }

    override func getResponseData(sdkKey: String, response: HTTPURLResponse, url: URL?) -> Data? {
        super.getResponseData(sdkKey: sdkKey, response: response, url: url)
    }

    override func createDataStore(sdkKey: String) -> OPTDataStore { DataStoreFile<Data>(storeName: sdkKey) }
}

func defaultServices(_ event: EventForDispatch, _ data: Data) {
    print(DefaultEventDispatcher.DefaultValues.batchSize as Int)
    print(DefaultEventDispatcher.DefaultValues.timeInterval as TimeInterval)
    print(DefaultEventDispatcher.DefaultValues.maxQueueSize as Int)
    _ = DefaultEventDispatcher(timerInterval: 0)
    _ = DefaultEventDispatcher(
        batchSize: 10, backingStore: .memory, dataStoreName: "events", timerInterval: 60, maxQueueSize: 1000)
    let dispatcher: OPTEventDispatcher = CountingDispatcher()
    dispatcher.dispatchEvent(event: event, completionHandler: nil)
    dispatcher.dispatchEvent(event: event) { result in print(result) }
    dispatcher.flushEvents()
    dispatcher.close()
    DefaultEventDispatcher().sendEvent(event: event) { result in print(result) }

    let handler = DefaultDatafileHandler()
    handler.endPointStringFormat = "https://example.com/%@.json"
    handler.setPeriodicInterval(sdkKey: "key", interval: 300)
    print(handler.hasPeriodicInterval(sdkKey: "key"), handler.downloadDatafile(sdkKey: "key") as Data? as Any)
    handler.startUpdates(sdkKey: "key", datafileChangeNotification: nil)
    handler.startUpdates(sdkKey: "key") { data in print(data.count) }
    handler.stopUpdates(sdkKey: "key")
    handler.stopAllUpdates()
    handler.saveDatafile(sdkKey: "key", dataFile: data)
    print(handler.isDatafileSaved(sdkKey: "key"), handler.loadSavedDatafile(sdkKey: "key") as Any)
    handler.removeSavedDatafile(sdkKey: "key")
    let created: OPTDatafileHandler = SignedDatafiles()
    print(created.endPointStringFormat)
    handler.downloadDatafile(sdkKey: "key", returnCacheIfNoChange: true, resourceTimeoutInterval: 5) { result in
        if case .success(let data) = result { print(data?.count ?? 0) }
    }
}

class FixedSegments: OdpSegmentApiManager {
    override init(timeout: Int? = nil) { super.init(timeout: timeout) }

    override func fetchSegments(
        apiKey: String, apiHost: String, userKey: String, userValue: String, segmentsToCheck: [String],
        completionHandler: @escaping ([String]?, OptimizelyError?) -> Void
    ) {
        completionHandler(segmentsToCheck, nil)
        completionHandler(nil, .fetchSegmentsFailed("offline"))
    }

    override func getSession() -> URLSession { super.getSession() }
}

class OfflineEvents: OdpEventApiManager {
    override init(timeout: Int? = nil) { super.init(timeout: timeout) }
    override func getSession() -> URLSession { super.getSession() }
}

class RecordingEvents: OdpEventManager {
    var events: [OdpEvent] = []

    override init(sdkKey: String, apiManager: OdpEventApiManager? = nil, resourceTimeoutInSecs: Int? = nil) {
        super.init(sdkKey: sdkKey, apiManager: apiManager, resourceTimeoutInSecs: resourceTimeoutInSecs)
    }

    override func dispatch(_ event: OdpEvent) {
        events.append(event)
        super.dispatch(event)
    }
}

class Segments: OdpSegmentManager {
    override init(
        cacheSize: Int, cacheTimeoutInSecs: Int, apiManager: OdpSegmentApiManager? = nil,
        resourceTimeoutInSecs: Int? = nil
    ) {
        super.init(
            cacheSize: cacheSize, cacheTimeoutInSecs: cacheTimeoutInSecs, apiManager: apiManager,
            resourceTimeoutInSecs: resourceTimeoutInSecs)
    }
}

func segmentServices() throws {
    _ = OdpManager(sdkKey: "key", disable: true, cacheSize: 100, cacheTimeoutInSecs: 600)
    _ = OdpManager(
        sdkKey: "key", disable: false, vuid: "vuid_1", cacheSize: 100, cacheTimeoutInSecs: 600,
        timeoutForSegmentFetchInSecs: 10, timeoutForEventDispatchInSecs: 10,
        segmentManager: Segments(
            cacheSize: 100, cacheTimeoutInSecs: 600, apiManager: FixedSegments(timeout: 10), resourceTimeoutInSecs: 10),
        eventManager: RecordingEvents(sdkKey: "key", apiManager: OfflineEvents(timeout: 10), resourceTimeoutInSecs: 10))
    _ = OdpSegmentManager(cacheSize: 100, cacheTimeoutInSecs: 600)
    _ = OdpEventManager(sdkKey: "key")
    _ = (OdpSegmentApiManager(), OdpEventApiManager(), OdpSegmentApiManager().getSession())

    let event = OdpEvent(type: "app", action: "opened", identifiers: ["email": "a@b.c"], data: ["n": 1, "x": nil])
    let copy = try JSONDecoder().decode(OdpEvent.self, from: JSONEncoder().encode(event))
    print(event == copy, event.dict as [String: Any])

    VuidManager.shared.configure(enable: true)
    print(VuidManager.shared.vuid as String? as Any)
}
