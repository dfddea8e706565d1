package import TurnoutClient
package import TurnoutEngine

/// The contribution of a part of the server to its readiness, its status and its metrics. Nothing of it may contain
/// secrets or personal data, and all functions must return quickly.
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
    package var metrics: @Sendable () -> MetricsSnapshot = { MetricsSnapshot() }

    /// Creates a report without content.
    package init(_ name: String) { self.name = name }
}
