package import TurnoutEngine

/// What to leave out of a decision, and what to add to it.
public enum OptimizelyDecideOption: Int, Sendable {
    /// Send no impression.
    case disableDecisionEvent
    /// Of several flags, return only those that are on.
    case enabledFlagsOnly
    /// Neither read nor write what users were assigned before.
    case ignoreUserProfileService
    /// Say why. Without it only errors are reported.
    case includeReasons
    /// Leave out the variables.
    case excludeVariables
    /// Ask for predictions without looking into the cache, and do not store the answers.
    case ignoreCmabCache
    /// Forget all cached predictions first.
    case resetCmabCache
    /// Forget the cached prediction of this user and rule first.
    case invalidateUserCmabCache

    /// The option as the engine knows it.
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
    /// All of these options; an option that is named twice counts once.
    package init(_ options: [OptimizelyDecideOption]?) {
        self = []
        guard let options else { return }
        for option in options { insert(option.decideOption) }
    }
}
