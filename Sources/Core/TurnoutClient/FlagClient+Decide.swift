extension FlagClient {
    /// Decides a flag for a user.
    ///
    /// Does not throw. If a flag cannot be decided, its reasons say why. Rules with contextual bandits are skipped; see
    /// ``decide(_:for:within:options:)->Decision``.
    ///
    /// Blocks the calling thread only for a remote profile store, for an event store that makes events durable before
    /// it returns, and while listeners are 10,000 notifications behind; see ``addListener(to:_:)``.
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
        guard hooks == nil else { return decideWithHooks(flagKey, for: user, options: options) }
        var sent: ImpressionEvent?
        let decision = runtime.evaluate(flagKey, for: user, options: options, sent: &sent)
        post(decision, sent, user)
        return decision
    }

    /// Decides several flags for a user, in the given order.
    ///
    /// The profile is loaded once, and new assignments are stored once.
    ///
    /// - Returns: The decisions by flag key; with `enabledFlagsOnly` only enabled flags.
    public func decide(_ flagKeys: [String], for user: User, options: DecideOptions = []) -> [String: Decision] {
        let request = request(flagKeys, user, options)
        let results = runtime.evaluate(flagKeys, for: request.user, options: request.options)
        return decisions(of: results, notifying: runtime.sendImpressions(of: results), request.user)
    }

    /// Decides all flags of the datafile for a user, in its order. Empty without a datafile.
    public func decideAll(for user: User, options: DecideOptions = []) -> [String: Decision] {
        let request = request(nil, user, options)
        let results = runtime.evaluateAll(for: request.user, options: request.options)
        return decisions(of: results, notifying: runtime.sendImpressions(of: results), request.user)
    }

    /// Explains a decision step by step; nil without a datafile.
    ///
    /// It has no effects: no impression, no assignment, no notification. Hooks before decisions apply, so that the
    /// explanation is that of the decision.
    public func explain(_ flagKey: String, for user: User) -> DecisionTrace? {
        runtime.explain(flagKey, for: request([flagKey], user, []).user)
    }

    // MARK: Waiting for predictions and slow stores

    /// Decides a flag for a user, and waits for what the decision needs: the prediction of a contextual bandit, or a
    /// remote profile store.
    ///
    /// Does not block threads of Swift's concurrency pool, and users do not wait for each other. If the task is
    /// canceled, outstanding predictions count as failed.
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
        let request = request([flagKey], user, options)
        let result = await runtime.evaluate(flagKey, for: request.user, within: limit, options: request.options)
        notify(result, request.user)
        return result.decision
    }

    /// Decides several flags for a user, and waits for what the decisions need.
    ///
    /// See ``decide(_:for:within:options:)->Decision``.
    public func decide(
        _ flagKeys: [String], for user: User, within limit: Duration, options: DecideOptions = []
    ) async -> [String: Decision] {
        let elapsed = configuration.clock.stopwatch()
        let request = request(flagKeys, user, options)
        let results = await runtime.evaluate(flagKeys, for: request.user, within: limit, options: request.options)
        return decisions(
            of: results, notifying: await runtime.sendImpressions(of: results, within: limit - elapsed()), request.user)
    }

    /// Decides all flags for a user, and waits for what the decisions need.
    ///
    /// See ``decide(_:for:within:options:)->Decision``.
    public func decideAll(
        for user: User, within limit: Duration, options: DecideOptions = []
    ) async -> [String: Decision] {
        let elapsed = configuration.clock.stopwatch()
        let request = request(nil, user, options)
        let results = await runtime.evaluateAll(for: request.user, within: limit, options: request.options)
        return decisions(
            of: results, notifying: await runtime.sendImpressions(of: results, within: limit - elapsed()), request.user)
    }

    // MARK: Hooks and notifications

    /// Decides a flag. Sends the impression, notifies listeners and calls hooks after it only if the result differs
    /// from the last one.
    ///
    /// - Returns: The decision and its content; nil if the content has not changed.
    func decide(
        _ flagKey: String, for user: User, within limit: Duration, options: DecideOptions,
        unlessEqualTo last: DecidedContent?
    ) async -> (Decision, DecidedContent)? {
        let elapsed = configuration.clock.stopwatch()
        let request = request([flagKey], user, options)
        // Otherwise a decision for a disabled flag would be missing.
        let options = request.options.subtracting(.enabledFlagsOnly)
        let results = await runtime.evaluate([flagKey], for: request.user, within: limit, options: options)
        let decision = results.all.first ?? .notReady(flagKey)
        let content = DecidedContent(decision, userID: user.id)
        guard content != last else { return nil }
        for result in await runtime.sendImpressions(of: results, within: limit - elapsed()) {
            notify(result, request.user)
        }
        return (decision, content)
    }

    /// Decides a flag without effects: for a view's first frame, before a sequence decides with all effects. Hooks
    /// before decisions apply.
    package func preview(_ flagKey: String, for user: User, options: DecideOptions) -> Decision {
        let request = request([flagKey], user, options)
        return runtime.preview(flagKey, for: request.user, options: request.options)
    }

    /// Out of line, so that a decision without hooks tests one reference.
    @inline(never)
    private func decideWithHooks(_ flagKey: String, for user: User, options: DecideOptions) -> Decision {
        let request = request([flagKey], user, options)
        var sent: ImpressionEvent?
        let decision = runtime.evaluate(flagKey, for: request.user, options: request.options, sent: &sent)
        notify(DecisionResult(decision: decision, sent: sent), request.user)
        return decision
    }

    /// Returns the request for decisions, as hooks change it.
    private func request(_ flagKeys: [String]?, _ user: User, _ options: DecideOptions) -> DecisionRequest {
        var request = DecisionRequest(flagKeys: flagKeys, user: user, options: options)
        hooks?.beforeDecision(&request)
        return request
    }

    private func decisions(
        of results: DecisionResults, notifying all: [DecisionResult], _ user: User
    ) -> [String: Decision] {
        for decision in all { notify(decision, user) }
        return Dictionary(results.selected.map { ($0.flagKey, $0) }) { $1 }
    }

    private func notify(_ result: DecisionResult, _ user: User) {
        if let hooks {
            if let event = result.sent?.hookedEvent { hooks.afterEvent(event) }
            hooks.afterDecision(result.decision, user)
        }
        post(result.decision, result.sent, user)
    }

    /// Notifies listeners, and counts the decision.
    @inline(__always)
    private func post(_ decision: Decision, _ sent: ImpressionEvent?, _ user: User) {
        guard hub.isObserved else { return }
        decisionCounts?.add(decision)
        if let sent { hub.post(.impression(sent.impression, user: user)) }
        if decision.flag != nil, !decision.isError { hub.post(.decision(decision, user: user)) }
    }
}
