import TurnoutClient

// @unchecked Sendable because nothing in it changes, and the attributes are values that the caller handed over.
/// What a context knows about its user at one moment. Changing a context replaces its content, so that decisions and
/// copies keep theirs without copying anything.
final class UserContent: @unchecked Sendable {
    /// The attributes as a caller gave them. Changing one form into the other takes longer than a decision.
    enum GivenAttributes {
        case values([String: Any])
        case optionals(OptimizelyAttributes)
    }

    /// The user as the client knows it.
    let user: User
    private let given: GivenAttributes?
    /// The segments in the order they came, nil if they were never fetched.
    let segments: [String]?
    /// The forced decisions, nil if there never were any.
    let forced: ForcedDecisions?

    private init(_ user: User, _ given: GivenAttributes?, segments: [String]? = nil, forced: ForcedDecisions? = nil) {
        self.user = user
        self.given = given
        self.segments = segments
        self.forced = forced
    }

    /// A user with attributes of which some may be nil, which is an explicit null.
    convenience init(_ userId: String, _ attributes: OptimizelyAttributes?) {
        self.init(
            User(userId, attributes: Attributes(anyValues: attributes)), attributes.map { .optionals($0) })
    }

    /// A user with attributes.
    convenience init(_ userId: String, values: [String: Any]?) {
        self.init(User(userId, attributes: Attributes(anyValues: values)), values.map { .values($0) })
    }

    /// The attributes as they were given, nil if none ever were.
    var attributes: OptimizelyAttributes? {
        switch given {
        case .values(let values): values
        case .optionals(let values): values
        case nil: nil
        }
    }

    var id: String { user.id }

    /// Whether both stand for the same user; attributes are compared by value.
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
