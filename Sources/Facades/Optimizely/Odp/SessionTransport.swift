import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with the sessions of an override of `getSession()`, for certificate pinning or a proxy. The session
/// handles certificates and redirects.
struct SessionTransport: Transport {
    /// The transport that is used if the method is not overridden.
    let standard: (any Transport)?
    let options: TransportOptions
    /// Creates the session for one request.
    let makeSession: UncheckedSendable<() -> URLSession>

    /// The description that identifies standard sessions.
    static let standardSession = "turnout.odp"

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try request.check(options)
        let session = UncheckedSendable(makeSession.value())
        // As in the vendor's client: overrides create a session for each call.
        defer { if session.value !== URLSession.shared { session.value.finishTasksAndInvalidate() } }
        guard session.value.sessionDescription != Self.standardSession else {
            guard let standard else { throw TransportError(.unreachable, "no network transport") }
            return try await standard.send(request)
        }
        return try await response(to: request, over: session.value)
    }

    private func response(to request: HTTPRequest, over session: URLSession) async throws -> HTTPResponse {
        let host = String(request.authority)
        guard let url = URL(string: request.url) else { throw TransportError.unreadableAddress }
        try SystemTimers.prepareForRequest(to: host)
        var wanted = URLRequest(url: url)
        wanted.httpMethod = request.method.rawValue
        if request.method == .post { wanted.httpBody = Data(request.body) }
        for (name, value) in request.headers { wanted.setValue(value, forHTTPHeaderField: name) }
        let exchange = OdpExchange(host, ResponseLimit(bytes: options.limited(by: request).maximumResponseSize))
        let limit = request.deadline
        let task = session.dataTask(with: wanted) { data, response, error in
            exchange.end(data, response, error)
        }
        exchange.begin(task)
        return try await withTaskCancellationHandler {
            let result = await value(within: limit, on: .continuous, executor: DispatchExecutor.blockingCallers) {
                await exchange.result.value()
            }
            guard let result = result ?? nil else {
                task.cancel()
                throw TransportError(
                    .deadlineExceeded, "no complete response from \(host) within \(limit.logText)")
            }
            return try result.get()
        } onCancel: {
            task.cancel()
        }
    }
}

/// A request of a session and its result.
private final class OdpExchange: Sendable {
    private let host: String
    private let limit: ResponseLimit
    private let task = Locked<URLSessionDataTask?>(nil)
    /// The response, or why there is none.
    let result = OneShot<Result<HTTPResponse, any Error>>()

    init(_ host: String, _ limit: ResponseLimit) { (self.host, self.limit) = (host, limit) }

    func begin(_ task: URLSessionDataTask) {
        self.task.withLock { $0 = task }
        task.resume()
        limit.enforce(on: task)
    }

    func end(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        let task = task.withLock { $0.take() }
        let isTooLarge = data?.count ?? 0 > limit.bytes || task.map(limit.isExceeded) ?? false
        result.end(isTooLarge ? .failure(limit.error(host)) : outcome(data, response, error))
    }

    private func outcome(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<HTTPResponse, any Error> {
        if let error {
            if (error as? URLError)?.code == .cancelled { return .failure(CancellationError()) }
            return .failure(
                TransportError(
                    .unreachable, "the request to \(host) over the program's own session failed: \(error.logText)"))
        }
        guard let response = response as? HTTPURLResponse else {
            return .failure(TransportError(.unreachable, "what \(host) sent is not an HTTP response"))
        }
        var headers: [String: String] = [:]
        for case (let name as String, let value as String) in response.allHeaderFields { headers[name] = value }
        return .success(
            HTTPResponse(status: response.statusCode, headers: headers, body: data.map { Array($0) } ?? []))
    }
}

extension URLSession {
    /// The standard session of the ODP classes: a placeholder for the client's own network, not used for requests.
    convenience init(odpDeadline deadline: Duration) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = TimeInterval(deadline.components.seconds)
        self.init(configuration: configuration)
        sessionDescription = SessionTransport.standardSession
    }
}
