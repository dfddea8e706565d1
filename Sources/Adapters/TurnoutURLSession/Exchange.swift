import Dispatch
import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way, and its answer as it arrives. Whatever comes first ends it: the whole answer, an error, the
/// deadline, or the end of the task that waits.
final class Exchange: Sendable {
    private struct State {
        var isOver = false
        /// Whether it began anew because a connection that had been open for long broke.
        var isRepeated = false
        var continuation: CheckedContinuation<HTTPResponse, any Error>?
        var task: URLSessionTask?
        var timer: (any DispatchSourceTimer)?
        var body: [UInt8] = []
    }

    private let request: PreparedRequest
    private let state = Locked(State())

    init(_ request: PreparedRequest) { self.request = request }

    /// Sends the request.
    func begin(_ continuation: CheckedContinuation<HTTPResponse, any Error>) {
        let isCancelled = state.withLock { state in
            guard !state.isOver else { return true }
            state.continuation = continuation
            state.timer = deadlineTimer()
            return false
        }
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        SharedSession.current.send(request.urlRequest, for: self)
    }

    /// Takes the task that sends the request. False if it is over already.
    func take(_ task: URLSessionTask) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.task = task
            return true
        }
    }

    // Apart from the threads of Swift's tasks: the deadline must also be kept when callers block all of those.
    private static let deadlines = DispatchQueue(label: "turnout.transport.deadlines")

    // Not a sleeping task, because a cancelled one is kept until its time is over.
    private func deadlineTimer() -> sending any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: Self.deadlines)
        timer.schedule(deadline: .now() + .nanoseconds(request.deadline.wholeNanoseconds))
        timer.setEventHandler { @Sendable [self] in
            end(.failure(TransportError(.deadlineExceeded, "no complete answer within \(request.deadline)")))
        }
        timer.activate()
        return timer
    }

    /// Ends it, unless it is over.
    func end(_ result: Result<HTTPResponse, any Error>) {
        let (continuation, task) = state.withLock { state in
            let waiting = (state.continuation, state.task)
            state.timer?.cancel()
            state = State(isOver: true)
            return waiting
        }
        continuation?.resume(with: result)
        if let task { SharedSession.current.forget(task) }
    }

    // MARK: - What the session reports

    /// The head of the answer is there.
    func received(_ response: URLResponse) {
        guard let length = AnswerHead(response)?.length else { return }
        guard length <= request.maximumResponseSize else { return end(.failure(tooLarge)) }
        state.withLock { $0.body.reserveCapacity(length) }
    }

    /// A piece of the body is there, decompressed.
    func received(_ data: Data) {
        let isTooLarge = state.withLock { state in
            guard !state.isOver else { return false }
            guard data.count <= request.maximumResponseSize - state.body.count else { return true }
            state.body.append(contentsOf: data)
            return false
        }
        if isTooLarge { end(.failure(tooLarge)) }
    }

    /// The connection was closed as the request was sent, as servers close those that have been idle for long.
    ///
    /// Sent once more, on a connection that is new or fails for a better reason.
    func lostConnection() {
        let repeats = state.withLock { state in
            guard !state.isOver, !state.isRepeated else { return false }
            state.isRepeated = true
            state.task = nil
            state.body = []
            return true
        }
        guard repeats else { return end(.failure(TransportError(.unreachable, "the connection was closed"))) }
        SharedSession.current.send(request.urlRequest, for: self)
    }

    /// The session is done with it.
    func completed(_ response: URLResponse?, _ error: (any Error)?) {
        if let error { return end(.failure(TransportError(session: error))) }
        guard let head = response.flatMap(AnswerHead.init), head.isFinal else {
            return end(.failure(TransportError(.unreachable, "what came is not an answer")))
        }
        let body = state.withLock { $0.body }
        // On Linux, an unreadable length is no length to the session, and the answer ends where it ends.
        guard !head.tellsLength || head.length == body.count else {
            return end(.failure(TransportError(.unreachable, "the answer broke off")))
        }
        end(.success(HTTPResponse(status: head.status, headers: head.headers, body: body)))
    }

    private var tooLarge: TransportError {
        TransportError(.tooLarge, "the answer is larger than \(request.maximumResponseSize) bytes")
    }
}
