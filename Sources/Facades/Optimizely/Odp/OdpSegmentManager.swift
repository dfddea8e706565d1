package import TurnoutClient

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
            let found = try await Self.ask(manager, service, for: userID, among: segments).get()
            // An override may return others, and any number of them; they are not cached.
            return OdpSegmentQuery(userID: userID, candidates: segments).candidates(in: found)
        }
    }

    private static func ask(
        _ manager: UncheckedSendable<OdpSegmentApiManager>, _ service: OdpService, for userID: String,
        among segments: [String]
    ) async -> Result<[String], OptimizelyError> {
        await withCheckedContinuation { continuation in
            // An override may call the completion twice, or never; the first call counts, and none is a failure.
            let callback = OnceCallback<[String]> { result in
                switch result {
                case .success(let segments): continuation.resume(returning: .success(segments))
                case .failure(let error): continuation.resume(returning: .failure(error))
                }
            }
            // An override may block.
            BlockingCall.start {
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
