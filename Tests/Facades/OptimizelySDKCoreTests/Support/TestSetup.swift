import Optimizely

/// A network, a clock and services for one test.
struct TestSetup {
    let servers = FakeServers()
    let logger = Messages()
    let errors = Errors()
    let dispatcher = Dispatched()
    var environment = HostEnvironment()

    /// Uses a manual clock, so that a busy machine exceeds no limit.
    init() {
        environment.transport = servers.transport
        environment.clock = ManualClock()
    }

    /// Runs `body` in this setup's environment.
    func make<Made>(_ body: () throws -> Made) rethrows -> Made {
        try HostEnvironment.$override.withValue(environment, operation: body)
    }

    /// A builder with this setup's services, changed as a test needs it.
    func builder(_ change: (OPTLYManagerBuilder) -> Void = { _ in }) -> OPTLYManagerBuilder? {
        make {
            OPTLYManagerBuilder { builder in
                builder?.sdkKey = "key"
                builder?.logger = logger
                builder?.errorHandler = errors
                builder?.eventDispatcher = dispatcher
                builder.map(change)
            }
        }
    }

    func manager(_ change: (OPTLYManagerBuilder) -> Void = { _ in }) throws -> OPTLYManager {
        try required(make { OPTLYManager(builder: builder(change)) })
    }

    /// A client for a datafile, which keeps profiles in memory.
    func client(
        _ datafile: OldDatafile = OldDatafile(), profiles: (any OPTLYUserProfileService)? = nil,
        legacyBucketing: Bool = false
    ) throws -> OPTLYClient {
        let manager = try manager {
            $0.datafileManager = OPTLYDatafileManagerNoOp()
            $0.userProfileService = profiles
            $0.legacyBucketing = legacyBucketing
        }
        return try required(manager.initialize(withDatafile: datafile.data))
    }
}

struct Missing: Error {}

/// Unwraps a value, or throws.
func required<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}

/// Servers of datafiles and events.
final class FakeServers: Sendable {
    private struct State {
        var datafile: (body: [UInt8], date: String)?
        var status: Int?
        var isOffline = false
        var arrived: [String] = []
    }

    private let state = Locked(State())
    let transport = MemoryTransport()

    init() {
        transport.respond { [weak self] request in
            guard let self else { throw TransportError(.unreachable, "the test is over") }
            return try self.response(to: request)
        }
    }

    private func response(to request: HTTPRequest) throws -> HTTPResponse {
        let state = state.withLock { $0 }
        if state.isOffline { throw TransportError(.unreachable, "offline") }
        if request.method == .post { return accept(request, state.status ?? 204) }
        if let status = state.status { return HTTPResponse(status: status, body: Array("<html>".utf8)) }
        guard let datafile = state.datafile else { return HTTPResponse(status: 404) }
        if request.headers["If-Modified-Since"] == datafile.date { return HTTPResponse(status: 304) }
        return HTTPResponse(status: 200, headers: ["last-modified": datafile.date], body: datafile.body)
    }

    private func accept(_ event: HTTPRequest, _ status: Int) -> HTTPResponse {
        if status == 204 { state.withLock { $0.arrived.append(String(decoding: event.body, as: UTF8.self)) } }
        return HTTPResponse(status: status)
    }

    /// Serves a datafile from now on.
    func publish(_ datafile: OldDatafile, date: String = "Wed, 01 Jan 2020 00:00:00 GMT") {
        state.withLock { $0.datafile = (Array(datafile.data), date) }
    }

    /// Responds to everything with a status from now on; with nil, as usual.
    func fail(_ status: Int?) { state.withLock { $0.status = status } }

    /// Sets whether all servers are unreachable.
    func setOffline(_ isOffline: Bool) { state.withLock { $0.isOffline = isOffline } }

    var downloads: [HTTPRequest] { transport.requests.filter { $0.method == .get } }
    var posts: [HTTPRequest] { transport.requests.filter { $0.method == .post } }
    /// The events that the receiver has accepted.
    var arrived: [String] { state.withLock { $0.arrived } }
}

extension OPTLYManagerBase {
    /// Initializes with a callback, and waits for it.
    func initialized() async -> (error: NSError?, client: OPTLYClient?) {
        // A continuation would do, but ThreadSanitizer reports races when it is resumed before the task is suspended.
        let result = OneShot<UncheckedSendable<(NSError?, OPTLYClient?)>>()
        initialize { error, client in result.end(UncheckedSendable((error.map { $0 as NSError }, client))) }
        return await result.value()?.value ?? (nil, nil)
    }
}

extension OPTLYClient {
    /// The revision of the datafile, or nil without one.
    var revision: String? { optimizely?.config?.revision }
}

extension JSONValue {
    /// An event as dispatchers receive it, or nil if it is not a JSON object.
    init?(_ parameters: [AnyHashable: Any]) {
        guard let members = parameters as? [String: Any], let value = JSONValue.object(members) else { return nil }
        self = value
    }
}

extension OPTLYClientSettings {
    /// How many datafiles were parsed for this builder and its clients.
    var parseCount: Int { memo.parseCount }
}
