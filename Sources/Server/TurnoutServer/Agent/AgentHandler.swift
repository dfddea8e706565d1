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
    ///   - next: Answers all other requests, and the operations of batches.
    package init(_ agent: Agent, next: any RequestHandler) {
        configuration = agent.configuration
        services = agent.services
        allowedHosts = AllowedHosts(agent.configuration)
        self.next = next
    }

    package func bodyLimit(for head: RequestHead) -> Int {
        if isBatch(head) { return AgentBatch.bodyLimit }
        return isHealth(head) ? 0 : next.bodyLimit(for: head)
    }

    package func respond(to request: ServerRequest) -> Answer {
        if isHealth(request.head) { return .now(health) }
        guard allowedHosts.allow(request.head) else { return .now(.agentError(404, "invalid request host")) }
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

/// The hosts that requests may name.
private struct AllowedHosts: Sendable {
    /// Nil if hosts are not checked.
    private let hosts: Set<String>?

    init(_ configuration: AgentConfiguration) {
        let isChecked = !configuration.allowedHosts.isEmpty && !configuration.allowedHosts.contains(".")
        hosts = isChecked ? Set(configuration.allowedHosts + [configuration.host ?? "127.0.0.1"]) : nil
    }

    func allow(_ head: RequestHead) -> Bool {
        guard let hosts else { return true }
        var host = Self.host(of: head)
        if hosts.contains(host) { return true }
        // Each subdomain: `.b.example.com`, `.example.com`, `.com`.
        while let dot = host.dropFirst(host.hasPrefix(".") ? 1 : 0).firstIndex(of: ".") {
            host = String(host[dot...])
            if hosts.contains(host) { return true }
        }
        return false
    }

    /// The host that a client named, without its port: as a proxy reports it, or as the request says.
    private static func host(of head: RequestHead) -> String {
        let host =
            head.headers["X-Forwarded-Host"] ?? forwardedHost(head.headers["Forwarded"] ?? "")
            ?? head.headers["Host"] ?? ""
        return String(host.prefix { $0 != ":" })
    }

    /// The host in a `Forwarded` header (RFC 7239): `for=10.0.0.1;host="shop.example.com"`.
    private static func forwardedHost(_ header: String) -> String? {
        for pair in header.split(whereSeparator: { $0 == ";" || $0 == "," }) {
            let halves = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\"" } }
            if halves.count == 2, halves[0].lowercased() == "host", !halves[1].isEmpty { return halves[1] }
        }
        return nil
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
