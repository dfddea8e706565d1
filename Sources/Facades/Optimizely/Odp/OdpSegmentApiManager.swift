import TurnoutClient

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Asks the data platform for the segments of users.
///
/// Subclass it and override ``fetchSegments(apiKey:apiHost:userKey:userValue:segmentsToCheck:completionHandler:)`` to
/// ask somebody else.
open class OdpSegmentApiManager {
    private let deadline: Duration
    private let services = Locked<OdpServices?>(nil)

    /// Creates a manager.
    ///
    /// - Parameter timeout: The longest time until an answer is complete, in seconds; zero or less: what the system
    ///   sets. Default: 10.
    public init(timeout: Int? = nil) { deadline = .odpLimit(timeout) }

    /// Says what requests are sent with.
    package func connect(_ services: OdpServices) { self.services.withLock { $0 = services } }

    /// Asks which of some segments a user belongs to.
    ///
    /// - Parameters:
    ///   - apiKey: The key that the platform knows the project by.
    ///   - apiHost: The platform's address.
    ///   - userKey: The name that the platform knows the user by: `fs_user_id` or `vuid`.
    ///   - userValue: The user's id under that name.
    ///   - segmentsToCheck: The segments in question.
    ///   - completionHandler: Gets the segments that the user belongs to, or an error. Called once, on any thread.
    open func fetchSegments(
        apiKey: String, apiHost: String, userKey: String, userValue: String, segmentsToCheck: [String],
        completionHandler: @escaping ([String]?, OptimizelyError?) -> Void
    ) {
        let completion = Handed(completionHandler)
        let (transport, deadline) = (services.withLock { $0?.transport }, deadline)
        let query = OdpSegmentQuery(userKey: userKey, userID: userValue, candidates: segmentsToCheck)
        Task(executorPreference: DispatchExecutor.waitedFor) {
            guard let transport else {
                return completion.value(nil, OptimizelyError(OdpSegmentError.unreachable))
            }
            let service = OdpService(host: apiHost, key: apiKey)
            do {
                completion.value(try await service.answer(to: query, over: transport, deadline: deadline), nil)
            } catch {
                completion.value(nil, OptimizelyError(error as? OdpSegmentError ?? .unreachable))
            }
        }
    }

    /// A session that keeps nothing on disk. Requests of the standard implementation do not use it: they go where the
    /// client's requests go.
    open func getSession() -> URLSession { URLSession(odpDeadline: deadline) }
}

extension OptimizelyError {
    init(_ error: OdpSegmentError) {
        self =
            switch error {
            case .invalidIdentifier: .invalidSegmentIdentifier
            default: .fetchSegmentsFailed(error.description)
            }
    }
}

extension URLSession {
    convenience init(odpDeadline deadline: Duration) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = TimeInterval(deadline.components.seconds)
        self.init(configuration: configuration)
    }
}
