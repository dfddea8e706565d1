/// Options of a decision.
public struct DecideOptions: OptionSet, Sendable, Hashable {
    /// One bit for each option.
    public let rawValue: UInt16

    /// Creates options from their bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Does not send an impression.
    public static let disableDecisionEvent = DecideOptions(rawValue: 1 << 0)
    /// Returns only enabled flags, in decisions for several flags. A decision for a single flag is always returned.
    public static let enabledFlagsOnly = DecideOptions(rawValue: 1 << 1)
    /// Neither reads nor stores assignments.
    public static let ignoreUserProfileService = DecideOptions(rawValue: 1 << 2)
    /// Includes reasons. Without this option only errors are reported.
    public static let includeReasons = DecideOptions(rawValue: 1 << 3)
    /// Leaves out the variables.
    public static let excludeVariables = DecideOptions(rawValue: 1 << 4)
    /// Requests predictions without using the cache, and does not cache the results.
    public static let ignoreCmabCache = DecideOptions(rawValue: 1 << 5)
    /// Removes all cached predictions first.
    public static let resetCmabCache = DecideOptions(rawValue: 1 << 6)
    /// Removes the cached prediction for this user and rule first.
    public static let invalidateUserCmabCache = DecideOptions(rawValue: 1 << 7)

    /// The options with the given names; unknown names are ignored.
    public init(names: [String]) { self.init(Self.named.filter { names.contains($0.key) }.map(\.value)) }

    /// All options by their names in the vendor's interfaces.
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
