extension Client {
    /// Decides a flag for a user.
    ///
    /// Never throws, and waits for nothing but a profile store on another machine and an event store that is to be safe
    /// before it returns, if there are such: what cannot be decided says so in its reasons, and contextual bandits are
    /// passed over (see ``decide(_:for:within:options:)->Decision``). What follows from a decision is done: its
    /// impression is accepted for delivery, a new assignment is remembered, listeners are told.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - user: Whom to decide for.
    ///   - options: What to leave out and what to add, beside the client's defaults.
    /// - Returns: The decision; without a variation if the flag is unknown or there is no datafile yet.
    /// - Complexity: A fraction of a microsecond, and the profile store's time.
    public func decide(_ flagKey: String, for user: User, options: DecideOptions = []) -> Decision {
        let made = make(flagKey, for: user, options: options)
        announce(made, user)
        return made.decision
    }

    /// Decides several flags for a user, in the given order.
    ///
    /// The profile is looked up once and added to once.
    ///
    /// - Returns: The decisions by flag key; with `enabledFlagsOnly` only those that are on.
    public func decide(_ flagKeys: [String], for user: User, options: DecideOptions = []) -> [String: Decision] {
        let batch = make(flagKeys, for: user, options: options)
        return returned(batch, announcing: send(batch), user)
    }

    /// Decides all flags of the datafile for a user, in its order. Empty as long as there is no datafile.
    public func decideAll(for user: User, options: DecideOptions = []) -> [String: Decision] {
        let batch = makeAll(for: user, options: options)
        return returned(batch, announcing: send(batch), user)
    }

    /// Explains a decision step by step, or nil: there is no datafile.
    ///
    /// Nothing follows from it: no impression, no assignment, no notification.
    public func explain(_ flagKey: String, for user: User) -> DecisionTrace? {
        guard let snapshot = snapshots[user.stripe] else { return nil }
        guard let profiles else { return snapshot.project.explain(flagKey, for: prepared(user, snapshot)) }
        let visit = profiles.open(user.id)
        defer { profiles.close(visit, adding: [:]) }
        return snapshot.project.explain(flagKey, for: prepared(user, snapshot), remembering: visit.profile)
    }

    func returned(_ batch: MadeDecisions, announcing made: [MadeDecision], _ user: User) -> [String: Decision] {
        for decision in made { announce(decision, user) }
        return Dictionary(batch.returned.map { ($0.flagKey, $0) }) { $1 }
    }

    func announce(_ made: MadeDecision, _ user: User) {
        guard hub.isHeard else { return }
        if let sent = made.sent { hub.post(.impression(sent.impression, user: user)) }
        if made.decision.flag != nil, !made.decision.isError { hub.post(.decision(made.decision, user: user)) }
    }
}
