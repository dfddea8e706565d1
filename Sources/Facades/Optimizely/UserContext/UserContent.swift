import TurnoutClient

// @unchecked Sendable because it is immutable, and callers hand over the attributes' values.
/// The immutable state of a user context. A change to the context replaces its content, so decisions and copies keep
/// the old one without copying.
final class UserContent: @unchecked Sendable {
    /// The attributes in the caller's form. Converting one form to the other takes longer than a decision.
    enum GivenAttributes {
        case values([String: Any])
        case optionals(OptimizelyAttributes)
    }

    /// The user in the client's representation.
    let user: User
    private let given: GivenAttributes?
    /// The segments in the order they were received; nil if they were never set.
    let segments: [String]?
    /// The forced decisions; nil if there never were any.
    let forced: ForcedDecisions?

    private init(_ user: User, _ given: GivenAttributes?, segments: [String]? = nil, forced: ForcedDecisions? = nil) {
        self.user = user
        self.given = given
        self.segments = segments
        self.forced = forced
    }

    /// Creates content with attributes; a nil value is an explicit null.
    convenience init(_ userId: String, _ attributes: OptimizelyAttributes?) {
        self.init(
            User(userId, attributes: Attributes(anyValues: attributes ?? [:])), attributes.map { .optionals($0) })
    }

    /// Creates the content of a user context, which always has attributes.
    convenience init(_ userId: String, values: [String: Any]?) {
        self.init(User(userId, attributes: Attributes(anyValues: values ?? [:])), .values(values ?? [:]))
    }

    /// The attributes in the caller's form; nil if there never were any.
    var attributes: OptimizelyAttributes? {
        switch given {
        case .values(let values): values
        case .optionals(let values): values
        case nil: nil
        }
    }

    var id: String { user.id }

    /// Whether both have the same user id, attributes (compared by value), forced decisions and segments.
    func isEqual(to other: UserContent) -> Bool {
        id == other.id && forced == other.forced && segments == other.segments
            && user.attributes.count == other.user.attributes.count
            && user.attributes.allSatisfy { other.user.attributes[$0.name] == $0.value }
    }

    // MARK: Changes

    func with(id: String) -> UserContent {
        var user = User(id, attributes: user.attributes)
        user.segments = self.user.segments
        user.forcedDecisions = self.user.forcedDecisions
        return UserContent(user, given, segments: segments, forced: forced)
    }

    func with(attribute key: String, _ value: Any?, _ taken: AttributeValue) -> UserContent {
        var (user, attributes) = (user, attributes ?? [:])
        user.attributes[key] = taken
        attributes.updateValue(value, forKey: key)
        return UserContent(user, .optionals(attributes), segments: segments, forced: forced)
    }

    func with(segments: [String]?) -> UserContent {
        var user = user
        user.segments = Set(segments ?? [])
        return UserContent(user, given, segments: segments, forced: forced)
    }

    func with(forced: ForcedDecisions?) -> UserContent {
        var user = user
        user.forcedDecisions = forced ?? [:]
        return UserContent(user, given, segments: segments, forced: forced)
    }
}
