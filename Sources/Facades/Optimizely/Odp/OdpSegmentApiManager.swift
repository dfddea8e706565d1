import TurnoutClient

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Fetches users' segments from ODP.
///
/// Subclass it and override ``getSession()`` to send requests with your own session, or
/// ``fetchSegments(apiKey:apiHost:userKey:userValue:segmentsToCheck:completionHandler:)`` to get segments from another
/// source.
open class OdpSegmentApiManager {
    private let deadline: Duration
    private let services = Locked<OdpServices?>(nil)

    /// Creates a manager.
    ///
    /// - Parameter timeout: The time limit for a complete response, in seconds. Zero or less means 60, the system's
    ///   default; the vendor's client leaves the limit to the system in that case. Default: nil, which means 10.
    public init(timeout: Int? = nil) { deadline = .odpLimit(timeout) }

    /// Sets the services for requests.
    package func connect(_ services: OdpServices) { self.services.withLock { $0 = services } }

    /// Fetches which of the given segments a user belongs to.
    ///
    /// - Parameters:
    ///   - apiKey: The project's ODP API key.
    ///   - apiHost: The URL of the ODP service.
    ///   - userKey: The name of the identifier: `fs_user_id` or `vuid`.
    ///   - userValue: The value of the identifier.
    ///   - segmentsToCheck: The segments to check.
    ///   - completionHandler: Called once, with the segments that the user belongs to or an error, on any thread.
    open func fetchSegments(
        apiKey: String, apiHost: String, userKey: String, userValue: String, segmentsToCheck: [String],
        completionHandler: @escaping ([String]?, OptimizelyError?) -> Void
    ) {
        let completion = UncheckedSendable(completionHandler)
        let (transport, deadline, log) = (transport, deadline, services.withLock { $0?.log })
        let query = OdpSegmentQuery(userKey: userKey, userID: userValue, candidates: segmentsToCheck)
        Task(executorPreference: DispatchExecutor.blockingCallers) {
            guard let transport else {
                return completion.value(nil, OptimizelyError(OdpSegmentError.unreachable))
            }
            let service = OdpService(host: apiHost, key: apiKey)
            do {
                completion.value(try await service.segments(for: query, over: transport, deadline: deadline), nil)
            } catch {
                log?(.warning, "ODP: segments could not be fetched: \(error.logText)")
                completion.value(nil, OptimizelyError(error as? OdpSegmentError ?? .unreachable))
            }
        }
    }

    /// The transport for requests: the client's network, unless a subclass provides a session.
    private var transport: (any Transport)? {
        let services = services.withLock { $0 }
        guard type(of: self) != OdpSegmentApiManager.self else { return services?.transport }
        let manager = UncheckedSendable(self)
        return SessionTransport(
            standard: services?.transport, options: services?.options ?? TransportOptions(),
            makeSession: UncheckedSendable { manager.value.getSession() })
    }

    /// Returns the session for one request; it is invalidated afterwards. The standard implementation returns a
    /// placeholder for the client's own network.
    open func getSession() -> URLSession { URLSession(odpDeadline: deadline) }
}

extension OptimizelyError {
    init(_ error: OdpSegmentError) {
        self =
            switch error {
            case .invalidIdentifier: .invalidSegmentIdentifier
            default: .fetchSegmentsFailed(error.vendorText)
            }
    }
}
