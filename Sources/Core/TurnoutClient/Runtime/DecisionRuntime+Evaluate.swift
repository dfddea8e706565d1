// Synchronous evaluation.

extension DecisionRuntime {
    /// Decides a flag, commits its assignment and sends its impression.
    ///
    /// `sent` receives the impression, if one was sent. It is not part of the result, because taking a decision out of
    /// a structure copies it.
    package func evaluate(
        _ flagKey: String, for user: User, options: DecideOptions, sent: inout ImpressionEvent?
    ) -> Decision {
        guard let snapshot = snapshots.current else { return logged(.notReady(flagKey), user) }
        let options = options.union(defaultOptions)
        guard needsOverrides(snapshot) else { return evaluate(flagKey, for: user, with: snapshot, options, &sent) }
        return evaluate(flagKey, for: withOverrides(user, snapshot), with: snapshot, options, &sent)
    }

    @inline(__always)
    private func evaluate(
        _ flagKey: String, for user: User, with snapshot: Snapshot, _ options: DecideOptions,
        _ sent: inout ImpressionEvent?
    ) -> Decision {
        guard let flag = snapshot.project.flagRow(flagKey) else {
            return logged(snapshot.project.decide(flagKey, for: user, options: options), user)
        }
        let decision = evaluate(for: user, with: snapshot, options, flag: flag) {
            snapshot.project.decide(flag: flag, flagKey, for: user, profile: $0, options: options)
        }
        sent = sendImpression(of: decision, user, snapshot)
        return decision
    }

    /// Decides several flags and commits their assignments; see ``sendImpressions(of:)``.
    package func evaluate(_ flagKeys: [String], for user: User, options: DecideOptions) -> DecisionResults {
        guard !flagKeys.isEmpty, let snapshot = snapshots.current else { return DecisionResults() }
        let options = options.union(defaultOptions)
        let user = withOverrides(user, snapshot)
        let batch = evaluate(for: user, with: snapshot, options) {
            snapshot.project.decide(flagKeys, for: user, profile: $0, options: options)
        }
        return results(of: batch, user, snapshot)
    }

    /// Decides all flags of the datafile and commits their assignments; see ``sendImpressions(of:)``.
    package func evaluateAll(for user: User, options: DecideOptions) -> DecisionResults {
        guard let snapshot = snapshots.current else { return DecisionResults() }
        let options = options.union(defaultOptions)
        let user = withOverrides(user, snapshot)
        let batch = evaluate(for: user, with: snapshot, options) {
            snapshot.project.decideAll(for: user, profile: $0, options: options)
        }
        return results(of: batch, user, snapshot)
    }

    /// Decides for a legacy call, and commits the assignment. The caller sends impressions with ``send(_:of:with:)``:
    /// legacy calls send them at other times, or not at all.
    ///
    /// - Parameters:
    ///   - key: The key of the flag or experiment.
    ///   - user: The user to decide for.
    ///   - decide: Makes the decision.
    /// - Returns: Nil without a datafile, without such a flag, or if `decide` returns nil.
    package func evaluateLegacy(
        _ key: String, for user: User, _ decide: (Project, User, UserProfile) -> Decision?
    ) -> LegacyDecision? {
        guard let snapshot = snapshots.current else { return nil }
        let user = withOverrides(user, snapshot)
        let decision = evaluate(for: user, with: snapshot, [], experiment: key) { decide(snapshot.project, user, $0) }
        guard let decision, decision.stage != .flagNotFound else { return nil }
        return LegacyDecision(decision: decision, snapshot: snapshot)
    }

    /// The pipeline of every synchronous evaluation: loads the profile, evaluates, and commits the assignments.
    ///
    /// `flag` is the row of the only flag to decide, for profile services that need its experiments only.
    @inline(__always)
    private func evaluate<Outcome: EvaluationOutcome>(
        for user: User, with snapshot: Snapshot, _ options: DecideOptions, flag: Int? = nil, experiment: String = "",
        _ decide: (UserProfile) -> Outcome
    ) -> Outcome {
        let outcome = evaluateUnlogged(for: user, with: snapshot, options, flag: flag, decide)
        if logsDecisions { for decision in outcome.all { log(decision, of: user, experiment: experiment) } }
        return outcome
    }

    @inline(__always)
    private func evaluateUnlogged<Outcome: EvaluationOutcome>(
        for user: User, with snapshot: Snapshot, _ options: DecideOptions, flag: Int?,
        _ decide: (UserProfile) -> Outcome
    ) -> Outcome {
        // Not bound to a name: that would count references to an object that all threads share.
        guard !options.contains(.ignoreUserProfileService), profiles != nil else { return decide(UserProfile()) }
        let session =
            if let flag {
                profiles?.load(user.id) { snapshot.project.experimentIDs(ofFlag: flag) }
            } else {
                profiles?.load(user.id)
            }
        let outcome = decide(session?.profile ?? UserProfile())
        if let session { profiles?.commit(outcome.assignments, in: session) }
        return outcome
    }

    /// Explains a decision step by step, without effects; nil without a datafile.
    package func explain(_ flagKey: String, for user: User) -> DecisionTrace? {
        guard let snapshot = snapshots.current else { return nil }
        return withProfile(of: user, []) {
            snapshot.project.explain(flagKey, for: withOverrides(user, snapshot), profile: $0)
        }
    }

    /// Decides a flag without effects: with the user's stored assignments, but no assignment is committed, and no
    /// impression sent.
    func preview(_ flagKey: String, for user: User, options: DecideOptions) -> Decision {
        guard let snapshot = snapshots.current else { return .notReady(flagKey) }
        let options = options.union(defaultOptions)
        return withProfile(of: user, options) {
            snapshot.project.decide(flagKey, for: withOverrides(user, snapshot), profile: $0, options: options)
        }
    }

    /// Calls `body` with the user's profile, to which nothing is added.
    private func withProfile<Result>(
        of user: User, _ options: DecideOptions, _ body: (UserProfile) -> Result
    ) -> Result {
        guard !options.contains(.ignoreUserProfileService), let profiles else { return body(UserProfile()) }
        let session = profiles.load(user.id)
        defer { profiles.commit([:], in: session) }
        return body(session.profile)
    }

    // MARK: Impressions

    /// Sends an impression, with the identity of the datafile that was used.
    package func send(_ impression: Impression, of user: User, with snapshot: Snapshot) -> OutgoingEvent {
        let event = event(impression, of: user, with: snapshot)
        events?.accept(event)
        return event
    }

    /// Sends the impressions of several decisions, one after the other. `notify` is called for each decision right
    /// after its impression, for dispatchers and listeners that depend on this order. If the store waits for its disk,
    /// it waits once, and `notify` is called afterwards.
    package func sendImpressions(of results: DecisionResults, notify: (DecisionResult) -> Void) {
        guard let (user, snapshot) = results.source else { return }
        guard events?.waits != true else { return sendImpressions(of: results).forEach(notify) }
        for decision in results.all {
            notify(DecisionResult(decision: decision, sent: sendImpression(of: decision, user, snapshot)))
        }
    }

    /// Sends the impressions of several decisions together: an event store that waits for its disk waits once.
    package func sendImpressions(of results: DecisionResults) -> [DecisionResult] {
        let (decisions, impressions) = impressions(of: results)
        if !impressions.isEmpty { events?.accept(impressions) }
        return decisions
    }

    /// The decisions with the events of their impressions, which are not sent.
    func impressions(of results: DecisionResults) -> ([DecisionResult], [OutgoingEvent]) {
        guard let (user, snapshot) = results.source else { return ([], []) }
        var impressions: [OutgoingEvent] = []
        let decisions = results.all.map { decision in
            guard let impression = decision.impression, let sent = impressionEvent(impression, user, snapshot) else {
                return DecisionResult(decision: decision)
            }
            impressions.append(sent.event)
            return DecisionResult(decision: decision, sent: sent)
        }
        return (decisions, impressions)
    }

    /// Sends the impression of a decision; nil if none is due or a hook drops it.
    @inline(__always)
    func sendImpression(of decision: Decision, _ user: User, _ snapshot: Snapshot) -> ImpressionEvent? {
        decision.hasImpression ? sendDueImpression(of: decision, user, snapshot) : nil
    }

    @inline(never)
    private func sendDueImpression(of decision: Decision, _ user: User, _ snapshot: Snapshot) -> ImpressionEvent? {
        guard let impression = decision.impression, let sent = impressionEvent(impression, user, snapshot) else {
            return nil
        }
        events?.accept(sent.event)
        return sent
    }

    /// An impression with its event, which is not sent; nil if a hook drops the event.
    private func impressionEvent(_ impression: Impression, _ user: User, _ snapshot: Snapshot) -> ImpressionEvent? {
        guard let eventHooks else { return ImpressionEvent(impression, event(impression, of: user, with: snapshot)) }
        guard let changed = eventHooks.beforeEvent(ClientEvent(kind: .impression(impression), user: user)) else {
            return nil
        }
        return ImpressionEvent(
            impression, event(impression, of: changed.user, with: snapshot), hookedEvent: changed)
    }

    private func event(_ impression: Impression, of user: User, with snapshot: Snapshot) -> OutgoingEvent {
        warn(ofUnsent: user.attributes, snapshot.project)
        return snapshot.event(impression, of: user, stamp: stamp())
    }

    func results(of batch: DecisionBatch, _ user: User, _ snapshot: Snapshot) -> DecisionResults {
        DecisionResults(all: batch.decisions, selected: batch.selected, source: (user, snapshot))
    }

    // MARK: Inputs

    /// The user with the services' overrides and the runtime's forced variations.
    func withOverrides(_ user: User, _ snapshot: Snapshot) -> User {
        guard needsOverrides(snapshot) else { return user }
        var user = user
        user.forcedDecisions.merge(services.overrides.decisions) { $1 }
        if let forced = snapshot.forcedVariations { user.forcedVariations.merge(forced[user.id]) { own, _ in own } }
        return user
    }

    @inline(__always)
    private func needsOverrides(_ snapshot: Snapshot) -> Bool { hasOverrides || snapshot.forcedVariations != nil }

    func stamp() -> EventStamp {
        EventStamp(timestamp: services.wallClock.millisecondsSince1970(), uuid: services.random.eventID())
    }
}

/// The result of one evaluation by the engine: a decision, several, or none. The runtime applies its effects.
protocol EvaluationOutcome {
    var all: [Decision] { get }
    /// The assignments to commit: variation ids by experiment id.
    var assignments: [String: String] { get }
    /// The predictions without which the result is not final; empty if it is.
    func predictionRequests(for user: User) -> [PredictionRequest]
}

extension DecisionBatch: EvaluationOutcome {
    var all: [Decision] { decisions }
}

extension Decision: EvaluationOutcome {
    var all: [Decision] { [self] }

    var assignments: [String: String] {
        guard let assignment else { return [:] }
        return [assignment.experimentID: assignment.variationID]
    }

    func predictionRequests(for user: User) -> [PredictionRequest] { predictionRequest(for: user).map { [$0] } ?? [] }
}

extension Decision?: EvaluationOutcome {
    var all: [Decision] { self.map { [$0] } ?? [] }

    var assignments: [String: String] { self?.assignments ?? [:] }

    func predictionRequests(for user: User) -> [PredictionRequest] { self?.predictionRequests(for: user) ?? [] }
}
