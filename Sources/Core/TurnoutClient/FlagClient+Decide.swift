extension FlagClient {
    /// Decides a flag for a user.
    ///
    /// Does not throw. Blocks only for a remote profile store, and for an event store that makes events durable before
    /// it returns. If a flag cannot be decided, its reasons say why. Rules with contextual bandits are skipped; see
    /// ``decide(_:for:within:options:)->Decision``.
    ///
    /// The effects happen immediately: the impression is queued, a new assignment is stored, and listeners are
    /// notified.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - user: The user to decide for.
    ///   - options: Options in addition to the client's defaults.
    /// - Returns: The decision; without a variation if the flag is unknown or there is no datafile yet.
    /// - Complexity: A fraction of a microsecond, and the profile store's time.
    public func decide(_ flagKey: String, for user: User, options: DecideOptions = []) -> Decision {
        let result = runtime.evaluate(flagKey, for: user, options: options)
        notify(result, user)
        return result.decision
    }

    /// Decides several flags for a user, in the given order.
    ///
    /// The profile is loaded once, and new assignments are stored once.
    ///
    /// - Returns: The decisions by flag key; with `enabledFlagsOnly` only enabled flags.
    public func decide(_ flagKeys: [String], for user: User, options: DecideOptions = []) -> [String: Decision] {
        let results = runtime.evaluate(flagKeys, for: user, options: options)
        return returned(results, notifying: runtime.sendImpressions(of: results), user)
    }

    /// Decides all flags of the datafile for a user, in its order. Empty without a datafile.
    public func decideAll(for user: User, options: DecideOptions = []) -> [String: Decision] {
        let results = runtime.evaluateAll(for: user, options: options)
        return returned(results, notifying: runtime.sendImpressions(of: results), user)
    }

    /// Explains a decision step by step; nil without a datafile.
    ///
    /// It has no effects: no impression, no assignment, no notification.
    public func explain(_ flagKey: String, for user: User) -> DecisionTrace? { runtime.explain(flagKey, for: user) }

    // MARK: Waiting for predictions and slow stores

    /// Decides a flag for a user, and waits for what the decision needs: the prediction of a contextual bandit, or a
    /// remote profile store.
    ///
    /// Does not block threads of Swift's concurrency pool, and users do not wait for each other. If the task is
    /// cancelled, outstanding predictions count as failed.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - user: The user to decide for.
    ///   - limit: The total time to wait. A late prediction counts as failed. With a late profile the decision has the
    ///     reason ``Reason/profileUnavailable``, and its assignment is not stored. Writes continue after the limit.
    ///   - options: Options in addition to the client's defaults.
    /// - Returns: The decision; without a variation if the flag is unknown or there is no datafile yet.
    public func decide(
        _ flagKey: String, for user: User, within limit: Duration, options: DecideOptions = []
    ) async -> Decision {
        let result = await runtime.evaluate(flagKey, for: user, within: limit, options: options)
        notify(result, user)
        return result.decision
    }

    /// Decides several flags for a user, and waits for what the decisions need.
    ///
    /// See ``decide(_:for:within:options:)->Decision``.
    public func decide(
        _ flagKeys: [String], for user: User, within limit: Duration, options: DecideOptions = []
    ) async -> [String: Decision] {
        let elapsed = configuration.clock.stopwatch()
        let results = await runtime.evaluate(flagKeys, for: user, within: limit, options: options)
        return returned(
            results, notifying: await runtime.sendImpressions(of: results, within: limit - elapsed()), user)
    }

    /// Decides all flags for a user, and waits for what the decisions need.
    ///
    /// See ``decide(_:for:within:options:)->Decision``.
    public func decideAll(
        for user: User, within limit: Duration, options: DecideOptions = []
    ) async -> [String: Decision] {
        let elapsed = configuration.clock.stopwatch()
        let results = await runtime.evaluateAll(for: user, within: limit, options: options)
        return returned(
            results, notifying: await runtime.sendImpressions(of: results, within: limit - elapsed()), user)
    }

    // MARK: Notifications

    private func returned(
        _ results: DecisionResults, notifying decisions: [DecisionResult], _ user: User
    ) -> [String: Decision] {
        for decision in decisions { notify(decision, user) }
        return Dictionary(results.returned.map { ($0.flagKey, $0) }) { $1 }
    }

    private func notify(_ result: DecisionResult, _ user: User) {
        guard hub.hasListeners else { return }
        if let sent = result.sent { hub.post(.impression(sent.impression, user: user)) }
        if result.decision.flag != nil, !result.decision.isError { hub.post(.decision(result.decision, user: user)) }
    }
}
