import TurnoutEngine
import TurnoutFlags

/// The flags of all environments, as pages and routes show them.
struct ConsoleFlags: Sendable {
    struct Environment: Sendable {
        /// The key, or what tells the datafile from others without one.
        let name: String
        /// What is served for it; nil if nothing is.
        let served: ServedDatafile?
        /// The names that users' attributes can have.
        let attributes: [String]
    }

    struct Flag: Sendable {
        let key: String
        /// The flag in each environment, in their order; nil where it does not exist.
        let sides: [AuthoredFlag?]
        /// What `turnout lint` finds in it.
        let findings: [Diagnostic]
        /// What keeps users out of its rules, beside the rules: groups and holdouts.
        let limits: [String]
        /// The shares of users whom groups let take part in its experiments.
        let shares: [String: TrafficShare]

        var description: String? { sides.lazy.compactMap { $0?.description }.first }
        var states: [FlagState?] { sides.map { $0.map { FlagState($0, shares) } } }

        /// Whether lint says that it can be removed, or a part of it.
        var finding: Diagnostic? {
            findings.first { ["flag-always-off", "experiment-ended"].contains($0.code) }
        }
    }

    var environments: [Environment] = []
    /// In the order of the file.
    var flags: [Flag] = []
    /// What `turnout lint` finds in the project file.
    var findings: [Diagnostic] = []
    /// The name of the project file; nil if the flags are those of datafiles.
    var file: String?
    /// Why these flags are perhaps not what people expect.
    var problems: [String] = []

    subscript(key: String) -> Flag? { flags.first { $0.key == key } }

    /// The environment with a name; without one, the first that is served.
    func environment(named name: String?) -> Environment? {
        guard let name, !name.isEmpty else { return environments.first { $0.served != nil } }
        return environments.first { $0.name == name }
    }
}

/// What a flag does in an environment, in a word and a share.
struct FlagState: Sendable, Equatable {
    enum Kind: String, Sendable, CaseIterable {
        case off
        case on
        case some = "on for some"
        case test
    }

    let kind: Kind
    /// The share of users of the widest rule.
    let traffic: TrafficShare
    /// The number of rules that are on.
    let rules: Int
    /// Whether that rule is for an audience.
    let hasAudience: Bool

    /// Follows the rules in their order, as far as they get users.
    init(_ flag: AuthoredFlag, _ shares: [String: TrafficShare] = [:]) {
        let rules = flag.rules
        func isOn(_ key: String) -> Bool {
            flag.variations.first { $0.key == key }?.isEnabled ?? (key != AuthoredVariation.offKey)
        }
        var tests: [Share] = []
        var outcomes: [(isOn: Bool, share: Share)] = []
        for rule in rules.experiments where rule.status == .running && rule.traffic.buckets > 0 {
            let buckets = rule.traffic.buckets * (shares[rule.key] ?? .all).buckets / TrafficShare.all.buckets
            let share = Share(TrafficShare(buckets: buckets), rule.audience != nil)
            if rule.kind == .rollout {
                outcomes.append((rule.split.contains { isOn($0.variation) }, share))
            } else {
                tests.append(share)
            }
        }
        for rule in rules.deliveries where rule.isEnabled && rule.traffic.buckets > 0 {
            outcomes.append((isOn(rule.variation), Share(rule.traffic, rule.audience != nil)))
        }
        if let last = outcomes.firstIndex(where: { $0.share == (.all, false) }) {
            outcomes.removeSubrange((last + 1)...)
        } else {
            // Where everyone else has it on, those that a rule keeps out are the exception.
            let isOnForRest = rules.everyoneElse.map { isOn($0.variation) } ?? false
            outcomes.append((isOnForRest, Share(.all, !outcomes.isEmpty)))
        }
        let on = rules.isEnabled ? outcomes.filter(\.isOn).map(\.share) : []
        let shown = rules.isEnabled && !tests.isEmpty ? tests : on
        kind =
            shown.isEmpty ? .off : !tests.isEmpty ? .test : on.count == outcomes.count ? .on : .some
        let widest = shown.max { ($0.traffic, $1.hasAudience ? 1 : 0) < ($1.traffic, $0.hasAudience ? 1 : 0) }
        (traffic, hasAudience) = widest ?? (TrafficShare(buckets: 0), false)
        self.rules = shown.count
    }

    private typealias Share = (traffic: TrafficShare, hasAudience: Bool)
}

extension AuthoredProject {
    /// The shares of users whom groups let take part in a flag's experiments.
    func shares(of flag: String) -> [String: TrafficShare] {
        let members = groups.filter(\.isExclusive).flatMap(\.members).filter { $0.experiment.flag == flag }
        return Dictionary(members.map { ($0.experiment.rule, $0.traffic) }) { first, _ in first }
    }

    /// The groups and holdouts that keep users out of a flag's rules, as sentences.
    func limits(on flag: String) -> [String] {
        let groups = groups.filter(\.isExclusive).flatMap { group in
            group.members.filter { $0.experiment.flag == flag }.map { member in
                let others = group.members.filter { $0 != member }.map(\.experiment.name).joined(separator: ", ")
                return "Only \(member.traffic.percent) of the users can take part in \(member.experiment.rule): the "
                    + "group \(group.key) gives the others to \(others.isEmpty ? "nobody" : others)"
            }
        }
        let holdouts = holdouts.filter { holdout in
            holdout.status == .running && (holdout.rules.isEmpty || holdout.rules.contains { $0.flag == flag })
        }
        return groups + holdouts.map { "By the holdout \($0.key), \($0.summary)" }
    }
}
