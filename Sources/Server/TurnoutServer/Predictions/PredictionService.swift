package import TurnoutClient
package import TurnoutEngine
import TurnoutFlags

/// Predicts variations for the bandits of all served datafiles, from the events that the server has.
///
/// ```text
/// processed events ──► OutcomeTally ──► ThompsonSampling ──► Bandit: weights, once a minute
///                                                              ├─► POST /predict/{ruleID}
///                                                              └─► the server's own decisions
/// ```
///
/// Nothing runs while no datafile has a bandit. A bandit without a metric, or whose events have not been read yet, has
/// the same weight for all variations.
package final class PredictionService: Sendable {
    package struct Options: Sendable, Equatable {
        /// The metrics of rules that no project file names, each as `rule=event.count` with the key or the id of the
        /// rule. Default: none.
        package var metrics: [BanditMetric] = []
        /// The days of events to learn from. Default: 30.
        package var days = 30
        /// The seed of the simulation and of the choice for a user. Default: 0.
        package var seed = 0
        /// The time between two computations of the weights. A computation that takes long is repeated less often: at
        /// most a tenth of the time is spent on it. Default: 1 minute.
        package var interval = Duration.seconds(60)
        /// Whether a hub computes the weights. Default: false.
        package var hasHub = false

        package init() {}
    }

    private struct State {
        var bandits: [String: Bandit] = [:]
        var updated: Int64?
        var predictions = 0
        var problem: String?
    }

    private let datafiles: DatafileDirectory
    private let events: EventDatabase
    private let options: Options
    private let clock: any Clock<Duration>
    private let wallClock: any WallClock
    private let log: any Log
    private let state = Locked(State())
    /// The bandits of the datafiles; nil after a change.
    private let rules: DatafileProjection<[String: BanditRule]>

    /// Creates the service, which computes no weights yet.
    ///
    /// - Parameters:
    ///   - datafiles: The datafiles whose bandits are predicted.
    ///   - events: The exposures and conversions.
    ///   - options: The options. Default: the standard ones.
    ///   - clock: Measures pauses. Default: the system's clock.
    ///   - wallClock: Provides the time of day. Default: the system's.
    ///   - log: Receives failures.
    package init(
        _ datafiles: DatafileDirectory, events: EventDatabase, _ options: Options = Options(),
        clock: any Clock<Duration> = .continuous, wallClock: any WallClock = .system, log: any Log
    ) {
        self.datafiles = datafiles
        self.events = events
        self.options = options
        self.clock = clock
        self.wallClock = wallClock
        self.log = log
        rules = DatafileProjection(of: datafiles) { Self.rules($0, options) }
    }

    // MARK: Predictions

    /// The current weights of a rule; nil if no served datafile has such a bandit.
    ///
    /// - Complexity: O(1) once the weights are known.
    package func bandit(_ ruleID: String) -> Bandit? {
        guard let rule = rules.value[ruleID] else { return nil }
        let known = state.withLock { $0.bandits[ruleID] }
        if let known, known.isCurrent(for: rule), options.hasHub || known.metric == rule.metric { return known }
        return Bandit(rule, rule.variations.map { _ in ArmStatistics() }, seed: seed)
    }

    /// The bandits with a key or an id, in one environment or in all of them.
    func bandits(named name: String, in environment: String?) -> [Bandit] {
        rules.value.values.filter { rule in
            [rule.ruleKey, rule.ruleID].contains(name) && (environment == nil || environment == rule.environment)
        }.compactMap { bandit($0.ruleID) }.sorted { $0.ruleID < $1.ruleID }
    }

    /// The variation for a user, by id; nil if no served datafile has such a bandit.
    package func variationID(ruleID: String, userID: String) -> String? {
        guard let id = bandit(ruleID)?.variationID(for: userID) else { return nil }
        state.withLock { $0.predictions += 1 }
        return id
    }

    /// The bandits of all datafiles.
    var bandits: [Bandit] { rules.value.keys.sorted().compactMap { bandit($0) } }

    /// Whether a datafile has a bandit with the rule's id.
    func knows(_ ruleID: String) -> Bool { rules.value[ruleID] != nil }

    private var seed: UInt64 { UInt64(bitPattern: Int64(options.seed)) }

    private static func rules(_ datafiles: DatafileDirectory, _ options: Options) -> [String: BanditRule] {
        var rules: [String: BanditRule] = [:]
        for project in datafiles.sdkKeys.compactMap({ datafiles[$0]?.project }) {
            for rule in project.experiments where rule.contextualBanditTraffic != nil {
                let designed = datafiles.design(ofRule: rule.id)?.metrics.first
                let metric = designed ?? options.metrics.first { $0.names(rule) }?.metric
                rules[rule.id] = BanditRule(rule, of: project, metric: metric)
            }
        }
        return rules
    }

    // MARK: Weights

    /// Computes the weights periodically, until the task is canceled.
    package func run() async {
        let uptime = clock.stopwatch()
        while !Task.isCancelled {
            let start = uptime()
            await BlockingCall.value { self.update() }
            let pause = max(options.interval, (uptime() - start) * 9)
            try? await clock.sleep(for: pause, tolerance: nil)
        }
    }

    /// Uses the weights of a hub.
    func use(_ copies: [CopiedBandit], updated: Int64?) {
        let bandits = Dictionary(copies.map { ($0.ruleId, Bandit($0)) }, uniquingKeysWith: { first, _ in first })
        state.withLock { ($0.bandits, $0.updated) = (bandits, updated) }
    }

    /// Computes the weights of all bandits. Reads the events and blocks.
    package func update() {
        // A metric can change without the datafile.
        self.rules.invalidate()
        let rules = self.rules.value
        guard !rules.isEmpty else { return state.withLock { $0.bandits = [:] } }
        let now = wallClock.millisecondsSince1970()
        var bandits: [String: Bandit] = [:]
        var problem: String?
        for (ruleID, rule) in rules.sorted(by: { $0.key < $1.key }) {
            do {
                bandits[ruleID] = Bandit(rule, try statistics(of: rule, now: now), seed: seed)
            } catch is CancellationError { return } catch {
                problem = error.logText
                bandits[ruleID] = state.withLock { $0.bandits[ruleID] }
                log.failure(.error, "bandit \(rule.ruleKey): its events cannot be read; the weights stay", error)
            }
        }
        state.withLock { [bandits, problem] state in
            (state.bandits, state.problem) = (bandits, problem)
            if problem == nil { state.updated = now }
        }
    }

    private func statistics(of rule: BanditRule, now: Int64) throws -> [ArmStatistics] {
        var tally = OutcomeTally(rule.variations.map(\.id), rule.metric?.aggregation ?? .unique)
        let selection = RuleOutcomes(
            projectID: rule.projectID, ruleID: rule.ruleID, eventKey: rule.metric?.event ?? "",
            start: now - Int64(options.days) * 86_400_000)
        try events.outcomes(selection) { tally.add($0) }
        return tally.finish()
    }

    // MARK: Operations

    /// The service's contribution to the server's status and metrics.
    package var report: ServiceReport {
        var report = ServiceReport("predictions")
        report.status = { self.write(to: &$0) }
        report.metrics = { self.metrics }
        return report
    }

    private var metrics: MetricsSnapshot {
        let (bandits, predictions) = state.withLock { (Array($0.bandits.values), $0.predictions) }
        var snapshot = MetricsSnapshot()
        snapshot.add(
            .counter, "turnout_predictions_total", "Predictions of variations for bandits.", [.init(predictions)])
        let arms = bandits.sorted { $0.ruleID < $1.ruleID }.flatMap { bandit in bandit.arms.map { (bandit, $0) } }
        snapshot.add(
            .gauge, "turnout_bandit_weight_ratio", "The share of users of a bandit who get a variation.",
            arms.map { bandit, arm in
                .init(
                    Double(arm.weight) / Double(ThompsonSampling.rounds), .init("rule", bandit.ruleKey),
                    .init("rule_id", bandit.ruleID), .init("variation", arm.variationKey))
            })
        return snapshot
    }

    private func write(to writer: inout JSONWriter) {
        let (count, updated, problem) = state.withLock { ($0.bandits.count, $0.updated, $0.problem) }
        writer.object {
            $0.member("bandits", count)
            $0.member("updated", updated.map(Timestamp.text))
            $0.member("problem", problem)
        }
    }

    /// When the weights were computed, in milliseconds since 1970; nil before the first time.
    package var updated: Int64? { state.withLock { $0.updated } }
}

extension PredictionService: PredictionSource {
    package func variationID(for request: PredictionRequest, uuid: String) async throws -> String {
        guard let id = variationID(ruleID: request.ruleID, userID: request.userID) else {
            throw PredictionError.status(404)
        }
        return id
    }
}

extension Bandit {
    /// Whether the weights are of the rule's variations as they are now.
    fileprivate func isCurrent(for rule: BanditRule) -> Bool {
        arms.map(\.variationID) == rule.variations.map(\.id)
    }
}
