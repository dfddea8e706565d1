import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// From a request to the outcome that the caller gets.

extension DefaultDatafileHandler {
    /// Sends the request for a datafile. `body` is called on a thread that may wait.
    func send(_ sdkKey: String, within limit: Double?, then body: @escaping (DatafileReply?) -> Void) {
        guard let request = getRequest(sdkKey: sdkKey) else { return body(nil) }
        if type(of: self) != DefaultDatafileHandler.self {
            let session = getSession(resourceTimeoutInterval: limit)
            if session.sessionDescription != Self.standardSession {
                return DatafileDownload.reply(to: request, through: session, then: body)
            }
            session.invalidateAndCancel()
        }
        let call = Handed((request: request, transport: transport, body: body))
        // Not on shared threads: a blocking download may stand on the last one.
        Task(executorPreference: DispatchExecutor.waitedFor) {
            let (request, transport, body) = call.value
            let reply = await DatafileDownload.reply(to: request, through: transport, within: limit)
            let end = Handed((reply: reply, body: body))
            // Call backs may wait for something.
            BlockingCall.start { end.value.body(end.value.reply) }
        }
    }

    /// The outcome of a download; nil: there was no address for the request.
    func result(of reply: DatafileReply?, _ sdkKey: String, _ returnsCache: Bool) -> OptimizelyResult<Data?> {
        let failure = reply.flatMap { DownloadFailure($0) }
        state.withLock { $0.failures[sdkKey] = failure }
        switch reply {
        case nil:
            log(.warning, "datafile: there is no address for the SDK key")
            return kept(sdkKey, or: .datafileDownloadFailed("no address for the SDK key"))
        case .failed(let hint):
            // Without a network this is no news. What a transport says may name an address with the key in it.
            log(transport == nil ? .info : .warning, "datafile: the download failed")
            log(.debug, "datafile: \(hint)")
            return kept(sdkKey, or: .datafileDownloadFailed(hint))
        case .foreign:
            return .failure(.generic)
        case .answer(let response, let file, let body):
            defer { if body != nil, let file { try? FileManager.default.removeItem(at: file) } }
            return result(of: response, file, body, sdkKey, returnsCache)
        }
    }

    private func result(
        of response: HTTPURLResponse, _ file: URL?, _ body: Data?, _ sdkKey: String, _ returnsCache: Bool
    ) -> OptimizelyResult<Data?> {
        switch response.statusCode {
        case 200:
            if let data = read(response, file, body, sdkKey) {
                keep(data, response, sdkKey)
                return .success(data)
            }
            state.withLock { $0.failures[sdkKey] = DownloadFailure() }
            log(.warning, "datafile: the answer is not JSON")
        case 304:
            log(.debug, "datafile: no change")
            if !returnsCache { return .success(nil) }
        case let status:
            log(.warning, "datafile: answer \(status)")
        }
        return kept(sdkKey, or: .datafileLoadingFailed(sdkKey))
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

    /// Replaces the copy, unless nobody could start with the new one: JSON is not yet a datafile, and that of another
    /// project is not what the key is for.
    private func keep(_ data: Data, _ response: HTTPURLResponse, _ sdkKey: String) {
        let project: Project
        do throws(DatafileError) {
            project = try Project(datafile: Array(data))
        } catch {
            state.withLock { $0.failures[sdkKey] = DownloadFailure() }
            return log(.warning, "datafile: the new one cannot be used and is not kept: \(error)")
        }
        if let named = project.sdkKey, !named.isEmpty, named != sdkKey {
            return log(.warning, "datafile: the new one is of another SDK key and is not kept")
        }
        if let kept = record(sdkKey)?.project, kept.projectID != project.projectID {
            return log(
                .warning,
                "datafile: the new one is of project \(project.projectID), not \(kept.projectID), and is not kept")
        }
        let record = DatafileRecord(
            body: data, lastModified: response.value(forHTTPHeaderField: "Last-Modified"),
            entityTag: response.value(forHTTPHeaderField: "ETag"))
        save(record, sdkKey)
    }
}

/// That a server could not be asked or gave no usable answer.
struct DownloadFailure {
    /// How long the server wants to be left alone, or nil: it does not say.
    var retryAfter: Duration?

    /// A failure that says nothing more.
    init() {}

    /// The failure that a reply is, or nil: it is none.
    init?(_ reply: DatafileReply) {
        guard case .answer(let response, _, _) = reply else { return }
        guard response.statusCode != 200, response.statusCode != 304 else { return nil }
        let headers = response.value(forHTTPHeaderField: "Retry-After").map { ["retry-after": $0] } ?? [:]
        retryAfter = HTTPResponse(status: response.statusCode, headers: headers).retryAfter
    }
}
