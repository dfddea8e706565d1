/// A user, and the client that decides for them.
///
/// ```swift
/// var ada = client.user("ada", attributes: ["country": "US"])
/// ada.attributes["plan"] = "gold"
/// let decision = ada.decide("checkout")
/// ```
///
/// A value, like the ``User`` in it: each copy changes by itself, and the compiler sees to it that no two threads
/// change one at the same time.
public struct UserContext: Sendable {
    /// Who decides.
    public let client: Client
    /// Whom it decides for.
    public var user: User

    /// Creates a context; ``Client/user(_:attributes:)`` is shorter.
    public init(client: Client, user: User) {
        self.client = client
        self.user = user
    }

    /// The user's id.
    public var id: String { user.id }

    /// What is known about the user.
    public var attributes: Attributes {
        get { user.attributes }
        set { user.attributes = newValue }
        _modify { yield &user.attributes }
    }

    /// The segments that the user belongs to, fetched or set by hand.
    public var segments: Set<String> {
        get { user.segments }
        set { user.segments = newValue }
    }

    /// The variations that the user gets in place of a decision.
    public var forcedDecisions: ForcedDecisions {
        get { user.forcedDecisions }
        set { user.forcedDecisions = newValue }
        _modify { yield &user.forcedDecisions }
    }

    // MARK: Deciding

    /// Decides a flag. See ``Client/decide(_:for:options:)->Decision``.
    public func decide(_ flagKey: String, options: DecideOptions = []) -> Decision {
        client.decide(flagKey, for: user, options: options)
    }

    /// Decides several flags. See ``Client/decide(_:for:options:)->[String:Decision]``.
    public func decide(_ flagKeys: [String], options: DecideOptions = []) -> [String: Decision] {
        client.decide(flagKeys, for: user, options: options)
    }

    /// Decides all flags. See ``Client/decideAll(for:options:)``.
    public func decideAll(options: DecideOptions = []) -> [String: Decision] {
        client.decideAll(for: user, options: options)
    }

    /// Decides a flag, and waits for what the decision needs. See ``Client/decide(_:for:within:options:)->Decision``.
    public func decide(_ flagKey: String, within limit: Duration, options: DecideOptions = []) async -> Decision {
        await client.decide(flagKey, for: user, within: limit, options: options)
    }

    /// Decides several flags, and waits for what the decisions need.
    public func decide(
        _ flagKeys: [String], within limit: Duration, options: DecideOptions = []
    ) async -> [String: Decision] {
        await client.decide(flagKeys, for: user, within: limit, options: options)
    }

    /// Decides all flags, and waits for what the decisions need.
    public func decideAll(within limit: Duration, options: DecideOptions = []) async -> [String: Decision] {
        await client.decideAll(for: user, within: limit, options: options)
    }

    /// Explains a decision step by step, or nil: there is no datafile. Nothing follows from it.
    public func explain(_ flagKey: String) -> DecisionTrace? { client.explain(flagKey, for: user) }

    // MARK: Events and segments

    /// Counts something that the user did. See ``Client/track(_:for:tags:)``.
    public func track(_ eventKey: String, tags: [String: AttributeValue] = [:]) throws(TrackError) {
        try client.track(eventKey, for: user, tags: tags)
    }

    /// Counts something that the user did, and waits until it is safe. See ``Client/track(_:for:tags:within:)``.
    public func track(
        _ eventKey: String, tags: [String: AttributeValue] = [:], within limit: Duration
    ) async throws(TrackError) {
        try await client.track(eventKey, for: user, tags: tags, within: limit)
    }

    /// Asks which segments the user belongs to, and takes them over. On failure the segments stay as they are.
    ///
    /// - Throws: ``SegmentError``.
    public mutating func fetchSegments(options: FetchSegmentsOptions = []) async throws(SegmentError) {
        user.segments = try await client.segments(of: user.id, options: options)
    }
}

extension UserContext: CustomStringConvertible {
    /// The user's id and the names of the attributes; the values are nobody's business.
    public var description: String { "user \(id) with \(attributes.map(\.name).sorted().joined(separator: ", "))" }
}
