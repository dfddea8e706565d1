import TurnoutClient

/// The steps of the Agent's interface that depend on no route: paths of the health, the host of the request, batches.
///
/// A listener's handler: everything else is passed on, usually to a ``RouteTable``.
package struct AgentHandler: RequestHandler {
    /// The routes that the handler answers itself, for the metrics.
    package enum Step: Int, Sendable, CaseIterable {
        case batch

        /// The method and the paths.
        package var name: (method: String, pattern: String) {
            switch self {
            case .batch: ("POST", "*/batch")
            }
        }
    }

    /// Counts an answer; nil: the host of the request was not allowed.
    package typealias Count = @Sendable (Step?, _ status: Int, _ time: Duration) -> Void

    /// The path of the route that reports the health.
    static let healthRoute = "/health"

    private let configuration: AgentConfiguration
    private let services: AgentServices
    private let allowedHosts: AllowedHosts
    private let next: any RequestHandler
    private let now: @Sendable () -> Duration
    private let count: Count

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - agent: The configuration and services.
    ///   - hosts: The hosts that requests may address.
    ///   - next: Answers all other requests, and the operations of batches.
    ///   - clock: Measures times. Default: the system's.
    ///   - count: Counts the requests that `next` does not answer. Default: nothing does.
    package init(
        _ agent: Agent, hosts: AllowedHosts, next: any RequestHandler,
        clock: any Clock<Duration> = .continuous, count: @escaping Count = { _, _, _ in }
    ) {
        (now, self.count) = (clock.stopwatch(), count)
        configuration = agent.configuration
        services = agent.services
        allowedHosts = hosts
        self.next = next
    }

    package func bodyLimit(for head: RequestHead) -> BodyLimit {
        if isBatch(head) { return BodyLimit(size: AgentBatch.bodyLimit) }
        return next.bodyLimit(for: routed(head))
    }

    package func respond(to request: ServerRequest) -> Answer {
        let start = now()
        if isHealth(request.head) {
            var request = request
            request.head = routed(request.head)
            return next.respond(to: request)
        }
        guard allowedHosts.allows(request.head) else {
            return counted(.now(.agentError(404, "invalid request host")), nil, start)
        }
        guard isBatch(request.head) else { return next.respond(to: request) }
        return counted(AgentBatch(configuration, services, next).respond(to: request), .batch, start)
    }

    private func counted(_ answer: Answer, _ step: Step?, _ start: Duration) -> Answer {
        answer.map { response in
            count(step, response.status, now() - start)
            return response
        }
    }

    private func isHealth(_ head: RequestHead) -> Bool {
        head.method == "GET" && head.path.hasSuffixIgnoringCase(configuration.healthPath)
    }

    /// Any path that ends in the health path is that of the health.
    private func routed(_ head: RequestHead) -> RequestHead {
        guard isHealth(head) else { return head }
        var head = head
        head.path = Self.healthRoute
        return head
    }

    private func isBatch(_ head: RequestHead) -> Bool {
        head.method == "POST" && head.path.hasSuffixIgnoringCase("/batch")
    }
}

extension String {
    /// Whether the text ends with another, letters of ASCII regardless of case.
    fileprivate func hasSuffixIgnoringCase(_ suffix: String) -> Bool {
        let excess = utf8.count - suffix.utf8.count
        guard excess >= 0, utf8.last.map({ $0 | 0x20 }) == suffix.utf8.last.map({ $0 | 0x20 }) else { return false }
        return String(decoding: utf8.dropFirst(excess), as: UTF8.self).equalsIgnoringCase(suffix)
    }
}
