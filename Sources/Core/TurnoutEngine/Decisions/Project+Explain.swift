extension Project {
    /// Decides one flag for a user, and returns how the decision was made.
    ///
    /// The decision is the one that ``decide(_:for:profile:predictions:options:)-(String,_,_,_,_)`` makes.
    public func explain(
        _ flagKey: String, for user: User, profile: UserProfile = UserProfile(),
        predictions: Predictions = .unavailable, options: DecideOptions = []
    ) -> DecisionTrace {
        let decision = decide(
            flagKey, for: user, profile: profile, predictions: predictions, options: options.union(.includeReasons))
        return DecisionTrace(decision: decision, user: user, stages: DecisionTrace.stages(of: decision))
    }
}
