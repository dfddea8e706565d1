import TurnoutClient

extension OptimizelyUserContext {
    /// Fetches the user's segments and stores them in ``qualifiedSegments``, which is nil until then and stays nil if
    /// fetching fails.
    ///
    /// - Parameters:
    ///   - options: How to use the segment cache. Default: none, use the cache and store the response in it.
    ///   - completionHandler: Called once, with nil or the error: `invalidSegmentIdentifier`, `fetchSegmentsFailed`,
    ///     `odpNotEnabled` or `sdkNotReady`.
    public func fetchQualifiedSegments(
        options: [OptimizelySegmentOption] = [], completionHandler: @escaping (OptimizelyError?) -> Void
    ) {
        fetchQualifiedSegments(options: options) { _, error in completionHandler(error) }
    }

    /// Fetches the user's segments, stores them in ``qualifiedSegments``, and passes them to the completion handler.
    ///
    /// See ``fetchQualifiedSegments(options:completionHandler:)-(_,(OptimizelyError?)->Void)``.
    public func fetchQualifiedSegments(
        options: [OptimizelySegmentOption] = [],
        completionHandler: @escaping (_ segments: [String]?, _ error: OptimizelyError?) -> Void
    ) {
        qualifiedSegments = nil
        guard let client = reference.client else { return completionHandler(nil, .sdkNotReady) }
        guard let odp = client.odpManager else { return completionHandler(nil, .odpNotEnabled) }
        odp.fetchQualifiedSegments(userId: userId, options: options) { segments, error in
            if let segments, error == nil { self.qualifiedSegments = segments }
            completionHandler(segments, error)
        }
    }

    /// Fetches the user's segments and stores them in ``qualifiedSegments``.
    ///
    /// - Parameter options: How to use the segment cache. Default: none, use the cache and store the response in it.
    /// - Throws: The error that the completion handler of the callback-based method receives.
    public func fetchQualifiedSegments(options: [OptimizelySegmentOption] = []) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            fetchQualifiedSegments(options: options) { _, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// Fetches the user's segments, stores them in ``qualifiedSegments``, and blocks the thread until then.
    ///
    /// - Parameter options: How to use the segment cache. Default: none, use the cache and store the response in it.
    /// - Throws: The error that the completion handler of the callback-based method receives.
    public func fetchQualifiedSegments(options: [OptimizelySegmentOption] = []) throws {
        let failure = OneShot<OptimizelyError>()
        fetchQualifiedSegments(options: options) { _, error in failure.end(error) }
        if let error = failure.blockingValue() { throw error }
    }
}
