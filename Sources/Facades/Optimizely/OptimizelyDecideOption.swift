package import TurnoutEngine

/// An option that changes how a flag is evaluated or what its decision contains.
public enum OptimizelyDecideOption: Int, Sendable {
    /// Send no impression.
    case disableDecisionEvent
    /// When several flags are evaluated, return only those that are on.
    case enabledFlagsOnly
    /// Neither read nor store assignments.
    case ignoreUserProfileService
    /// Include reasons in the decision. Without this option, the reasons contain only errors.
    case includeReasons
    /// Leave the variables out of the decision.
    case excludeVariables
    /// Request predictions without reading or writing the cache.
    case ignoreCmabCache
    /// Clear all cached predictions first.
    case resetCmabCache
    /// Remove the cached prediction for this user and rule first.
    case invalidateUserCmabCache

    /// The engine's equivalent of the option.
    package var decideOption: DecideOptions {
        switch self {
        case .disableDecisionEvent: .disableDecisionEvent
        case .enabledFlagsOnly: .enabledFlagsOnly
        case .ignoreUserProfileService: .ignoreUserProfileService
        case .includeReasons: .includeReasons
        case .excludeVariables: .excludeVariables
        case .ignoreCmabCache: .ignoreCmabCache
        case .resetCmabCache: .resetCmabCache
        case .invalidateUserCmabCache: .invalidateUserCmabCache
        }
    }
}

extension DecideOptions {
    /// The set of these options; duplicates are ignored.
    package init(_ options: [OptimizelyDecideOption]?) {
        self = []
        guard let options else { return }
        for option in options { insert(option.decideOption) }
    }
}

/// An option for how the segment cache is used when a user's segments are fetched.
public enum OptimizelySegmentOption: Int, Sendable {
    /// Request the segments without reading or writing the cache.
    case ignoreCache
    /// Clear the cached segments of all users first.
    case resetCache
}
