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
            let documents = documents(sdkKey)
            // Before the new datafile displaces an earlier one from the memo.
            _ = documents.current
            if let data = read(response, file, body, sdkKey) {
                accept(DatafileCopy(response.received(Array(data))), documents, sdkKey)
                return .success(data)
            }
            error = DownloadError(text: "the datafile server responded with 200, but not with JSON")
        case 304:
            succeed(sdkKey, .unchanged)
            log(.debug, "datafile: not modified")
            guard returnsCache else { return .success(nil) }
            return kept(sdkKey, or: .datafileLoadingFailed("\(DatafileSourceError.unexpectedNotModified)"))
        case let status:
            error = DatafileSourceError.status(status, retryAfter: response.received().retryAfter)
        }
        fail(sdkKey, error)
        return kept(sdkKey, or: .datafileLoadingFailed("\(error)"))
    }

    /// What reads and keeps the datafiles of a key, by the rules of the client's own source. For one request only: a
    /// program may replace or remove the copy between two.
    func documents(_ sdkKey: String) -> DocumentFetcher<Project> {
        var options = HTTPDatafileOptions()
        options.maximumSize = .max
        let memo = memo(sdkKey)
        let kind = DocumentFetcher<Project>.Kind.datafile(sdkKey, options) { bytes throws(DatafileError) in
            try memo.project(of: Data(bytes))
        }
        // Silent, because an unusable copy is only replaced.
        return DocumentFetcher(kind, cache: copies, key: sdkKey, log: .silent)
    }

    /// Replaces the cached datafile if the new one is usable: valid JSON is not necessarily a datafile, and it may
    /// belong to another project or SDK key.
    private func accept(_ copy: DatafileCopy, _ documents: DocumentFetcher<Project>, _ sdkKey: String) {
        do {
            _ = try documents.accept(copy)
            succeed(sdkKey, .fresh)
        } catch DatafileSourceError.datafile(let error) {
            fail(sdkKey, DatafileSourceError.datafile(error))
        } catch {
            succeed(sdkKey, .fresh)
            log(.warning, "datafile: \(error.logText). It is used, but not cached")
        }
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
}

extension HTTPURLResponse {
    /// The response with the headers that are read, and a body.
    fileprivate func received(_ body: [UInt8] = []) -> HTTPResponse {
        let headers = ["retry-after", "date", "last-modified", "etag"].compactMap { name in
            value(forHTTPHeaderField: name).map { (name, $0) }
        }
        return HTTPResponse(status: statusCode, headers: .init(uniqueKeysWithValues: headers), body: body)
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

/// The outcome of a request for a datafile.
enum DatafileReply {
    /// There was no response, because of this error.
    case failed(any Error)
    /// The response is not HTTP.
    case foreign
    /// There was a response, with its body in a file if it could be written.
    case response(HTTPURLResponse, file: URL?, body: Data?)
}

/// Sends requests for datafiles, through the client's transport or a `URLSession` of a subclass.
enum DatafileExchange {
    /// Sends the request through a transport.
    static func reply(
        to request: URLRequest, through transport: (any Transport)?, within limit: Double?
    ) async -> DatafileReply {
        guard let transport else { return .failed(DownloadError(text: "no network transport")) }
        guard let url = request.url else { return .failed(DownloadError(text: "the request has no address")) }
        let seconds = limit.flatMap { $0 > 0 ? $0 : nil } ?? request.timeoutInterval
        let wanted = HTTPRequest(
            request.httpMethod == "POST" ? .post : .get, url.absoluteString,
            headers: request.allHTTPHeaderFields ?? [:], body: Array(request.httpBody ?? Data()),
            deadline: .seconds(min(max(seconds, 0), 604_800)))
        do {
            let received = try await transport.send(wanted)
            guard
                let response = HTTPURLResponse(
                    url: url, statusCode: received.status, httpVersion: "HTTP/1.1", headerFields: received.headers)
            else { return .foreign }
            guard received.status == 200 else { return .response(response, file: nil, body: nil) }
            let body = Data(received.body)
            return .response(response, file: temporaryFile(body), body: body)
        } catch {
            return .failed(error)
        }
    }

    /// Sends the request through a session that an override created, and invalidates the session.
    static func reply(
        to request: URLRequest, through session: URLSession, then body: @escaping (DatafileReply) -> Void
    ) {
        // As in 5.4.2: overrides create a session for each call.
        defer { if session !== URLSession.shared { session.finishTasksAndInvalidate() } }
        let host = request.url?.host() ?? ""
        do { try SystemTimers.prepareForRequest(to: host) } catch { return body(.failed(error)) }
        let done = UncheckedSendable(body)
        let limit = ResponseLimit(bytes: TransportOptions().maximumResponseSize)
        let sent = Locked<URLSessionTask?>(nil)
        let task = session.downloadTask(with: request) { file, response, error in
            let size = try? file?.resourceValues(forKeys: [.fileSizeKey]).fileSize
            let isTooLarge = sent.withLock { $0.take() }.map(limit.isExceeded) ?? false
            if isTooLarge || size ?? 0 > limit.bytes { return done.value(.failed(limit.error(host))) }
            if let error { return done.value(.failed(error)) }
            guard let response = response as? HTTPURLResponse else { return done.value(.foreign) }
            done.value(.response(response, file: file, body: nil))
        }
        sent.withLock { $0 = task }
        task.resume()
        limit.enforce(on: task)
    }

    /// A file for ``DefaultDatafileHandler/getResponseData(sdkKey:response:url:)``, or nil if it cannot be written.
    private static func temporaryFile(_ body: Data) -> URL? {
        let manager = FileManager.default
        let file = manager.temporaryDirectory.appendingPathComponent("turnout-" + UUID().uuidString)
        let written = manager.createFile(atPath: file.path, contents: body, attributes: [.posixPermissions: 0o600])
        return written ? file : nil
    }
}
