// Asynchronous evaluation, which waits for predictions, remote profile stores and durable events.

extension DecisionRuntime {
    /// Like ``evaluate(_:for:options:)-(String,_,_)``, but waits for what the decision needs.
    ///
    /// The limit covers everything together. A late prediction counts as failed; with a late profile the decision has
    /// the reason ``Reason/profileUnavailable``. Writes continue without the caller.
    package func evaluate(
        _ flagKey: String, for user: User, within limit: Duration, options: DecideOptions
    ) async -> DecisionResult {
        guard let snapshot = snapshots.current else {
            return DecisionResult(decision: logged(.notReady(flagKey), user))
        }
        let options = options.union(defaultOptions)
        guard snapshot.project.hasFlag(flagKey) else {
            return DecisionResult(
                decision: logged(snapshot.project.decide(flagKey, for: user, options: options), user))
        }
        let elapsed = services.clock.stopwatch()
        let user = withOverrides(user, snapshot)
        let decision = await evaluate(for: user, with: snapshot, within: limit, options) {
            snapshot.project.decide(flagKey, for: user, profile: $0, predictions: $1, options: options)
        }
        guard decision.hasImpression, events?.waits == true else {
            return DecisionResult(decision: decision, sent: sendImpression(of: decision, user, snapshot))
        }
        let results = DecisionResults(all: [decision], selected: [decision], source: (user, snapshot))
        return await sendImpressions(of: results, within: limit - elapsed())[0]
    }

    /// Like ``evaluate(_:for:options:)-([String],_,_)``, but waits for what the decisions need.
    package func evaluate(
        _ flagKeys: [String], for user: User, within limit: Duration, options: DecideOptions
    ) async -> DecisionResults {
        guard !flagKeys.isEmpty, let snapshot = snapshots.current else { return DecisionResults() }
        let options = options.union(defaultOptions)
        let user = withOverrides(user, snapshot)
        let batch = await evaluate(for: user, with: snapshot, within: limit, options) {
            snapshot.project.decide(flagKeys, for: user, profile: $0, predictions: $1, options: options)
        }
        return results(of: batch, user, snapshot)
    }

    /// Like ``evaluateAll(for:options:)``, but waits for what the decisions need.
    package func evaluateAll(for user: User, within limit: Duration, options: DecideOptions) async -> DecisionResults {
        guard let snapshot = snapshots.current else { return DecisionResults() }
        let options = options.union(defaultOptions)
        let user = withOverrides(user, snapshot)
        let batch = await evaluate(for: user, with: snapshot, within: limit, options) {
            snapshot.project.decideAll(for: user, profile: $0, predictions: $1, options: options)
        }
        return results(of: batch, user, snapshot)
    }

    /// Decides an experiment for a legacy call, and commits the assignment; waits for what the decision needs. The
    /// caller sends the impression with ``send(_:of:with:)``.
    ///
    /// - Returns: Nil without a datafile, or without such an experiment.
    package func evaluateExperiment(
        _ experimentKey: String, for user: User, within limit: Duration
    ) async -> LegacyDecision? {
        guard let snapshot = snapshots.current else { return nil }
        let user = withOverrides(user, snapshot)
        let decision = await evaluate(for: user, with: snapshot, within: limit, [], experiment: experimentKey) {
            snapshot.project.decideExperiment(experimentKey, for: user, profile: $0, predictions: $1)
        }
        return decision.map { LegacyDecision(decision: $0, snapshot: snapshot) }
    }

    /// The pipeline of every asynchronous evaluation: loads the profile, evaluates until no prediction is missing, and
    /// commits the assignments.
    private func evaluate<Outcome: EvaluationOutcome>(
        for user: User, with snapshot: Snapshot, within limit: Duration, _ options: DecideOptions,
        experiment: String = "", _ decide: (UserProfile, Predictions) -> Outcome
    ) async -> Outcome {
        let elapsed = services.clock.stopwatch()
        let (profile, session) = await loadProfile(of: user.id, within: limit, options)
        var received: [String: Prediction] = [:]
        var outcome = decide(profile, predictor == nil ? .unavailable : .received(received))
        // Predictions are independent of each other, so all are requested concurrently. A prediction may lead to more
        // requests.
        while let predictor, case let requests = outcome.predictionRequests(for: user), !requests.isEmpty {
            let predictions = await predict(requests, predictor, snapshot.project, within: limit - elapsed(), options)
            received.merge(predictions) { $1 }
            outcome = decide(profile, .received(received))
        }
        if let session { await commit(outcome.assignments, in: session, within: limit - elapsed()) }
        if logsDecisions { for decision in outcome.all { log(decision, of: user, experiment: experiment) } }
        return outcome
    }

    /// Requests several predictions concurrently.
    ///
    /// - Returns: The predictions by rule id.
    private func predict(
        _ requests: [PredictionRequest], _ predictor: Predictor, _ project: Project, within limit: Duration,
        _ options: DecideOptions
    ) async -> [String: Prediction] {
        // Each request resets the cache that the others fill. If they ran concurrently, it would be random which
        // predictions remain.
        let requests = options.contains(.resetCmabCache) ? requests.prefix(1) : requests[...]
        let clock = services.clock
        return await withTaskGroup(of: (String, Prediction).self) { group in
            for request in requests {
                group.addTask {
                    let prediction = await value(
                        within: limit, on: clock, executor: DispatchExecutor.blockingCallers, endsWhenCancelled: true
                    ) {
                        await predictor.prediction(for: request, by: project, options: options)
                    }
                    return (request.ruleID, prediction ?? .failed)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    // MARK: Profiles in slow stores

    /// Loads a profile. Without a session there is nothing to commit.
    private func loadProfile(
        of userID: String, within limit: Duration, _ options: DecideOptions
    ) async -> (UserProfile, ProfileSession?) {
        guard let profiles, !options.contains(.ignoreUserProfileService) else { return (UserProfile(), nil) }
        if let session = profiles.loadFromMemory(userID) { return (session.profile, session) }
        let isLate = Locked(false)
        let loaded = await value(within: limit, on: services.clock, executor: DispatchExecutor.blockingCallers) {
            // A lookup that gets its thread after the limit is skipped.
            await profiles.awaitAttempt(userID, unlessLate: { isLate.withLock { $0 } })
        } late: { session in
            if let session { profiles.commit([:], in: session) }
        }
        if let loaded = loaded ?? nil {
            profiles.count(loaded)
            return (loaded.profile, loaded)
        }
        isLate.withLock { $0 = true }
        profiles.countTimedOutLookup()
        return (.unavailable, nil)
    }

    private func commit(_ assignments: [String: String], in session: ProfileSession, within limit: Duration) async {
        guard let profiles, !profiles.commitToMemory(assignments, in: session) else { return }
        await runToEnd(waitingAtMost: limit) { await profiles.awaitCommit(assignments, in: session) }
    }

    // MARK: Events in slow stores

    /// Like ``sendImpressions(of:notify:)``, but waits for an event store's disk within a limit and without blocking a
    /// task.
    package func sendImpressions(
        of results: DecisionResults, within limit: Duration, notify: (DecisionResult) -> Void
    ) async {
        guard events?.waits == true else { return sendImpressions(of: results, notify: notify) }
        await sendImpressions(of: results, within: limit).forEach(notify)
    }

    /// Like ``sendImpressions(of:)``, but waits for an event store's disk within a limit and without blocking a task.
    package func sendImpressions(of results: DecisionResults, within limit: Duration) async -> [DecisionResult] {
        let (decisions, impressions) = impressions(of: results)
        guard let events, !impressions.isEmpty else { return decisions }
        if events.waits {
            await runToEnd(waitingAtMost: limit) { _ = await events.acceptDurably(impressions) }
        } else {
            events.accept(impressions)
        }
        return decisions
    }

    /// Runs an operation to its end, even when the caller stops waiting for it; ``waitForUnfinishedCalls(within:)``
    /// then waits for it.
    ///
    /// - Returns: The result, or nil if the limit was reached first.
    @discardableResult
    func runToEnd<Value: Sendable>(
        waitingAtMost limit: Duration, _ body: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let end = unfinished.begin()
        return await value(
            within: max(limit, .milliseconds(1)), on: services.clock, executor: DispatchExecutor.blockingCallers
        ) {
            defer { end() }
            return await body()
        }
    }
}
