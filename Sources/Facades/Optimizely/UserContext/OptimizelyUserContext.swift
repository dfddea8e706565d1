import Foundation
import TurnoutClient

// @unchecked Sendable because all that changes is `current`, which is only reached through the link's lock.
/// A user, and what a client needs to know to decide for them.
///
/// ```swift
/// let user = client.createUserContext(userId: "ada", attributes: ["country": "US"])
/// let decision = user.decide(key: "checkout")
/// ```
///
/// A context may be used from several threads at once. It does not keep its client: when that is gone, decisions answer
/// that there is no configuration.
public class OptimizelyUserContext: Equatable, CustomStringConvertible, @unchecked Sendable {
    private var current: UserContent
    let link: ClientLink

    init(_ content: UserContent, _ link: ClientLink) {
        current = content
        self.link = link
    }

    /// Creates a context. If the device has an id of its own, the service that knows segments is told that both belong
    /// together.
    ///
    /// - Parameters:
    ///   - optimizely: The client that decides.
    ///   - userId: The user's id, of any form.
    ///   - attributes: What is known about the user; nil values are explicit nulls. Default: nothing.
    public convenience init(optimizely: OptimizelyClient, userId: String, attributes: [String: Any?]? = nil) {
        self.init(UserContent(userId, attributes), optimizely)
    }

    convenience init(_ content: UserContent, _ client: OptimizelyClient) {
        self.init(content, client.link(for: content.user))
        client.identify(content.id)
    }

    /// What is known of the user now. It stays what it is when the context changes.
    @inline(__always)
    var content: UserContent { link.lock.withLock { _ in current } }

    func change(_ change: (UserContent) -> UserContent) {
        // What was is released outside the lock: it may hold objects of the caller's, whose ends may come back here.
        let former = link.lock.withLock { _ in
            defer { current = change(current) }
            return current
        }
        withExtendedLifetime(former) {}
    }

    /// The client, or nil: it is gone.
    package var optimizely: OptimizelyClient? { link.client }

    /// A context that is equal to this one, and does not change with it.
    package var clone: OptimizelyUserContext { OptimizelyUserContext(content, link) }

    // MARK: The user

    /// The user's id.
    public var userId: String {
        get { content.id }
        set { change { $0.with(id: newValue) } }
    }

    /// What is known about the user.
    public var attributes: [String: Any?] { content.attributes ?? [:] }

    /// The segments that the user belongs to, fetched or set by hand; nil if they are not known.
    public var qualifiedSegments: [String]? {
        get { content.segments }
        set { change { $0.with(segments: newValue) } }
    }

    /// Sets an attribute; nil is an explicit null.
    public func setAttribute(key: String, value: Any?) {
        // Outside the lock, because it may call code of the value's type.
        let taken = value.map { AttributeValue(anyValue: $0) } ?? .null
        change { $0.with(attribute: key, value, taken) }
    }

    /// Whether the user belongs to a segment; false as long as the segments are not known.
    public func isQualifiedFor(segment: String) -> Bool { content.segments?.contains(segment) ?? false }

    // MARK: Conversions

    /// Counts something that the user did.
    ///
    /// - Parameters:
    ///   - eventKey: The key of the event in the datafile.
    ///   - eventTags: What to add. Default: nothing.
    /// - Throws: `sdkNotReady` or `eventKeyInvalid`.
    public func trackEvent(eventKey: String, eventTags: OptimizelyEventTags? = nil) throws {
        guard let client = link.client else { throw OptimizelyError.sdkNotReady }
        let content = content
        try client.track(
            eventKey: eventKey, userId: content.id, attributes: content.attributes ?? [:], eventTags: eventTags)
    }

    // MARK: Comparing

    /// Whether both stand for the same user with the same attributes, forced decisions and segments, whatever the
    /// client.
    public static func == (lhs: OptimizelyUserContext, rhs: OptimizelyUserContext) -> Bool {
        let (left, right) = (lhs.content, rhs.content)
        return left === right || left.isEqual(to: right)
    }

    /// The id and the attributes as Swift prints them.
    public var description: String {
        let content = content
        return "{ userId: \(content.id), attributes: \(content.attributes ?? [:]) }"
    }
}
