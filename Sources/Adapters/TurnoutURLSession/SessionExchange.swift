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
