// Decisions that wait: for predictions, for profile stores on other machines, for events to be safe.

extension Client {
    /// Decides a flag for a user, and waits for what the decision needs: the prediction of a contextual bandit, a
    /// profile store on another machine.
    ///
    /// No thread of Swift's tasks is blocked, and users do not wait for each other. If the task is cancelled, nobody
    /// waits for predictions any longer: they have failed.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - user: Whom to decide for.
    ///   - limit: The longest time to wait, for everything together. A prediction that is late has failed; without a
    ///     profile that is late the decision says ``Reason/profileUnavailable``, and nothing is remembered. What is to
    ///     be stored goes on by itself.
    ///   - options: What to leave out and what to add, beside the client's defaults.
    /// - Returns: The decision; without a variation if the flag is unknown or there is no datafile yet.
    public func decide(
        _ flagKey: String, for user: User, within limit: Duration, options: DecideOptions = []
    ) async -> Decision {
        let made = await make(flagKey, for: user, within: limit, options: options)
        announce(made, user)
        return made.decision
    }

    /// Decides several flags for a user, and waits for what the decisions need.
    ///
    /// See ``decide(_:for:within:options:)->Decision``.
    public func decide(
        _ flagKeys: [String], for user: User, within limit: Duration, options: DecideOptions = []
    ) async -> [String: Decision] {
        let elapsed = configuration.clock.stopwatch()
        let batch = await make(flagKeys, for: user, within: limit, options: options)
        return returned(batch, announcing: await send(batch, within: limit - elapsed()), user)
    }

    /// Decides all flags for a user, and waits for what the decisions need.
    ///
    /// See ``decide(_:for:within:options:)->Decision``.
    public func decideAll(
        for user: User, within limit: Duration, options: DecideOptions = []
    ) async -> [String: Decision] {
        let elapsed = configuration.clock.stopwatch()
        let batch = await makeAll(for: user, within: limit, options: options)
        return returned(batch, announcing: await send(batch, within: limit - elapsed()), user)
    }

    // MARK: What the drop-in interfaces share

    /// As ``make(_:for:options:)-(String,_,_)``, waiting.
    package func make(
        _ flagKey: String, for user: User, within limit: Duration, options: DecideOptions
    ) async -> MadeDecision {
        guard let snapshot = snapshots[user.stripe], snapshot.project.hasFlag(flagKey) else {
            return make(flagKey, for: user, options: options)
        }
        let elapsed = configuration.clock.stopwatch()
        let options = options.union(defaultOptions).subtracting(.enabledFlagsOnly)
        if predictor == nil, !events.waits,
            let made = await makeAtOnce(flagKey, for: user, by: snapshot, within: limit, options)
        {
            return made
        }
        let batch = await make(by: snapshot, for: user, within: limit, options) {
            snapshot.project.decide([flagKey], for: $0, remembering: $1, predictions: $2, options: options)
        }
        return await send(batch, within: limit - elapsed()).last ?? MadeDecision(decision: .notReady(flagKey))
    }

    /// Decides a flag without predictions, for a user whose profile is at hand; nil: it is not, and nothing was done.
    ///
    /// A batch and its memory would cost as much as the decision.
    private func makeAtOnce(
        _ flagKey: String, for user: User, by snapshot: Snapshot, within limit: Duration, _ options: DecideOptions
    ) async -> MadeDecision? {
        let user = prepared(user, snapshot)
        guard !options.contains(.ignoreUserProfileService), let profiles else {
            return finish(snapshot.project.decide(flagKey, for: user, options: options), user, snapshot)
        }
        guard let visit = profiles.openAtOnce(user.id) else { return nil }
        let decision = snapshot.project.decide(flagKey, for: user, remembering: visit.profile, options: options)
        await close(visit, adding: decision.assignments, within: limit)
        return finish(decision, user, snapshot)
    }

    /// As ``make(_:for:options:)-([String],_,_)``, waiting.
    package func make(
        _ flagKeys: [String], for user: User, within limit: Duration, options: DecideOptions
    ) async -> MadeDecisions {
        guard !flagKeys.isEmpty, let snapshot = snapshots[user.stripe] else { return MadeDecisions() }
        let options = options.union(defaultOptions)
        return await make(by: snapshot, for: user, within: limit, options) {
            snapshot.project.decide(flagKeys, for: $0, remembering: $1, predictions: $2, options: options)
        }
    }

    /// As ``makeAll(for:options:)``, waiting.
    package func makeAll(for user: User, within limit: Duration, options: DecideOptions) async -> MadeDecisions {
        guard let snapshot = snapshots[user.stripe] else { return MadeDecisions() }
        let options = options.union(defaultOptions)
        return await make(by: snapshot, for: user, within: limit, options) {
            snapshot.project.decideAll(for: $0, remembering: $1, predictions: $2, options: options)
        }
    }

    private func make(
        by snapshot: Snapshot, for user: User, within limit: Duration, _ options: DecideOptions,
        _ decide: (User, UserProfile, Predictions) -> DecisionBatch
    ) async -> MadeDecisions {
        let user = prepared(user, snapshot)
        let elapsed = configuration.clock.stopwatch()
        let (profile, visit) = await profile(of: user.id, within: limit, options)
        var answers: [String: Prediction] = [:]
        var batch = decide(user, profile, predictor == nil ? .unavailable : .answers(answers))
        // All at once, as they do not depend on each other; answers may lead to further questions.
        while let predictor, case let requests = batch.predictionRequests(for: user), !requests.isEmpty {
            let asked = await ask(predictor, requests, snapshot.project, within: limit - elapsed(), options)
            answers.merge(asked) { $1 }
            batch = decide(user, profile, .answers(answers))
        }
        if let visit { await close(visit, adding: batch.assignments, within: limit - elapsed()) }
        return finish(batch, user, snapshot)
    }

    /// Asks several questions at once: predictions by rule id.
    private func ask(
        _ predictor: Predictor, _ requests: [PredictionRequest], _ project: Project, within limit: Duration,
        _ options: DecideOptions
    ) async -> [String: Prediction] {
        // Each empties the cache of what the others put there: which answer stays must not be left to chance.
        let requests = options.contains(.resetCmabCache) ? requests.prefix(1) : requests[...]
        let clock = configuration.clock
        return await withTaskGroup(of: (String, Prediction).self) { group in
            for request in requests {
                group.addTask {
                    let prediction = await value(
                        within: limit, on: clock, executor: DispatchExecutor.waitedFor, endsWhenCancelled: true
                    ) {
                        await predictor.prediction(for: request, by: project, options: options)
                    }
                    return (request.ruleID, prediction ?? .failed)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    // MARK: Profiles elsewhere

    /// Looks a user up. Without a visit there is none to end.
    private func profile(
        of userID: String, within limit: Duration, _ options: DecideOptions
    ) async -> (UserProfile, ProfileVisit?) {
        guard let profiles, !options.contains(.ignoreUserProfileService) else { return (UserProfile(), nil) }
        if let visit = profiles.openAtOnce(userID) { return (visit.profile, visit) }
        let isLate = Locked(false)
        let opened = await value(within: limit, on: configuration.clock, executor: DispatchExecutor.waitedFor) {
            // What waits for a thread longer than anybody for it is not asked.
            await BlockingCall.valueUnlessCrowded { isLate.withLock { $0 } ? nil : profiles.attempt(userID) }
        } late: { visit in
            if let visit { profiles.close(visit, adding: [:]) }
        }
        if let opened = opened ?? nil {
            profiles.count(opened)
            return (opened.profile, opened)
        }
        isLate.withLock { $0 = true }
        profiles.lookupWasLate()
        return (.unavailable, nil)
    }

    private func close(_ visit: ProfileVisit, adding assignments: [String: String], within limit: Duration) async {
        guard let profiles, !profiles.closeAtOnce(visit, adding: assignments) else { return }
        await blocking(within: limit) { profiles.close(visit, adding: assignments) }
    }

    // MARK: Events in a slow store

    /// As ``send(_:)``, waiting for a store's disk no longer than a limit, and without a thread of Swift's tasks.
    private func send(_ batch: MadeDecisions, within limit: Duration) async -> [MadeDecision] {
        let (decisions, impressions) = impressions(of: batch)
        guard !impressions.isEmpty else { return decisions }
        if events.waits {
            await blocking(within: limit) { [events] in events.accept(impressions) }
        } else {
            events.accept(impressions)
        }
        return decisions
    }

    /// Does something that must be done even when the time is up: then only who flushes or closes waits for it.
    @discardableResult
    func blocking<Value: Sendable>(within limit: Duration, _ body: @escaping @Sendable () -> Value) async -> Value? {
        let end = unfinished.begin()
        return await value(
            within: max(limit, .milliseconds(1)), on: configuration.clock, executor: DispatchExecutor.waitedFor
        ) {
            await BlockingCall.value {
                defer { end() }
                return body()
            }
        }
    }
}
