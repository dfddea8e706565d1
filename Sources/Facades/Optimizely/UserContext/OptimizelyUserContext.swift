import Foundation
import TurnoutClient

// @unchecked Sendable because the class can be subclassed, as the vendor's.
/// A user with attributes, segments and forced decisions. Its client evaluates flags for the user.
///
/// ```swift
/// let user = client.createUserContext(userId: "ada", attributes: ["country": "US"])
/// let decision = user.decide(key: "checkout")
/// ```
///
/// A context may be used from several threads at once. It does not retain its client: once the client is released,
/// decisions report that the SDK is not ready.
public class OptimizelyUserContext: Equatable, CustomStringConvertible, @unchecked Sendable {
    private let current: Locked<UserContent>
    let reference: ClientReference

    init(_ content: UserContent, _ reference: ClientReference) {
        current = Locked(content)
        self.reference = reference
    }

    /// Creates a context. If the device has a VUID, ODP is notified that the device and the user belong together.
    ///
    /// - Parameters:
    ///   - optimizely: The client that evaluates flags for this user.
    ///   - userId: The user's id; any string.
    ///   - attributes: The user's attributes; nil values are explicit nulls. Default: nil, no attributes.
    public convenience init(optimizely: OptimizelyClient, userId: String, attributes: [String: Any?]? = nil) {
        self.init(UserContent(userId, attributes ?? [:]), optimizely)
    }

    convenience init(_ content: UserContent, _ client: OptimizelyClient) {
        self.init(content, client.reference)
        client.identify(content.id)
    }

    /// An immutable snapshot of the user's current state.
    @inline(__always)
    var content: UserContent { current.withLock { $0 } }

    func change(_ change: (UserContent) -> UserContent) {
        // Release the old content outside the lock: it may hold the caller's objects, whose deinitializers may call
        // this context.
        let former = current.withLock { current in
            let former = current
            current = change(current)
            return former
        }
        withExtendedLifetime(former) {}
    }

    /// The client, or nil if it has been released.
    package var optimizely: OptimizelyClient? { reference.client }

    /// An independent copy of this context.
    package var clone: OptimizelyUserContext { OptimizelyUserContext(content, reference) }

    // MARK: The user

    /// The user's id.
    public var userId: String {
        get { content.id }
        set { change { $0.with(id: newValue) } }
    }

    /// The user's attributes.
    public var attributes: [String: Any?] { content.attributes ?? [:] }

    /// The segments that the user belongs to, fetched or set by the caller; nil if they are unknown.
    public var qualifiedSegments: [String]? {
        get { content.segments }
        set { change { $0.with(segments: newValue) } }
    }

    /// Sets an attribute; nil is an explicit null.
    public func setAttribute(key: String, value: Any?) {
        // Converted outside the lock, because the conversion may call code of the value's type.
        let taken = value.map { AttributeValue(anyValue: $0) } ?? .null
        change { $0.with(attribute: key, value, taken) }
    }

    /// Returns whether the user belongs to a segment; false if the segments are unknown.
    public func isQualifiedFor(segment: String) -> Bool { content.segments?.contains(segment) ?? false }

    // MARK: Conversions

    /// Tracks a conversion event for the user.
    ///
    /// - Parameters:
    ///   - eventKey: The key of the event in the datafile.
    ///   - eventTags: Tags to send with the event; `revenue` and `value` have a special meaning. Default: nil, no tags.
    /// - Throws: `sdkNotReady`, `eventKeyInvalid`, or `eventDispatchFailed` if the event was dropped or could only be
    ///   kept in memory.
    public func trackEvent(eventKey: String, eventTags: OptimizelyEventTags? = nil) throws {
        guard let client = reference.client else { throw OptimizelyError.sdkNotReady }
        let content = content
        try client.track(
            eventKey: eventKey, userId: content.id, attributes: content.attributes ?? [:], eventTags: eventTags)
    }

    // MARK: Comparing

    /// Returns whether both contexts have the same user id, attributes, forced decisions and segments. Their clients
    /// may differ.
    public static func == (lhs: OptimizelyUserContext, rhs: OptimizelyUserContext) -> Bool {
        let (left, right) = (lhs.content, rhs.content)
        return left === right || left.isEqual(to: right)
    }

    /// The user id and the attributes.
    public var description: String {
        let content = content
        return "{ userId: \(content.id), attributes: \(content.attributes ?? [:]) }"
    }
}

/// A user's attributes by key. Audience conditions compare strings, numbers and Booleans.
public typealias OptimizelyAttributes = [String: Any?]

/// A conversion event's tags; `revenue` and `value` have a special meaning.
public typealias OptimizelyEventTags = [String: Any]

extension OptimizelyUserContext {
    /// Forces a variation for a flag or one of its rules. The variation key is checked when the flag is evaluated.
    ///
    /// - Parameters:
    ///   - context: The flag or rule.
    ///   - decision: The variation.
    /// - Returns: True.
    public func setForcedDecision(context: OptimizelyDecisionContext, decision: OptimizelyForcedDecision) -> Bool {
        change { content in
            content.with(forced: (content.forced ?? [:]).merging([context.key: decision.variationKey]) { $1 })
        }
        return true
    }

    /// The forced decision for a flag or rule, or nil if there is none.
    public func getForcedDecision(context: OptimizelyDecisionContext) -> OptimizelyForcedDecision? {
        content.forced?[context.key].map { OptimizelyForcedDecision(variationKey: $0) }
    }

    /// Removes the forced decision for a flag or rule. Returns whether there was one.
    public func removeForcedDecision(context: OptimizelyDecisionContext) -> Bool {
        var removed = false
        change { content in
            guard var forced = content.forced, forced.removeValue(forKey: context.key) != nil else { return content }
            removed = true
            return content.with(forced: forced)
        }
        return removed
    }

    /// Removes all forced decisions. Returns true even if there were none.
    public func removeAllForcedDecisions() -> Bool {
        change { $0.forced == nil ? $0 : $0.with(forced: [:]) }
        return true
    }
}

extension OptimizelyDecisionContext {
    fileprivate var key: DecisionContext { DecisionContext(flag: flagKey, rule: ruleKey) }
}

/// The target of a forced decision: a flag, or one of its rules.
public struct OptimizelyDecisionContext: Hashable, Sendable {
    /// The key of the flag.
    public let flagKey: String
    /// The key of the rule, or nil for the flag as a whole.
    public let ruleKey: String?

    /// Creates a context for a flag or one of its rules.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - ruleKey: The key of an experiment or rollout rule. Default: nil, the flag as a whole.
    public init(flagKey: String, ruleKey: String? = nil) {
        self.flagKey = flagKey
        self.ruleKey = ruleKey
    }
}

/// The variation that a user gets regardless of the rules.
public struct OptimizelyForcedDecision: Equatable, Sendable {
    /// The key of the variation.
    public let variationKey: String

    /// Creates a forced decision. The variation may belong to any rule of the flag.
    public init(variationKey: String) { self.variationKey = variationKey }
}

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
