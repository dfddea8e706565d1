import TurnoutClient

/// Whether the server takes requests.
package final class ServerState: Sendable {
    /// The phases of a server.
    package enum Phase: String, Sendable {
        /// It is not listening yet.
        case starting
        /// It answers requests.
        case serving
        /// It still answers, but load balancers shall send no more.
        case draining
    }

    /// A condition of readiness: its name, and the problem that keeps the server from being ready, if there is one.
    package struct Check: Sendable {
        let name: String
        let problem: @Sendable () -> String?

        /// Creates a check. `problem` must return quickly, and must not contain secrets or personal data.
        package init(_ name: String, problem: @escaping @Sendable () -> String?) {
            self.name = name
            self.problem = problem
        }
    }

    private let current = Locked(Phase.starting)
    private let checks: [Check]

    /// Creates the state of a server that is starting.
    package init(_ checks: [Check]) { self.checks = checks }

    /// The current phase.
    package var phase: Phase { current.withLock { $0 } }

    /// Enters a phase.
    package func enter(_ phase: Phase) { current.withLock { $0 = phase } }

    /// What keeps the server from being ready, by check; empty if it is ready.
    package var problems: [(check: String, problem: String)] {
        let phase = phase
        let own = phase == .serving ? [] : [("server", "the server is \(phase)")]
        return own + checks.compactMap { check in check.problem().map { (check.name, $0) } }
    }
}
