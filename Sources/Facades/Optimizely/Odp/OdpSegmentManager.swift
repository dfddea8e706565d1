package import TurnoutClient

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Fetches users' segments and caches them.
open class OdpSegmentManager {
    /// Sends the requests to ODP.
    package let apiMgr: OdpSegmentApiManager
    private let options: SegmentOptions
    private let cache: Locked<SegmentCache<OptimizelyError>>

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - cacheSize: The maximum number of users whose segments are cached; zero or less disables the cache.
    ///   - cacheTimeoutInSecs: How long segments are cached, in seconds; zero or less means without expiry.
    ///   - apiManager: Sends the requests to ODP. Default: nil, the standard implementation.
    ///   - resourceTimeoutInSecs: The time limit for a complete response, in seconds, for the standard implementation.
    ///     Default: nil, which means 10.
    public init(
        cacheSize: Int, cacheTimeoutInSecs: Int, apiManager: OdpSegmentApiManager? = nil,
        resourceTimeoutInSecs: Int? = nil
    ) {
        var options = SegmentOptions()
        options.cachedUsers = max(0, cacheSize)
        options.lifetime = cacheTimeoutInSecs > 0 ? .seconds(cacheTimeoutInSecs) : nil
        self.options = options
        cache = Locked(SegmentCache<OptimizelyError>(options: options, uptime: ContinuousClock().stopwatch()))
        apiMgr = apiManager ?? OdpSegmentApiManager(timeout: resourceTimeoutInSecs)
    }

    /// Sets the services for requests, and the clock for cache expiry. Clears the cache.
    package func connect(_ services: OdpServices) {
        let fresh = SegmentCache<OptimizelyError>(options: options, uptime: services.clock.stopwatch())
        cache.withLock { $0 = fresh }
        apiMgr.connect(services)
    }

    /// Clears the cache; responses in flight are not cached.
    package func resetCache() { cache.withLock { $0 }.reset() }

    /// Returns the segments that a user belongs to, from the cache or ODP.
    ///
    /// - Parameters:
    ///   - userID: The user's id.
    ///   - options: How to use the segment cache.
    ///   - request: Returns the service and the segments to ask for. Called only if nothing is cached, not earlier: a
    ///     response for the previous datafile must not be cached for the current one.
    /// - Returns: The segments that the user belongs to.
    /// - Throws: The error of the request.
    package func segments(
        of userID: String, options: FetchSegmentsOptions,
        request: @escaping @Sendable () throws(OptimizelyError) -> (service: OdpService, segments: [String])
    ) async throws(OptimizelyError) -> [String] {
        let cache = cache.withLock { $0 }
        let key = OdpUserKey.cacheKey(for: userID)
        let manager = UncheckedSendable(apiMgr)
        return try await cache.segments(of: key, options: options) { () async throws(OptimizelyError) in
            let (service, segments) = try request()
            guard !segments.isEmpty else { return [] }
            let found = try await Self.ask(manager, service, for: userID, among: segments)
            // An override may return others, and any number of them; they are not cached.
            return OdpSegmentQuery(userID: userID, candidates: segments).candidates(in: found)
        }
    }

    private static func ask(
        _ manager: UncheckedSendable<OdpSegmentApiManager>, _ service: OdpService, for userID: String,
        among segments: [String]
    ) async throws(OptimizelyError) -> [String] {
        // An override may call the completion twice, or never; the first call counts, and none is a failure.
        let result = await OnceCallback<[String]>.result { callback in
            manager.value.fetchSegments(
                apiKey: service.key, apiHost: service.host, userKey: OdpUserKey(for: userID).rawValue,
                userValue: userID, segmentsToCheck: segments
            ) { segments, error in
                callback.give {
                    if let error { return .failure(error) }
                    return segments.map { .success($0) } ?? .failure(OptimizelyError(OdpSegmentError.unreadable))
                }
            }
        }
        switch result {
        case .success(let segments): return segments
        case .failure(let error): throw error
        }
    }
}

extension FetchSegmentsOptions {
    init(_ options: [OptimizelySegmentOption]) {
        self = []
        if options.contains(.ignoreCache) { insert(.ignoreCache) }
        if options.contains(.resetCache) { insert(.resetCache) }
    }
}

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
