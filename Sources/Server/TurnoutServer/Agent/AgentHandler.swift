import TurnoutClient

/// The steps of the Agent's interface that depend on no route: health, the host of the request, and batches.
///
/// A listener's handler: everything else is passed on, usually to a ``RouteTable``.
package struct AgentHandler: RequestHandler {
    private let configuration: AgentConfiguration
    private let services: AgentServices
    private let allowedHosts: AllowedHosts
    private let next: any RequestHandler

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - agent: The configuration and services.
    ///   - hosts: The hosts that requests may address. Default: those of the Agent's own setting.
    ///   - next: Answers all other requests, and the operations of batches.
    package init(_ agent: Agent, hosts: AllowedHosts? = nil, next: any RequestHandler) {
        configuration = agent.configuration
        services = agent.services
        let names = agent.configuration.allowedHosts
        allowedHosts =
            hosts
            ?? AllowedHosts(
                names.isEmpty ? ["."] : names, listeningOn: agent.configuration.host ?? "127.0.0.1")
        self.next = next
    }

    package func bodyLimit(for head: RequestHead) -> Int {
        if isBatch(head) { return AgentBatch.bodyLimit }
        return isHealth(head) ? 0 : next.bodyLimit(for: head)
    }

    package func respond(to request: ServerRequest) -> Answer {
        if isHealth(request.head) { return .now(health) }
        guard allowedHosts.allows(request.head) else { return .now(.agentError(404, "invalid request host")) }
        guard isBatch(request.head) else { return next.respond(to: request) }
        return AgentBatch(configuration, services, next).respond(to: request)
    }

    private func isHealth(_ head: RequestHead) -> Bool {
        head.method == "GET" && head.path.hasSuffixIgnoringCase(configuration.healthPath)
    }

    private func isBatch(_ head: RequestHead) -> Bool {
        head.method == "POST" && head.path.hasSuffixIgnoringCase("/batch")
    }

    /// Any path that ends in the health path is answered, on every port.
    private var health: ServerResponse {
        let problem = services.problem()
        return .go(problem == nil ? 200 : 503) { writer in
            writer.beginObject()
            writer.member("status", problem ?? "ok")
            writer.endObject()
        }
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
