import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// From the request to the result that the caller receives.

extension DefaultDatafileHandler {
    /// Sends the request for a datafile. `body` is called on a thread that may block.
    func send(_ sdkKey: String, within limit: Double?, then body: @escaping (DatafileReply?) -> Void) {
        guard let request = getRequest(sdkKey: sdkKey) else { return body(nil) }
        if type(of: self) != DefaultDatafileHandler.self {
            let session = getSession(resourceTimeoutInterval: limit)
            if session.sessionDescription != Self.standardSession {
                return DatafileExchange.reply(to: request, through: session, then: body)
            }
            session.invalidateAndCancel()
        }
        let call = UncheckedSendable((request: request, transport: transport, body: body))
        // Not on the shared thread pool: blocking downloads may occupy all of its threads.
        Task(executorPreference: DispatchExecutor.blockingCallers) {
            let (request, transport, body) = call.value
            let reply = await DatafileExchange.reply(to: request, through: transport, within: limit)
            let end = UncheckedSendable((reply: reply, body: body))
            // Callbacks may block.
            BlockingCall.start { end.value.body(end.value.reply) }
        }
    }

    /// The result of a download; a nil reply means that no URL could be built for the request.
    func result(of reply: DatafileReply?, _ sdkKey: String, _ returnsCache: Bool) -> OptimizelyResult<Data?> {
        switch reply {
        case nil:
            fail(sdkKey, DatafileSourceError.misconfigured("the SDK key or endPointStringFormat gives no address"))
            return kept(sdkKey, or: .datafileDownloadFailed("no address for the SDK key"))
        case .failed(let error):
            fail(sdkKey, error)
            return kept(sdkKey, or: .datafileDownloadFailed(error.hint))
        case .foreign:
            fail(sdkKey, DownloadError(text: "the datafile server's response is not HTTP"))
            return .failure(.generic)
        case .response(let response, let file, let body):
            defer { if body != nil, let file { try? FileManager.default.removeItem(at: file) } }
            return result(of: response, file, body, sdkKey, returnsCache)
        }
    }

    private func result(
        of response: HTTPURLResponse, _ file: URL?, _ body: Data?, _ sdkKey: String, _ returnsCache: Bool
    ) -> OptimizelyResult<Data?> {
        let error: any PrintableError
        switch response.statusCode {
        case 200:
            // Before the new datafile displaces an earlier one from the memo.
            let kept = record(sdkKey).flatMap { try? memo(sdkKey).project(of: $0.body) }
            if let data = read(response, file, body, sdkKey) {
                keep(data, response, sdkKey, replacing: kept)
                return .success(data)
            }
            error = DownloadError(text: "the datafile server responded with 200, but not with JSON")
        case 304:
            succeed(sdkKey, .unchanged)
            log(.debug, "datafile: not modified")
            guard returnsCache else { return .success(nil) }
            return kept(sdkKey, or: .datafileLoadingFailed("\(DatafileSourceError.unexpectedNotModified)"))
        case let status:
            let headers = ["retry-after", "date"].compactMap { name in
                response.value(forHTTPHeaderField: name).map { (name, $0) }
            }
            let retryAfter = HTTPResponse(status: status, headers: .init(uniqueKeysWithValues: headers)).retryAfter
            error = DatafileSourceError.status(status, retryAfter: retryAfter)
        }
        fail(sdkKey, error)
        return kept(sdkKey, or: .datafileLoadingFailed("\(error)"))
    }

    // MARK: Outcomes

    private func succeed(_ sdkKey: String, _ outcome: DatafileOutcome) {
        state.withLock {
            $0.failures[sdkKey] = nil
            $0.outcomes[sdkKey] = outcome
        }
        if case .fresh = outcome {
            monitor(sdkKey).requestEnded(.changed)
        } else {
            monitor(sdkKey).requestEnded(.unchanged)
        }
    }

    private func fail(_ sdkKey: String, _ error: any Error) {
        state.withLock {
            $0.failures[sdkKey] = DownloadFailure(retryAfter: (error as? DatafileSourceError)?.retryAfter)
            $0.outcomes[sdkKey] = .failed(error)
        }
        monitor(sdkKey).requestEnded(.failed(DownloadError(text: error.logText)))
        // Expected if there is no network.
        log(
            transport == nil ? .info : .warning,
            "datafile: \(error.logText); the cached copy is used, if there is one")
        if !(error is any PrintableError) { log(.debug, "datafile: \(error)") }
    }

    private func kept(_ sdkKey: String, or error: OptimizelyError) -> OptimizelyResult<Data?> {
        loadSavedDatafile(sdkKey: sdkKey).map { .success($0) } ?? .failure(error)
    }

    private func read(_ response: HTTPURLResponse, _ file: URL?, _ body: Data?, _ sdkKey: String) -> Data? {
        let id = ObjectIdentifier(response)
        if let body { state.withLock { $0.bodies[id] = body } }
        defer { state.withLock { $0.bodies[id] = nil } }
        return getResponseData(sdkKey: sdkKey, response: response, url: file)
    }

    /// Replaces the cached datafile if the new one is usable: valid JSON is not necessarily a datafile, and it may
    /// belong to another project or SDK key.
    private func keep(_ data: Data, _ response: HTTPURLResponse, _ sdkKey: String, replacing kept: Project?) {
        let project: Project
        do throws(DatafileError) {
            project = try memo(sdkKey).project(of: data)
        } catch { return fail(sdkKey, DatafileSourceError.datafile(error)) }
        succeed(sdkKey, .fresh)
        if let named = project.sdkKey, !named.isEmpty, named != sdkKey {
            let error = DatafileSourceError.otherKey(named, expected: sdkKey)
            return log(.warning, "datafile: \(error); it is used, but not cached")
        }
        if let kept, kept.projectID != project.projectID {
            let error = DatafileSourceError.otherProject(project.projectID, kept: kept.projectID)
            return log(.warning, "datafile: \(error). It is used, but not cached")
        }
        let record = DatafileRecord(
            body: data, lastModified: response.value(forHTTPHeaderField: "Last-Modified"),
            entityTag: response.value(forHTTPHeaderField: "ETag"))
        save(record, sdkKey)
    }
}

/// A failed download: the server was unreachable or its response was unusable.
struct DownloadFailure {
    /// The back-off that the server asks for, or nil if it does not specify one.
    var retryAfter: Duration?
}

/// Why a download failed, in words without personal data.
struct DownloadError: PrintableError {
    let text: String
    var description: String { text }
}

extension Error {
    /// The cause in a thrown ``OptimizelyError``: as much detail as possible, because only the caller sees it.
    fileprivate var hint: String { self is any PrintableError ? logText : (self as NSError).localizedDescription }
}
