#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// How events reach the data platform.
open class OdpEventApiManager {
    /// The longest time until an answer is complete.
    package let deadline: Duration

    /// Creates a manager.
    ///
    /// - Parameter timeout: The longest time until an answer is complete, in seconds; zero or less: what the system
    ///   sets. Default: 10.
    public init(timeout: Int? = nil) { deadline = .odpLimit(timeout) }

    /// A session that keeps nothing on disk. Events do not use it: they go where the client's requests go.
    open func getSession() -> URLSession { URLSession(odpDeadline: deadline) }
}
