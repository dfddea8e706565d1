import Dispatch
import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A pending request and its response. It ends with the complete response, an error, the deadline, or the cancellation
/// of the waiting task, whichever comes first.
final class SessionExchange: Sendable {
    private struct State {
        var isOver = false
        /// Whether the request was repeated because an idle connection had broken.
        var isRepeated = false
        var task: URLSessionTask?
        var timer: (any DispatchSourceTimer)?
        var body: [UInt8] = []
    }

    private let request: PreparedRequest
    /// Receives the body of a stream; nil if the response is collected.
    private let body: BodyWriter?
    private let session: SharedSession
    /// The response; that of a stream has no body.
    private let result = OneShot<Result<HTTPResponse, any Error>>()
    private let state = Locked(State())

    init(_ request: PreparedRequest, body: BodyWriter? = nil) {
        self.request = request
        self.body = body
        session = body == nil ? .current : .streams
    }

    /// Sends the request, and waits for the response, or for the head of a stream.
    func response() async throws -> HTTPResponse {
        let isCancelled = state.withLock { state in
            guard !state.isOver else { return true }
            state.timer = deadlineTimer()
            return false
        }
        if !isCancelled { session.send(request.urlRequest, for: self) }
        guard let result = await result.value() else { throw CancellationError() }
        return try result.get()
    }

    /// Sets the task that sends the request. Returns false if the exchange is over.
    func take(_ task: URLSessionTask) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.task = task
            return true
        }
    }

    // Not a sleeping task, because a canceled one is retained until its time has passed.
    private func deadlineTimer() -> sending any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: session.deadlines)
        timer.schedule(deadline: .now() + .nanoseconds(request.deadline.wholeNanoseconds))
        timer.setEventHandler { @Sendable [self] in
            end(
                .failure(
                    TransportError(
                        .deadlineExceeded,
                        "no complete response from \(request.host) within \(request.deadline.logText)")))
        }
        timer.activate()
        return timer
    }

    /// Ends the exchange, unless it is over.
    func end(_ result: Result<HTTPResponse, any Error>) {
        let task = state.withLock { state in
            let task = state.task
            state.timer?.cancel()
            state = State(isOver: true)
            return task
        }
        // The error goes to the caller, or after the head of a stream to the reader of the body.
        if !self.result.end(result), case .failure(let error) = result {
            body?.end(throwing: error)
        } else {
            body?.end()
        }
        if let task { session.forget(task) }
    }

    // MARK: - What the session reports

    /// The head of the response has arrived.
    func received(_ response: URLResponse) {
        guard let head = ResponseHead(response) else { return }
        if body != nil, head.isFinal { return receivedHead(of: head) }
        guard let length = head.length else { return }
        guard length <= request.maximumResponseSize else { return end(.failure(tooLarge)) }
        state.withLock { $0.body.reserveCapacity(length) }
    }

    /// The head of a stream has arrived: its deadline is over, and the body follows.
    private func receivedHead(of head: ResponseHead) {
        state.withLock { _ = $0.timer?.cancel() }
        result.end(.success(HTTPResponse(status: head.status, headers: head.headers)))
    }

    /// A decompressed piece of the body has arrived.
    func received(_ data: Data) {
        if let body {
            do throws(TransportError) { _ = try body.add(Array(data), from: request.host[...]) } catch {
                end(.failure(error))
            }
            return
        }
        let isTooLarge = state.withLock { state in
            guard !state.isOver else { return false }
            guard data.count <= request.maximumResponseSize - state.body.count else { return true }
            state.body.append(contentsOf: data)
            return false
        }
        if isTooLarge { end(.failure(tooLarge)) }
    }

    /// The connection was closed while the request was sent, as servers do with idle connections.
    ///
    /// Sends the request once more, on a new connection.
    func lostConnection() {
        let isAwaited = !result.isEnded
        let repeats = state.withLock { state in
            guard isAwaited, !state.isOver, !state.isRepeated else { return false }
            state.isRepeated = true
            state.task = nil
            state.body = []
            return true
        }
        guard repeats else {
            return end(.failure(TransportError(.unreachable, "\(request.host) closed the connection")))
        }
        session.send(request.urlRequest, for: self)
    }

    /// The session has completed the task.
    func completed(_ response: URLResponse?, _ error: (any Error)?) {
        if let error { return end(.failure(TransportError(session: error, from: request.host))) }
        guard let head = response.flatMap(ResponseHead.init), head.isFinal else {
            return end(
                .failure(TransportError(.unreachable, "what \(request.host) sent is not an HTTP response")))
        }
        if self.body != nil {
            // On Linux the session does not report the heads of some responses, such as redirects, before their end.
            receivedHead(of: head)
            return end(.success(HTTPResponse(status: head.status, headers: head.headers)))
        }
        let body = state.withLock { $0.body }
        // On Linux the session ignores an invalid length, and accepts a response of any length.
        guard !head.tellsLength || head.length == body.count else {
            return end(
                .failure(TransportError(.unreachable, "the response from \(request.host) broke off")))
        }
        end(.success(HTTPResponse(status: head.status, headers: head.headers, body: body)))
    }

    private var tooLarge: TransportError {
        TransportError(
            .tooLarge,
            "the body of the response from \(request.host) is larger than \(request.maximumResponseSize) bytes")
    }
}

/// The head of a response.
struct ResponseHead {
    let status: Int
    let headers: [String: String]

    /// Returns nil if it is not an HTTP response.
    init?(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return nil }
        status = response.statusCode
        var headers: [String: String] = [:]
        for case (let name as String, let value as String) in response.allHeaderFields {
            headers[name.lowercased()] = value
        }
        self.headers = headers
    }

    /// Whether the response is final: a status below 200 is interim.
    var isFinal: Bool { status >= 200 }

    /// Whether the head contains the length of the body that will arrive.
    ///
    /// It does not if the body is chunked or compressed. The heads of 204 and 304 may contain the length of a body that
    /// is not sent, and the session withholds the body of some redirects.
    var tellsLength: Bool {
        isFinal && status != 204 && !(300..<400).contains(status) && headers["transfer-encoding"] == nil
            && ["", "identity"].contains(headers["content-encoding"]?.lowercased() ?? "")
            && headers["content-length"] != nil
    }

    /// The number of bytes in the body, or nil if ``tellsLength`` is false or the value is invalid.
    var length: Int? {
        tellsLength ? headers["content-length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } : nil
    }
}

extension TransportError {
    /// Converts a session's error. Its messages are omitted because they contain the address.
    init(session error: any Error, from host: String) {
        guard let error = error as? URLError else {
            self.init(.unreachable, "the request to \(host) failed for an unknown reason (\(type(of: error)))")
            return
        }
        switch error.code {
        case .timedOut: self.init(.deadlineExceeded, "no response from \(host) for too long")
        // The address was valid. Linux reports a response in another protocol in this way.
        case .unsupportedURL, .badServerResponse, .cannotParseResponse:
            self.init(.unreachable, "what \(host) sent is not an HTTP response, or it broke off")
        case .cannotFindHost, .dnsLookupFailed: self.init(.unreachable, "host \(host) not found")
        case .cannotConnectToHost: self.init(.unreachable, "no connection to \(host): connection refused")
        case .notConnectedToInternet: self.init(.unreachable, "no connection to \(host): no network")
        case .networkConnectionLost:
            self.init(.unreachable, "the connection to \(host) broke before the response was complete")
        default:
            let text =
                Self.certificateText(error.code, host) ?? Self.certificateText(linux: error, host)
                ?? Self.proxyText(linux: error, host)
            self.init(
                .unreachable,
                text ?? "the request to \(host) failed; the system's error is URLError \(error.code.rawValue)")
        }
    }

    private static func certificateText(_ code: URLError.Code, _ host: String) -> String? {
        switch code {
        case .secureConnectionFailed:
            "no secure connection to \(host): the TLS handshake failed or its certificate is not trusted"
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            "the certificate of \(host) is refused: its authority is not trusted here; add it to the system's "
                + "certificates"
        case .serverCertificateHasBadDate: "the certificate of \(host) is refused: it has expired"
        case .serverCertificateNotYetValid:
            "the certificate of \(host) is refused: it is not valid yet; is the clock right?"
        case .clientCertificateRejected, .clientCertificateRequired:
            "\(host) wants a client certificate, which is not supported"
        default: nil
        }
    }

    /// On Linux a proxy's refusal has no code of its own. Among libcurl's messages, which depend on its version, only
    /// these contain the word.
    private static func proxyText(linux error: URLError, _ host: String) -> String? {
        let words = error.localizedDescription.split(separator: " ")
        guard words.contains("CONNECT"), let status = words.lazy.compactMap({ Int($0) }).first else { return nil }
        return "the proxy that the environment names refused to connect to \(host) with status \(status)"
    }

    /// On Linux all certificate errors have one code, with messages of libcurl that contain no addresses.
    private static func certificateText(linux error: URLError, _ host: String) -> String? {
        let cause = "SSL certificate problem: "
        let text = error.localizedDescription
        if text.hasPrefix(cause) {
            return "the certificate of \(host) is refused: \(text.dropFirst(cause.count)); add an authority of your "
                + "own to the system's certificates"
        }
        guard text.hasPrefix("SSL: ") else { return nil }
        return "the certificate of \(host) is refused: it is for another host, or not trusted"
    }
}
