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

        var description: String? { sides.lazy.compactMap { $0?.description }.first }
        var states: [FlagState?] { sides.map { $0.map(FlagState.init) } }

        /// Whether lint says that it can be removed, or a part of it.
        var finding: Diagnostic? {
            findings.first { ["flag-always-off", "experiment-ended"].contains($0.code) }
        }
    }

    var environments: [Environment] = []
    /// In the order of the file.
    var flags: [Flag] = []
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
    /// The share of users of its widest rule.
    let traffic: TrafficShare

    init(_ flag: AuthoredFlag) {
        let rules = flag.rules
        func isOn(_ key: String) -> Bool {
            flag.variations.first { $0.key == key }?.isEnabled ?? (key != AuthoredVariation.offKey)
        }
        let running = rules.experiments.filter { $0.status == .running }
        let deliveries = rules.deliveries.filter(\.isEnabled)
        let isOnForRest = rules.everyoneElse.map { isOn($0.variation) } ?? false
        let shares =
            deliveries.filter { isOn($0.variation) }.map(\.traffic)
            + running.filter { $0.kind == .rollout }.map(\.traffic)
        if !rules.isEnabled {
            (kind, traffic) = (.off, TrafficShare(buckets: 0))
        } else if let widest = running.filter({ $0.kind != .rollout }).map(\.traffic).max() {
            (kind, traffic) = (.test, widest)
        } else if isOnForRest, deliveries.allSatisfy({ isOn($0.variation) }) {
            (kind, traffic) = (.on, .all)
        } else if let widest = isOnForRest ? .all : shares.max() {
            let isForAll =
                deliveries.first.map { $0.audience == nil && $0.traffic == .all && isOn($0.variation) } ?? false
            (kind, traffic) = (isForAll ? .on : .some, widest)
        } else {
            (kind, traffic) = (.off, TrafficShare(buckets: 0))
        }
    }
}
