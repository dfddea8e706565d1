import TurnoutClient

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Sends events to ODP.
///
/// Subclass it and override ``getSession()`` to send events with your own session.
open class OdpEventApiManager {
    /// The time limit for a complete response.
    package let deadline: Duration

    /// Creates a manager.
    ///
    /// - Parameter timeout: The time limit for a complete response, in seconds. Zero or less means 60, the system's
    ///   default; the vendor's client leaves the limit to the system in that case. Default: nil, which means 10.
    public init(timeout: Int? = nil) { deadline = .odpLimit(timeout) }

    /// The transport for events: the client's network, unless a subclass provides a session.
    func transport(_ services: OdpServices) -> (any Transport)? {
        guard type(of: self) != OdpEventApiManager.self else { return services.transport }
        let manager = UncheckedSendable(self)
        return SessionTransport(
            standard: services.transport, options: services.options,
            makeSession: UncheckedSendable { manager.value.getSession() })
    }

    /// Returns the session for one request; it is invalidated afterwards. The standard implementation returns a
    /// placeholder for the client's own network.
    open func getSession() -> URLSession { URLSession(odpDeadline: deadline) }
}
