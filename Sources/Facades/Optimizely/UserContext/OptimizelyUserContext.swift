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
