import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
///
/// Not a `DocumentFetcher`, which makes the request, reads the response and keeps the copy itself, and lets callers
/// share a request. Here each of these steps is a method that a subclass may override, and each call has its own
/// request (decision record 18).
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
