import Synchronization
package import TurnoutClient
package import TurnoutEngine

/// Decides for one SDK key, with the datafile that is served for it.
package final class DecisionClient: Sendable {
    private struct State {
        var served: ServedDatafile
        /// The contents of the datafile as a response; made on demand.
        var listing: SharedBody?
        /// The names of the attributes that the datafile knows.
        let attributeNames: Set<String>
        /// The texts of OFREP's evaluations with the datafile.
        let texts: OutcomeTexts

        init(_ served: ServedDatafile) {
            self.served = served
            attributeNames = served.project.attributeNames
            texts = OutcomeTexts(served.project)
        }
    }

    package let sdkKey: String
    /// The store for assignments, or nil.
    package let profiles: (any ProfileStore)?
    /// The variations that users were put into.
    package let overrides: VariationOverrides
    package let notifications: NotificationFeed
    private let runtime: DecisionRuntime
    private let log: any Log
    private let clock: any Clock<Duration>
    private let timeLimit: Duration
    private let eventsWait: Bool
    /// The wait of decisions whose profile is not in memory.
    private let profileWait: Wait
    private let hasPredictions: Bool
    private let hasContextualBandits: Atomic<Bool>
    private let decisionCount: DecisionCount
    private let state: Locked<State>

    /// Creates a client for a datafile.
    init(
        _ served: ServedDatafile, _ services: DecisionServices, profiles: (any ProfileStore)?,
        notifications: NotificationFeed, overrides: VariationOverrides, counting decisionCount: DecisionCount
    ) {
        sdkKey = served.sdkKey
        self.profiles = profiles
        self.overrides = overrides
        self.notifications = notifications
        self.decisionCount = decisionCount
        (log, clock) = (services.log, services.clock)
        timeLimit = services.timeLimit
        eventsWait = services.events?.waits == true
        profileWait = Wait(for: profiles)
        hasPredictions = services.predictions != nil
        runtime = DecisionRuntime(services.runtimeServices(profiles: profiles))
        state = Locked(State(served))
        hasContextualBandits = Atomic(hasPredictions && served.project.hasContextualBandits)
        runtime.install(served.project, keepsForcedVariations: true)
    }

    deinit { notifications.close() }

    // MARK: The datafile

    package var served: ServedDatafile { state.withLock { $0.served } }

    /// Decides with a newer datafile from now on. An older one is ignored.
    func install(_ served: ServedDatafile) {
        let isNewer = state.withLock { state in
            guard served.lastModified > state.served.lastModified else { return false }
            state = State(served)
            return true
        }
        guard isNewer else { return }
        if hasPredictions { hasContextualBandits.store(served.project.hasContextualBandits, ordering: .relaxed) }
        runtime.install(served.project, keepsForcedVariations: true)
        notifications.publish(.projectConfigUpdate) {
            NotificationJSON.configUpdate(revision: served.project.revision)
        }
    }

    /// A response made from the served datafile, once for each datafile.
    package func listing(_ make: (Project) -> [UInt8]) -> (datafile: ServedDatafile, body: SharedBody) {
        let (served, known) = state.withLock { ($0.served, $0.listing) }
        if let known { return (served, known) }
        let body = SharedBody(make(served.project))
        state.withLock { if $0.served.entityTag == served.entityTag { $0.listing = body } }
        return (served, body)
    }

    /// The texts of OFREP's evaluations with the served datafile.
    package var evaluationTexts: OutcomeTexts { state.withLock { $0.texts } }

    // MARK: Decisions

    /// How decisions for a user wait.
    package enum Wait: Sendable {
        /// Nothing: the profile and events are in memory, and no rule needs a prediction.
        case none
        /// A file with profiles, whose calls block their thread.
        case blocking
        /// Other processes, for a limited time. Use the asynchronous functions.
        case suspending

        /// The wait of decisions whose profile is not in memory.
        fileprivate init(for profiles: (any ProfileStore)?) {
            guard let profiles, profiles.isRemote else {
                self = .none
                return
            }
            // Stores that can be edited are files of this machine, whose calls take milliseconds at most: if the disk
            // hangs, they fail.
            self = profiles is any EditableProfileStore ? .blocking : .suspending
        }
    }

    /// How decisions for a user wait now.
    package func wait(for userID: String) -> Wait {
        if eventsWait || hasContextualBandits.load(ordering: .relaxed) { return .suspending }
        guard profileWait != .none, let profiles else { return profileWait }
        return profiles.savesImmediately && profiles.profileInMemory(of: userID) != nil ? .none : profileWait
    }

    /// The answer to a request with decisions, which blocks or waits only if they do: see ``wait(for:)``.
    ///
    /// Assignments are stored. Impressions are sent unless the response is 304: a client that asks whether its result
    /// is still current has been counted with this result already.
    ///
    /// - Parameters:
    ///   - flags: The flags to decide.
    ///   - user: The user to decide for.
    ///   - options: Options of the decisions.
    ///   - respond: Makes the response.
    /// - Returns: The answer.
    package func answer(
        _ flags: RequestedFlags, for user: User, options: DecideOptions,
        _ respond: @escaping @Sendable ([Decision]) -> ServerResponse
    ) -> Answer {
        switch wait(for: user.id) {
        case .none: .now(decide(flags, for: user, options, respond))
        case .blocking: .blocking { self.decide(flags, for: user, options, respond) }
        case .suspending: .later { await self.decide(flags, for: user, options, respond) }
        }
    }

    private func decide(
        _ flags: RequestedFlags, for user: User, _ options: DecideOptions, _ respond: ([Decision]) -> ServerResponse
    ) -> ServerResponse {
        let user = prepared(user)
        let results: DecisionResults
        switch flags {
        case .one(let key):
            var sent: ImpressionEvent?
            let decision = runtime.evaluate(key, for: user, options: options, sent: &sent)
            report(decision, isSent: sent != nil, user)
            return respond([decision])
        case .several(let keys): results = runtime.evaluate(keys, for: user, options: options)
        case .all: results = runtime.evaluateAll(for: user, options: options)
        }
        let response = respond(results.selected)
        report(response.status == 304 ? results.unsent : runtime.sendImpressions(of: results), user)
        return response
    }

    /// Like the synchronous function, but waits for profiles, predictions and events; together within ``timeLimit``.
    private func decide(
        _ flags: RequestedFlags, for user: User, _ options: DecideOptions, _ respond: ([Decision]) -> ServerResponse
    ) async -> ServerResponse {
        let (user, elapsed) = (prepared(user), clock.stopwatch())
        let results: DecisionResults
        switch flags {
        case .one(let key):
            let result = await runtime.evaluate(key, for: user, within: timeLimit, options: options)
            report([result], user)
            return respond([result.decision])
        case .several(let keys): results = await runtime.evaluate(keys, for: user, within: timeLimit, options: options)
        case .all: results = await runtime.evaluateAll(for: user, within: timeLimit, options: options)
        }
        let response = respond(results.selected)
        let isUnchanged = response.status == 304
        report(
            isUnchanged
                ? results.unsent : await runtime.sendImpressions(of: results, within: timeLimit - elapsed()), user)
        return response
    }

    private func report(_ results: [DecisionResult], _ user: User) {
        for result in results { report(result.decision, isSent: result.sent != nil, user) }
    }

    private func report(_ decision: Decision, isSent: Bool, _ user: User) {
        decisionCount.add(decision, of: sdkKey)
        guard !decision.isError else { return }
        notifications.publish(.decision) {
            let segments = user.segments.isEmpty ? nil : user.segments.sorted()
            return NotificationJSON.flag(decision, of: user, segments: segments, isSent: isSent)
        }
    }

    /// Explains decisions without making them: nothing is sent, stored or counted. Where a contextual bandit needs a
    /// prediction, the trace ends.
    func explain(_ flags: [String], for user: User, profile: UserProfile) -> [DecisionTrace] {
        let (user, project) = (overridden(user), served.project)
        let predictions = hasPredictions ? Predictions.received([:]) : .unavailable
        return flags.map { project.explain($0, for: user, profile: profile, predictions: predictions) }
    }

    // MARK: Calls before `decide`

    /// Decides a flag as an earlier call does, which reports it in another way and may send no impression.
    package func activate(flag flagKey: String, for user: User, isTracked: Bool) async -> Decision {
        let user = prepared(user)
        let options: DecideOptions = isTracked ? [] : .disableDecisionEvent
        let decision = await runtime.evaluate(flagKey, for: user, within: timeLimit, options: options).decision
        decisionCount.add(decision, of: sdkKey)
        notifications.publish(.decision) { NotificationJSON.feature(decision, of: user) }
        return decision
    }

    /// Decides an experiment as an earlier call does; nil if there is no such experiment.
    package func activate(experiment key: String, for user: User, isTracked: Bool) async -> Decision? {
        let user = prepared(user)
        guard let legacy = await runtime.evaluateExperiment(key, for: user, within: timeLimit) else { return nil }
        if isTracked, let impression = legacy.decision.activation {
            _ = runtime.send(impression, of: user, with: legacy.snapshot)
        }
        decisionCount.add()
        notifications.publish(.decision) {
            let project = legacy.snapshot.project
            let isFeatureTest = project.experiment(key).map { project.isFeatureExperiment($0) } ?? false
            return NotificationJSON.experiment(key, legacy.decision, of: user, isFeatureTest: isFeatureTest)
        }
        return legacy.decision
    }

    /// Records a conversion, and waits until it is as durable as the store of events makes it.
    ///
    /// - Throws: `TrackError` if the datafile has no such event, or the conversion is lost.
    package func track(
        _ eventKey: String, for user: User, tags: [String: AttributeValue]
    ) async throws(TrackError) {
        let (conversion, event) = try runtime.conversion(eventKey, of: user, tags: tags)
        let result = await runtime.recordDurably(conversion, event)
        if case .lost = result.acceptance { throw .lost }
        notifications.publish(.track) {
            NotificationJSON.conversion(conversion, of: user, by: served.project)
        }
    }

    /// Waits for calls of stores that have outlived their requests.
    func waitForUnfinishedCalls(within limit: Duration) async {
        let count = await runtime.waitForUnfinishedCalls(within: limit)
        if count > 0 { log(.warning, "stopped while \(count) calls wait for a slow store") }
    }

    /// The user with the variations of ``overrides``. Attributes that the datafile does not know are counted.
    private func prepared(_ user: User) -> User {
        if !user.attributes.isEmpty {
            let unknown = user.attributes.names(notIn: state.withLock { $0.attributeNames })
            if !unknown.isEmpty { decisionCount.add(unknown: unknown) }
        }
        return overridden(user)
    }

    private func overridden(_ user: User) -> User {
        guard !overrides.isEmpty else { return user }
        let variations = overrides.variations(of: user.id)
        guard !variations.isEmpty, let project = runtime.project else { return user }
        var user = user
        for (experimentKey, variationKey) in variations {
            guard let experiment = project.experiment(experimentKey),
                let variation = experiment.variations.first(where: { $0.key == variationKey })
            else { continue }
            user.forcedVariations[experiment.id] = variation.id
        }
        return user
    }
}

/// The flags that a request asks for.
package enum RequestedFlags: Sendable {
    /// A flag, which has a decision even if the datafile does not have it.
    case one(String)
    case several([String])
    case all
}

extension Project {
    /// Whether a rule needs predictions.
    fileprivate var hasContextualBandits: Bool { experiments.contains { $0.contextualBanditTraffic != nil } }
}

/// Counts decisions, and the attributes of their users that datafiles do not know.
final class DecisionCount: Sendable {
    private let count = Atomic(0)
    private let unknown = Locked(UnknownAttributes())
    let usage: FlagUsage

    init(_ usage: FlagUsage) { self.usage = usage }

    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }

    func add(_ decision: Decision, of sdkKey: String) {
        add()
        // Keys of unknown flags may come from end users, in any number.
        if !decision.isError { usage.add(decision, of: sdkKey) }
    }

    var unknownAttributes: UnknownAttributes { unknown.withLock { $0 } }
    func add(unknown names: [String]) { unknown.withLock { for name in names { $0.add(name) } } }
}
