// What a decision goes through, for the client's own calls and for those of the drop-in interfaces.

extension Client {
    /// Decides a flag, remembers and sends what follows; listeners are left to the caller.
    package func make(_ flagKey: String, for user: User, options: DecideOptions) -> MadeDecision {
        guard let snapshot = snapshots[user.stripe] else { return MadeDecision(decision: .notReady(flagKey)) }
        let options = options.union(defaultOptions)
        guard needsPreparation(snapshot) else { return make(flagKey, for: user, by: snapshot, options) }
        return make(flagKey, for: prepared(user, snapshot), by: snapshot, options)
    }

    @inline(__always)
    private func make(
        _ flagKey: String, for user: User, by snapshot: Snapshot, _ options: DecideOptions
    ) -> MadeDecision {
        guard !options.contains(.ignoreUserProfileService), let profiles,
            let flag = snapshot.project.flagRow(flagKey)
        else {
            return finish(snapshot.project.decide(flagKey, for: user, options: options), user, snapshot)
        }
        let visit = profiles.open(user.id)
        let decision = snapshot.project.decide(
            flag: flag, flagKey, for: user, remembering: visit.profile, options: options)
        profiles.close(visit, adding: decision.assignments)
        return finish(decision, user, snapshot)
    }

    /// Decides several flags and remembers what follows; the rest is left to ``send(_:)`` and its like.
    package func make(_ flagKeys: [String], for user: User, options: DecideOptions) -> MadeDecisions {
        guard !flagKeys.isEmpty else { return MadeDecisions() }
        return make(for: user, options) { project, user, profile, options in
            project.decide(flagKeys, for: user, remembering: profile, options: options)
        }
    }

    /// Decides all flags and remembers what follows; the rest is left to ``send(_:)`` and its like.
    package func makeAll(for user: User, options: DecideOptions) -> MadeDecisions {
        make(for: user, options) { project, user, profile, options in
            project.decideAll(for: user, remembering: profile, options: options)
        }
    }

    private func make(
        for user: User, _ options: DecideOptions,
        _ decide: (Project, User, UserProfile, DecideOptions) -> DecisionBatch
    ) -> MadeDecisions {
        guard let snapshot = snapshots[user.stripe] else { return MadeDecisions() }
        let options = options.union(defaultOptions)
        let user = prepared(user, snapshot)
        guard !options.contains(.ignoreUserProfileService), let profiles else {
            return finish(decide(snapshot.project, user, UserProfile(), options), user, snapshot)
        }
        let visit = profiles.open(user.id)
        let batch = decide(snapshot.project, user, visit.profile, options)
        profiles.close(visit, adding: batch.assignments)
        return finish(batch, user, snapshot)
    }

    /// Decides by an older rule of the engine, and remembers what follows. Impressions are left to the caller: older
    /// calls send them at other times, or never.
    ///
    /// - Returns: Nil without a datafile, without such a flag, or if `decide` returns nil.
    package func makeOlder(
        for user: User, _ decide: (Project, User, UserProfile) -> Decision?
    ) -> OlderDecision? {
        guard let snapshot = snapshots[user.stripe] else { return nil }
        let user = prepared(user, snapshot)
        let visit = profiles?.open(user.id)
        let decision = decide(snapshot.project, user, visit?.profile ?? UserProfile())
        if let visit { profiles?.close(visit, adding: decision?.assignments ?? [:]) }
        guard let decision, decision.stage != .flagNotFound else { return nil }
        return OlderDecision(decision: decision, snapshot: snapshot)
    }

    /// Sends an impression by the datafile that its decision was made with.
    package func send(_ impression: Impression, of user: User, by snapshot: Snapshot) -> OutgoingEvent {
        let event = event(impression, of: user, by: snapshot)
        events.accept(event)
        return event
    }

    /// Sends the impressions of decisions that were made together. `announce` is called for each decision right after
    /// its impression: for dispatchers and listeners of callers, who expect that what a flag leads to stays together.
    package func send(_ batch: MadeDecisions, telling announce: (MadeDecision) -> Void) {
        guard let (user, snapshot) = batch.source else { return }
        for decision in batch.all { announce(finish(decision, user, snapshot)) }
    }

    /// Sends the impressions of decisions that were made together, together: a store that waits for its disk waits
    /// once.
    func send(_ batch: MadeDecisions) -> [MadeDecision] {
        let (decisions, impressions) = impressions(of: batch)
        if !impressions.isEmpty { events.accept(impressions) }
        return decisions
    }

    /// Decisions with their impressions, which are still to be sent.
    func impressions(of batch: MadeDecisions) -> ([MadeDecision], [OutgoingEvent]) {
        guard let (user, snapshot) = batch.source else { return ([], []) }
        var impressions: [OutgoingEvent] = []
        let decisions = batch.all.map { decision in
            guard let impression = decision.impression else { return MadeDecision(decision: decision) }
            let event = event(impression, of: user, by: snapshot)
            impressions.append(event)
            return MadeDecision(decision: decision, sent: SentImpression(impression, event))
        }
        return (decisions, impressions)
    }

    private func event(_ impression: Impression, of user: User, by snapshot: Snapshot) -> OutgoingEvent {
        warn(ofUnsent: user.attributes, snapshot.project)
        return snapshot.event(impression, of: user, stamp: stamp())
    }

    // MARK: Pieces

    /// The user with what is forced from outside.
    func prepared(_ user: User, _ snapshot: Snapshot) -> User {
        guard needsPreparation(snapshot) else { return user }
        var user = user
        user.forcedDecisions.merge(configuration.overrides.decisions) { $1 }
        if let forced = snapshot.forcedVariations { user.forcedVariations.merge(forced[user.id]) { own, _ in own } }
        return user
    }

    @inline(__always)
    private func needsPreparation(_ snapshot: Snapshot) -> Bool { hasOverrides || snapshot.forcedVariations != nil }

    @inline(__always)
    func finish(_ decision: Decision, _ user: User, _ snapshot: Snapshot) -> MadeDecision {
        guard let impression = decision.impression else { return MadeDecision(decision: decision) }
        let event = send(impression, of: user, by: snapshot)
        return MadeDecision(decision: decision, sent: SentImpression(impression, event))
    }

    func finish(_ batch: DecisionBatch, _ user: User, _ snapshot: Snapshot) -> MadeDecisions {
        MadeDecisions(all: batch.decisions, returned: batch.returned, source: (user, snapshot))
    }

    func stamp() -> EventStamp {
        EventStamp(timestamp: configuration.wallClock.millisecondsSince1970(), uuid: configuration.random.eventID())
    }
}

extension Decision {
    /// What to remember: nothing, or one variation id by experiment id.
    var assignments: [String: String] {
        guard let assignment else { return [:] }
        return [assignment.experimentID: assignment.variationID]
    }
}
