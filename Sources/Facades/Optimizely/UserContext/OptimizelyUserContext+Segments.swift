import Foundation
import TurnoutClient

extension OptimizelyUserContext {
    /// Asks which segments the user belongs to, and takes them over. Until the answer, and without one, they are nil.
    ///
    /// - Parameters:
    ///   - options: How to use the cache. Default: look into it, and store the answer there.
    ///   - completionHandler: Called once, with nil or the error: `invalidSegmentIdentifier`, `fetchSegmentsFailed`,
    ///     `odpNotEnabled` or `sdkNotReady`.
    public func fetchQualifiedSegments(
        options: [OptimizelySegmentOption] = [], completionHandler: @escaping (OptimizelyError?) -> Void
    ) {
        fetchQualifiedSegments(options: options) { _, error in completionHandler(error) }
    }

    /// Asks which segments the user belongs to, and takes them over; the call back gets them, too.
    ///
    /// See ``fetchQualifiedSegments(options:completionHandler:)-(_,(OptimizelyError?)->Void)``.
    public func fetchQualifiedSegments(
        options: [OptimizelySegmentOption] = [],
        completionHandler: @escaping (_ segments: [String]?, _ error: OptimizelyError?) -> Void
    ) {
        qualifiedSegments = nil
        guard let client = link.client else { return completionHandler(nil, .sdkNotReady) }
        guard let odp = client.odpManager else { return completionHandler(nil, .odpNotEnabled) }
        odp.fetchQualifiedSegments(userId: userId, options: options) { segments, error in
            if let segments, error == nil { self.qualifiedSegments = segments }
            completionHandler(segments, error)
        }
    }

    /// Asks which segments the user belongs to, and takes them over.
    ///
    /// - Parameter options: How to use the cache. Default: look into it, and store the answer there.
    /// - Throws: As the form with a call back says.
    public func fetchQualifiedSegments(options: [OptimizelySegmentOption] = []) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            fetchQualifiedSegments(options: options) { _, error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// Asks which segments the user belongs to, takes them over, and blocks the thread until then.
    ///
    /// - Parameter options: How to use the cache. Default: look into it, and store the answer there.
    /// - Throws: As the form with a call back says.
    public func fetchQualifiedSegments(options: [OptimizelySegmentOption] = []) throws {
        let answered = DispatchSemaphore(value: 0)
        let failure = Locked<OptimizelyError?>(nil)
        let report = Handed { (error: OptimizelyError?) in
            let error = Handed(error)
            failure.withLock { $0 = error.value }
        }
        fetchQualifiedSegments(options: options) { _, error in
            report.value(error)
            answered.signal()
        }
        answered.wait()
        if let error = failure.withLock({ Handed($0) }).value { throw error }
    }
}
