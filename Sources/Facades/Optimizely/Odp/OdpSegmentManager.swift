package import TurnoutClient

/// Fetches the segments of users, and keeps them for a while.
open class OdpSegmentManager {
    /// Who asks the platform.
    package let apiMgr: OdpSegmentApiManager
    private let options: SegmentOptions
    private let cache: Locked<SegmentCache<OptimizelyError>>

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - cacheSize: How many users' segments are kept; zero or less: none.
    ///   - cacheTimeoutInSecs: How long an answer is good, in seconds; zero or less: for ever.
    ///   - apiManager: Who asks the platform. Default: the standard implementation.
    ///   - resourceTimeoutInSecs: The longest time until an answer is complete, in seconds, for the standard
    ///     implementation. Default: 10.
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

    /// Says what requests are sent with, and what clock the age of answers is measured by. Forgets all answers.
    package func connect(_ services: OdpServices) {
        let fresh = SegmentCache<OptimizelyError>(options: options, uptime: services.clock.stopwatch())
        cache.withLock { $0 = fresh }
        apiMgr.connect(services)
    }

    /// Forgets the segments of all users; answers under way are not kept.
    package func resetCache() { cache.withLock { $0 }.reset() }

    /// Which segments a user belongs to.
    ///
    /// - Parameters:
    ///   - userID: The user's id.
    ///   - options: How to deal with answers that are kept.
    ///   - request: Tells whom to ask for what. It is read when there is no answer, not earlier: an answer of the
    ///     datafile before must not be kept for this one.
    /// - Returns: The segments that the user belongs to.
    /// - Throws: Why they are not known.
    package func segments(
        of userID: String, options: FetchSegmentsOptions,
        request: @escaping @Sendable () throws(OptimizelyError) -> (service: OdpService, segments: [String])
    ) async throws(OptimizelyError) -> [String] {
        let cache = cache.withLock { $0 }
        let key = OdpUserKey.cacheKey(for: userID)
        let manager = Handed(apiMgr)
        return try await cache.segments(of: key, options: options) { () async throws(OptimizelyError) in
            let (service, segments) = try request()
            guard !segments.isEmpty else { return [] }
            return try await Self.ask(manager, service, for: userID, among: segments).get()
        }
    }

    private static func ask(
        _ manager: Handed<OdpSegmentApiManager>, _ service: OdpService, for userID: String, among segments: [String]
    ) async -> Result<[String], OptimizelyError> {
        await withCheckedContinuation { continuation in
            // Whoever overrides the call may answer twice, or never; the first answer counts, and none is a failure.
            let answer = SingleAnswer<[String]> { result in
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
                    answer.give {
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
