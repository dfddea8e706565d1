package import TurnoutClient
package import TurnoutEngine

/// Whether the server takes requests.
package final class ServerState: Sendable {
    /// The phases of a server.
    package enum Phase: String, Sendable {
        /// It is not listening yet.
        case starting
        case serving
        /// It still answers, but tells load balancers to send no more requests.
        case draining
    }

    private let current = Locked(Phase.starting)
    private let reports: [ServiceReport]

    /// Creates the state of a server that is starting, and consists of these parts.
    package init(_ reports: [ServiceReport]) { self.reports = reports }

    package var phase: Phase { current.withLock { $0 } }

    package func enter(_ phase: Phase) { current.withLock { $0 = phase } }

    /// The problems that keep the server from being ready, by the name of the part; empty if it is ready.
    package var problems: [(name: String, problem: String)] {
        let phase = phase
        let own = phase == .serving ? [] : [("server", "the server is \(phase)")]
        return own + reports.compactMap { report in report.problem().map { (report.name, $0) } }
    }

    /// The impairments of parts while the server is ready, by the name of the part.
    ///
    /// `/ready` does not fail because of these. Load balancers would take away what still works: without the file of
    /// segments the server decides, serves datafiles and takes events; without the file of events these wait in the
    /// log, and when that is full, it is a problem. Instances that share a disk fail together, so none would be left.
    package var impairments: [(name: String, problem: String)] {
        reports.compactMap { report in report.impairment?().map { (report.name, $0) } }
    }

    /// Whether each part that may be impaired is.
    package var impairedParts: [(name: String, isImpaired: Bool)] {
        reports.compactMap { report in report.impairment.map { (report.name, $0() != nil) } }
    }
}

/// The contribution of a part of the server to its readiness, its status and its metrics. Nothing of it may contain
/// secrets or personal data, and all functions except ``metrics`` must return quickly.
package struct ServiceReport: Sendable {
    /// The name of the part, as a key in `/ready` and `/status`.
    package let name: String
    /// The problem that keeps the server from being ready; nil if there is none. Default: none.
    package var problem: @Sendable () -> String? = { nil }
    /// Returns what the part cannot do although the server is ready; nil if it can do everything. Default: nil, the
    /// part either works or is a problem.
    package var impairment: (@Sendable () -> String?)?
    /// Writes one value for the status. Default: nil, the status does not mention the part.
    package var status: (@Sendable (inout JSONWriter) -> Void)?
    /// Returns metrics. May read files: it is called on a thread for blocking calls.
    package var metrics: @Sendable () -> MetricsSnapshot = { MetricsSnapshot() }

    /// Creates a report without content.
    package init(_ name: String) { self.name = name }
}
