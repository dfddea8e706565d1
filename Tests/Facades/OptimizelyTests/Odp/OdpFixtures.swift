/// Small datafiles with a data platform.
enum OdpDatafile {
    enum Gap { case host, key }

    static func project(
        integration: String? = "odp", segments: [String] = ["loyal", "new"], without gap: Gap? = nil
    ) throws -> Project {
        let audiences = segments.enumerated().map { number, segment in
            #"{"id":"\#(number)","name":"a\#(number)","conditions":["or",{"type":"third_party_dimension","#
                + #""name":"odp.audiences","match":"qualified","value":"\#(segment)"}]}"#
        }
        let host = gap == .host ? "" : #","host":"https://platform.test""#
        let key = gap == .key ? "" : #","publicKey":"public-key""#
        let integrations = integration.map { #"{"key":"\#($0)"\#(host)\#(key)}"# } ?? ""
        let text = """
            {"version":"4","accountId":"1","projectId":"2","revision":"3","experiments":[],"groups":[],"rollouts":[],
             "featureFlags":[],"attributes":[],"events":[],"audiences":[],"anonymizeIP":false,"variables":[],
             "typedAudiences":[\(audiences.joined(separator: ","))],"integrations":[\(integrations)]}
            """
        return try Project(datafile: Array(text.utf8))
    }
}

extension OdpManager {
    /// Closes the manager as a client does, and waits.
    func close() {
        let done = DispatchGroup()
        close(within: .seconds(30), done)
        done.wait()
    }
}

/// Records events instead of sending them.
final class RecordingEventManager: OdpEventManager {
    private let recorded = Locked<[OdpEvent]>([])

    var events: [OdpEvent] { recorded.withLock { $0 } }

    override func dispatch(_ event: OdpEvent) { recorded.withLock { $0.append(event) } }
}

/// Completes fetches itself, each twice and with segments that were not requested, as faulty code may.
final class ScriptedSegmentApi: OdpSegmentApiManager {
    private let recorded = Locked<(requests: [[String]], failure: OptimizelyError?)>((requests: [], failure: nil))

    var requests: [[String]] { recorded.withLock { $0.requests } }

    var failure: OptimizelyError? {
        get { recorded.withLock { $0.failure } }
        set { recorded.withLock { $0.failure = newValue } }
    }

    override func fetchSegments(
        apiKey: String, apiHost: String, userKey: String, userValue: String, segmentsToCheck: [String],
        completionHandler: @escaping ([String]?, OptimizelyError?) -> Void
    ) {
        let failure = recorded.withLock { state in
            state.requests.append([apiKey, apiHost, userKey, userValue] + segmentsToCheck)
            return state.failure
        }
        completionHandler(failure == nil ? ["other", "loyal", "loyal"] : nil, failure)
        completionHandler(nil, .fetchSegmentsFailed("again"))
    }
}

/// The outcome of a fetch.
enum FetchOutcome: Equatable {
    case segments([String])
    case failed(String)
}

func fetch(
    _ manager: OdpManager, _ options: [OptimizelySegmentOption] = [], user: String = "ada"
) async -> FetchOutcome {
    await withCheckedContinuation { continuation in
        manager.fetchQualifiedSegments(userId: user, options: options) { segments, error in
            continuation.resume(returning: error.map { .failed(name(of: $0)) } ?? .segments(segments ?? []))
        }
    }
}

/// Fetches as the blocking call does. Returns whether the fetch completed.
func fetchBlocking(_ manager: OdpManager, user: String) -> Bool {
    let done = DispatchSemaphore(value: 0)
    manager.fetchQualifiedSegments(userId: user, options: []) { _, _ in done.signal() }
    return done.wait(timeout: .now() + 20) == .success
}

/// The case of an error, without its message.
func name(of error: any Error) -> String {
    switch error as? OptimizelyError {
    case .invalidSegmentIdentifier: "invalidSegmentIdentifier"
    case .fetchSegmentsFailed(let hint): #"fetchSegmentsFailed("\#(hint)")"#
    case .odpEventFailed: "odpEventFailed"
    case .odpNotIntegrated: "odpNotIntegrated"
    case .odpNotEnabled: "odpNotEnabled"
    case .odpInvalidData: "odpInvalidData"
    case .odpInvalidAction: "odpInvalidAction"
    default: "another error"
    }
}
