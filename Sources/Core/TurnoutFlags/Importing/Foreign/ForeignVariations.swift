import TurnoutEngine

/// The values of a flag of another tool, as variations.
///
/// A flag with Boolean values is enabled or not: its variations are `on` and `off`. Other values are those of a
/// variable `value`, and the variations have the names that they have there; `off` stays disabled.
struct ForeignVariations {
    /// The key of the variable.
    static let variable = "value"
    static let onKey = "on"

    /// The type of the values.
    let type: AuthoredVariable.ValueType
    /// The variations but for a Boolean `off`, which every flag has.
    private(set) var authored: [AuthoredVariation] = []
    private var keys: [String: String] = [:]

    /// Creates variations; nil if the values are not of one type that variables have. A null is left out.
    init?(_ values: [(name: String, value: Node)]) {
        let values = values.filter { !$0.value.isNothing }
        var types = Set(values.compactMap { AuthoredVariable.ValueType(of: $0.value) })
        if types == [.integer, .double] { types = [.double] }
        guard let type = types.first, types.count == 1 else { return nil }
        self.type = type
        for (name, node) in values where keys[name] == nil {
            guard let value = type.value(of: node) else { return nil }
            if type == .boolean {
                keys[name] = node.isTrue ? Self.onKey : AuthoredVariation.offKey
                continue
            }
            keys[name] = name
            authored.append(
                AuthoredVariation(
                    key: name, isEnabled: name != AuthoredVariation.offKey,
                    overrides: [AuthoredOverride(Self.variable, value)]))
        }
        if type == .boolean { authored = [AuthoredVariation(key: Self.onKey)] }
    }

    /// The key of the variation with a name in the file.
    subscript(name: String) -> String? { keys[name] }

    /// The variable, with the value of a variation as its default; nil for Boolean values.
    func variable(defaultFrom key: String) -> AuthoredVariable? {
        guard type != .boolean, let variation = authored.first(where: { $0.key == key }) ?? authored.first else {
            return nil
        }
        return AuthoredVariable(
            key: Self.variable, type: type, defaultValue: variation.overrides.first?.value ?? "")
    }
}

/// The outcome of a rule: variations with their weights, for a part of its users.
struct ForeignOutcome {
    /// The variations, each once and in the order of the file, with weights of any unit.
    private(set) var split: [(variation: String, weight: Double)] = []
    /// The share of users that get one of the variations. The next rule applies to all other users.
    var traffic = 1.0
    /// The group that selects its users first; nil for none.
    var groupShare: GroupShare?

    /// One variation.
    init(_ variation: String) { split = [(variation, 1)] }

    /// Variations by weight; nil if a weight is negative, or all of them are zero.
    init?(_ weights: [(variation: String, weight: Double)], traffic: Double = 1) {
        guard weights.contains(where: { $0.weight > 0 }) else { return nil }
        guard weights.allSatisfy({ $0.weight >= 0 && $0.weight.isFinite }) else { return nil }
        for (variation, weight) in weights {
            if let index = split.firstIndex(where: { $0.variation == variation }) {
                split[index].weight += weight
            } else {
                split.append((variation, weight))
            }
        }
        self.traffic = traffic
    }

    /// The variation that all users get.
    var single: String? {
        let served = split.filter { $0.weight > 0 }
        return served.count == 1 ? served[0].variation : nil
    }

    /// Whether no user continues with the next rule.
    var takesAll: Bool { share == .all && groupShare == nil }

    /// The traffic in whole buckets.
    var share: TrafficShare {
        TrafficShare(buckets: min(max(Int((traffic * 10_000).rounded()), 0), 10_000))
    }

    /// The weights as the file spells them if they are whole, otherwise in percent, exact to a bucket.
    var shares: [SplitShare] {
        let isWhole = split.allSatisfy { $0.weight == $0.weight.rounded() && $0.weight <= 1_000_000 }
        let total = split.reduce(0) { $0 + $1.weight }
        return split.map { variation, weight in
            SplitShare(variation, weight: Int((isWhole ? weight * 100 : weight / total * 10_000).rounded()))
        }
    }
}
