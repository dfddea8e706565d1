package import TurnoutClient

/// Handles a request: gives it an id, finds its route, checks access, expands the body, calls the route, compresses the
/// response, and counts the request.
package struct RequestPipeline: RequestHandler {
    package private(set) var routes: RouteTable
    private var coding = BodyCoding()
    private let access: AccessControl
    private let metrics: RequestMetrics
    private let log: RequestLog
    private let random: any RandomSource
    private let now: @Sendable () -> Duration

    /// The name of the header with the request's id.
    package static let idHeader = "X-Request-Id"

    /// Creates a pipeline.
    ///
    /// - Parameters:
    ///   - routes: The routes.
    ///   - access: Decides which requests reach them.
    ///   - metrics: Counts the requests.
    ///   - log: Logs requests.
    ///   - random: Generates ids. Default: the system's random numbers.
    ///   - clock: Measures times. Default: the system's.
    package init(
        _ routes: RouteTable, access: AccessControl, metrics: RequestMetrics, log: RequestLog,
        random: any RandomSource = .system, clock: any Clock<Duration> = .continuous
    ) {
        self.routes = routes
        self.access = access
        self.metrics = metrics
        self.log = log
        self.random = random
        now = clock.stopwatch()
        metrics.name(routes.routes)
    }

    /// The pipeline with one more route, whose operations may pass this one as requests of their own: these are neither
    /// expanded nor compressed.
    package func adding(_ route: Route, coding: BodyCoding = BodyCoding()) -> RequestPipeline {
        var pipeline = self
        pipeline.routes = RouteTable(routes.routes + [route])
        pipeline.coding = coding
        pipeline.metrics.name(pipeline.routes.routes)
        return pipeline
    }

    package func bodyLimit(for head: RequestHead) -> BodyLimit {
        guard head.path.utf8.starts(with: "/p/".utf8) else { return routes.bodyLimit(for: head) }
        var head = head
        head.moveKeyFromPath()
        return routes.bodyLimit(for: head)
    }

    package func respond(to request: ServerRequest) -> Answer {
        var request = request
        let exchange = begin(&request.head)
        let match = routes.match(request.head.method, request.head.path)
        if case .route(let index, let values) = match {
            request.parameters = values
            return answer(&request, by: index, exchange)
        }
        let head = request.head
        if let refusal = access.refusal(of: head, .open) { return finish(.now(refusal), head, exchange) }
        if case .otherMethods(let methods) = match, CORSPolicy.isPreflight(head), isForPages(head.path, methods) {
            return .now(end(access.cors.preflight(head, methods: methods), head, exchange))
        }
        return finish(routes.respond(to: request), head, exchange)
    }

    private func answer(_ request: inout ServerRequest, by index: Int, _ exchange: Exchange) -> Answer {
        let (route, head) = (routes.routes[index], request.head)
        var exchange = exchange
        exchange.route = index
        let refusal =
            access.refusal(of: head, route.access, key: route.key(in: request.parameters))
            ?? coding.expand(&request, limit: route.bodyLimit)
        return finish(refusal.map(Answer.now) ?? route.respond(request), head, exchange)
    }

    /// Whether web pages may call one of a path's methods.
    private func isForPages(_ path: String, _ methods: [String]) -> Bool {
        methods.contains { method in
            guard case .route(let index, _) = routes.match(method, path) else { return false }
            return routes.routes[index].access.isForPages
        }
    }

    // MARK: Begin and end

    /// The known facts about a request from its beginning to its end.
    struct Exchange: Sendable {
        let id: String
        let trace: TraceContext?
        let start: Duration
        var route: Int?
    }

    private func begin(_ head: inout RequestHead) -> Exchange {
        head.moveKeyFromPath()
        let trace = head.headers[TraceContext.header].flatMap(TraceContext.init)?.child(random)
        return Exchange(id: id(of: &head), trace: trace, start: now(), route: nil)
    }

    /// The client's own id, or a new one, which routes then find in the header.
    private func id(of head: inout RequestHead) -> String {
        let sent = head.headers[Self.idHeader]
        if let sent, Self.isValid(sent) { return sent }
        let id = random.eventID().description.lowercased()
        if sent == nil { head.headers.append(Self.idHeader, id) } else { head.headers[Self.idHeader] = id }
        return id
    }

    private func finish(_ answer: Answer, _ head: RequestHead, _ exchange: Exchange) -> Answer {
        if case .now(let response) = answer { return .now(finish(response, head, exchange)) }
        var answer = answer
        if exchange.trace != nil, case .later(let body) = answer {
            answer = .later { await TraceContext.$current.withValue(exchange.trace) { await body() } }
        }
        return answer.map { finish($0, head, exchange) }
    }

    private func finish(_ response: ServerResponse, _ head: RequestHead, _ exchange: Exchange) -> ServerResponse {
        var response = coding.compressed(response, for: head)
        if let route = exchange.route, routes.routes[route].access.isForPages {
            access.cors.allow(head, &response.headers)
        }
        return end(response, head, exchange)
    }

    private func end(_ response: ServerResponse, _ head: RequestHead, _ exchange: Exchange) -> ServerResponse {
        let time = now() - exchange.start
        metrics.add(exchange.route, status: response.status, time: time)
        log.write(exchange, head, exchange.route.map { routes.routes[$0] }, response.status, time)
        guard response.headers[Self.idHeader] == nil else { return response }
        var response = response
        response.headers.append(Self.idHeader, exchange.id)
        return response
    }

    /// Whether an id may be repeated in a response and in the log: short, and visible characters only.
    private static func isValid(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.count <= 128 && id.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}

extension RouteAccess {
    fileprivate var isForPages: Bool { self == .client || self == .intake }
}
