/// A user, bound to a client.
///
/// ```swift
/// var ada = client.user("ada", attributes: ["country": "US"])
/// ada.attributes["plan"] = "gold"
/// let decision = ada.decide("checkout")
/// ```
///
/// A value, like its ``User``: copies are independent, and the compiler prevents two threads from changing one at the
/// same time.
public struct UserContext: Sendable {
    /// The client, or an object that shares everything with it.
    public let client: FlagClient
    /// The user.
    public var user: User

    /// Creates a context; ``FlagClient/user(_:attributes:)-(_,Attributes)`` is shorter.
    public init(client: FlagClient, user: User) {
        self.client = client.replica(forUser: user.id)
        self.user = user
    }

    /// The user's id.
    public var id: String { user.id }

    /// The user's attributes.
    public var attributes: Attributes {
        get { user.attributes }
        set { user.attributes = newValue }
        _modify { yield &user.attributes }
    }

    /// The user's segments, fetched or set explicitly.
    public var segments: Set<String> {
        get { user.segments }
        set { user.segments = newValue }
    }

    /// The user's forced decisions.
    public var forcedDecisions: ForcedDecisions {
        get { user.forcedDecisions }
        set { user.forcedDecisions = newValue }
        _modify { yield &user.forcedDecisions }
    }

    // MARK: Deciding

    /// Decides a flag. See ``FlagClient/decide(_:for:options:)->Decision``.
    public func decide(_ flagKey: String, options: DecideOptions = []) -> Decision {
        client.decide(flagKey, for: user, options: options)
    }

    /// Decides several flags. See ``FlagClient/decide(_:for:options:)->[String:Decision]``.
    public func decide(_ flagKeys: [String], options: DecideOptions = []) -> [String: Decision] {
        client.decide(flagKeys, for: user, options: options)
    }

    /// Decides all flags. See ``FlagClient/decideAll(for:options:)``.
    public func decideAll(options: DecideOptions = []) -> [String: Decision] {
        client.decideAll(for: user, options: options)
    }

    /// Decides a flag, and waits for what the decision needs. See
    /// ``FlagClient/decide(_:for:within:options:)->Decision``.
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

    /// Explains a decision step by step, without effects; nil without a datafile.
    public func explain(_ flagKey: String) -> DecisionTrace? { client.explain(flagKey, for: user) }

    // MARK: Events and segments

    /// Records a conversion of the user. See ``FlagClient/track(_:for:tags:)``.
    public func track(_ eventKey: String, tags: [String: AttributeValue] = [:]) throws(TrackError) {
        try client.track(eventKey, for: user, tags: tags)
    }

    /// Records a conversion of the user, and waits until it is durable. See ``FlagClient/track(_:for:tags:within:)``.
    public func track(
        _ eventKey: String, tags: [String: AttributeValue] = [:], within limit: Duration
    ) async throws(TrackError) {
        try await client.track(eventKey, for: user, tags: tags, within: limit)
    }

    /// Fetches the segments of the user and sets ``segments``. On failure they are unchanged.
    ///
    /// - Throws: ``SegmentError``.
    public mutating func fetchSegments(options: FetchSegmentsOptions = []) async throws(SegmentError) {
        user.segments = try await client.segments(of: user.id, options: options)
    }
}

extension UserContext: CustomStringConvertible {
    /// The attributes of the user, without the id and all values: `user with attributes country, orders`.
    public var description: String { user.description }

    /// The user, with the id and the values on request; see `User.description(includingPersonalData:)`.
    public func description(includingPersonalData isIncluded: Bool) -> String {
        user.description(includingPersonalData: isIncluded)
    }
}

extension UserContext {
    /// Decides a flag, and returns whether it is on. See ``FlagClient/isEnabled(_:for:options:)``.
    ///
    /// ```swift
    /// if ada.isEnabled("checkout") { … }
    /// ```
    public func isEnabled(_ flagKey: String, options: DecideOptions = []) -> Bool {
        client.isEnabled(flagKey, for: user, options: options)
    }

    /// Decides a flag, and returns the value of one of its variables. The type is that of the default: `Bool`, `Int`,
    /// `Double` or `String`. See `FlagClient.value(_:_:default:for:options:)`.
    ///
    /// ```swift
    /// let steps = ada.value("checkout", "steps", default: 3)
    /// ```
    @inlinable
    public func value<Value: VariableConvertible>(
        _ flagKey: String, _ variableKey: String, default value: Value, options: DecideOptions = []
    ) -> Value {
        client.value(flagKey, variableKey, default: value, for: user, options: options)
    }

    /// Decides a flag, and decodes the value of one of its variables. The type is that of the default. See
    /// `FlagClient.value(_:_:default:for:options:)`.
    ///
    /// ```swift
    /// let theme = ada.value("checkout", "theme", default: Theme.standard)
    /// ```
    public func value<Value: Decodable>(
        _ flagKey: String, _ variableKey: String, default value: Value, options: DecideOptions = []
    ) -> Value {
        client.value(flagKey, variableKey, default: value, for: user, options: options)
    }

    // MARK: Waiting for predictions and slow stores

    /// Decides a flag, waits for what the decision needs, and returns whether it is on.
    public func isEnabled(_ flagKey: String, within limit: Duration, options: DecideOptions = []) async -> Bool {
        await client.isEnabled(flagKey, for: user, within: limit, options: options)
    }

    /// Decides a flag, waits for what the decision needs, and returns the value of one of its variables.
    @inlinable
    public func value<Value: VariableConvertible>(
        _ flagKey: String, _ variableKey: String, default value: Value, within limit: Duration,
        options: DecideOptions = []
    ) async -> Value {
        await client.value(flagKey, variableKey, default: value, for: user, within: limit, options: options)
    }

    /// Decides a flag, waits for what the decision needs, and decodes the value of one of its variables.
    public func value<Value: Decodable>(
        _ flagKey: String, _ variableKey: String, default value: Value, within limit: Duration,
        options: DecideOptions = []
    ) async -> Value {
        await client.value(flagKey, variableKey, default: value, for: user, within: limit, options: options)
    }
}
