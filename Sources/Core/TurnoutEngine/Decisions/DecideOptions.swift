/// What to leave out of a decision, and what to add to it.
public struct DecideOptions: OptionSet, Sendable, Hashable {
    /// One bit for each option.
    public let rawValue: UInt16

    /// Creates options from their bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Send no impression.
    public static let disableDecisionEvent = DecideOptions(rawValue: 1 << 0)
    /// Of several flags, return only those that are on. A decision for a single flag is always returned.
    public static let enabledFlagsOnly = DecideOptions(rawValue: 1 << 1)
    /// Neither read nor write what users were assigned before.
    public static let ignoreUserProfileService = DecideOptions(rawValue: 1 << 2)
    /// Say why. Without it only errors are reported.
    public static let includeReasons = DecideOptions(rawValue: 1 << 3)
    /// Leave out the variables.
    public static let excludeVariables = DecideOptions(rawValue: 1 << 4)
    /// Ask for predictions without looking into the cache, and do not store the answers.
    public static let ignoreCmabCache = DecideOptions(rawValue: 1 << 5)
    /// Forget all cached predictions first.
    public static let resetCmabCache = DecideOptions(rawValue: 1 << 6)
    /// Forget the cached prediction of this user and rule first.
    public static let invalidateUserCmabCache = DecideOptions(rawValue: 1 << 7)

    /// The options with these names; names that are not known do not count.
    public init(names: [String]) { self.init(Self.named.filter { names.contains($0.key) }.map(\.value)) }

    /// All options with their names in the vendor's interfaces.
    public static let named: KeyValuePairs<String, DecideOptions> = [
        "disableDecisionEvent": .disableDecisionEvent,
        "enabledFlagsOnly": .enabledFlagsOnly,
        "ignoreUserProfileService": .ignoreUserProfileService,
        "includeReasons": .includeReasons,
        "excludeVariables": .excludeVariables,
        "ignoreCmabCache": .ignoreCmabCache,
        "resetCmabCache": .resetCmabCache,
        "invalidateUserCmabCache": .invalidateUserCmabCache,
    ]
}
