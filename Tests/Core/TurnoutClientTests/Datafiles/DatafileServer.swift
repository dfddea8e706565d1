/// An in-memory datafile server with versions: each published body has its own `ETag` and date.
final class DatafileServer: Sendable {
    private struct State {
        var body: [UInt8]?
        var version = 0
        var failure: HTTPResponse?
    }

    private let state = Locked(State())
    private let knowsVersions: Bool
    let transport: MemoryTransport

    init(knowsVersions: Bool = true, clock: any Clock<Duration> = .continuous) {
        self.knowsVersions = knowsVersions
        transport = MemoryTransport(clock: clock)
        transport.respond { [weak self] in self?.response(to: $0) ?? HTTPResponse(status: 404) }
    }

    var requests: [HTTPRequest] { transport.requests }

    /// Publishes a body, valid or not, as a new version.
    func publish(_ body: [UInt8]) {
        state.withLock { $0 = State(body: body, version: $0.version + 1) }
    }

    func publish(_ text: String) { publish(Array(text.utf8)) }

    /// Returns this response until something is published.
    func fail(_ response: HTTPResponse) { state.withLock { $0.failure = response } }

    private func response(to request: HTTPRequest) -> HTTPResponse {
        state.withLock { state in
            if let failure = state.failure { return failure }
            guard let body = state.body else { return HTTPResponse(status: 403) }
            guard knowsVersions else { return HTTPResponse(status: 200, body: body) }
            let tag = "\"v\(state.version)\""
            if request.headers["If-None-Match"] == tag { return HTTPResponse(status: 304) }
            let headers = ["ETag": tag, "Last-Modified": "date \(state.version)"]
            return HTTPResponse(status: 200, headers: headers, body: body)
        }
    }
}
