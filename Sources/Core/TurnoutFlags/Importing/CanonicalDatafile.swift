import TurnoutEngine

/// A canonical form of a datafile, equal for datafiles that decide alike: without members that have their default,
/// without the choice between spellings, and without the order of lists whose order means nothing.
struct CanonicalDatafile {
    private let root: JSONValue
    /// The canonical entities, by list and id; attributes, events and flags by key.
    private let entities: [String: [String: [String: JSONValue]]]

    /// - Parameters:
    ///   - root: The datafile.
    ///   - undeclared: Attributes that are not compared.
    init(_ root: JSONValue, undeclared: Set<String> = []) {
        var root = root
        if case .object(var members) = root, !undeclared.isEmpty {
            members["attributes"] = .array(
                root.list("attributes").filter { !undeclared.contains($0["key"]?.text ?? "") })
            root = .object(members)
        }
        self.root = root
        let grouped = root.list("groups").flatMap { $0.list("experiments") }
        let rollouts = root.list("rollouts")
        var entities: [String: [String: [String: JSONValue]]] = [:]
        func add(
            _ list: String, _ values: [JSONValue], by name: String = "id",
            _ form: (JSONValue) -> [String: JSONValue]
        ) {
            entities[list] = Dictionary(values.map { ($0[name]?.text ?? "", form($0)) }) { _, last in last }
        }
        add("attributes", root.list("attributes"), by: "key", \.members)
        add("events", root.list("events"), by: "key", \.members)
        add("typedAudiences", root.list("typedAudiences"), \.canonicalAudience)
        add("audiences", root.list("audiences"), \.canonicalAudience)
        add("featureFlags", root.list("featureFlags"), by: "key", \.canonicalFlag)
        add("experiments", root.list("experiments") + grouped, \.canonicalRule)
        add("rules", rollouts.flatMap { $0.list("experiments") }, \.canonicalRule)
        add("rollouts", rollouts, \.canonicalContainer)
        add("groups", root.list("groups"), \.canonicalContainer)
        add("holdouts", root.list("holdouts"), \.canonicalRule)
        add("localHoldouts", root.list("localHoldouts"), \.canonicalRule)
        entities["lastRules"] = Dictionary(
            rollouts.compactMap { rollout in
                rollout.list("experiments").last.map { (rollout["id"]?.text ?? "", $0.canonicalRule) }
            }
        ) { _, last in last }
        self.entities = entities
    }

    /// The canonical members of an entity with an id or key, or nil if there is none.
    subscript(list: String, id: String) -> [String: JSONValue]? { entities[list]?[id] }

    /// A member of the datafile in a form that is equal if it has the same meaning.
    func member(_ key: String) -> JSONValue? {
        switch key {
        case "attributes", "events": unordered(key, by: "key")
        case "featureFlags": unordered(key, by: "key", \.canonicalFlag)
        case "groups": unordered(key)
        case "experiments": unordered(key, \.canonicalRule)
        case "rollouts": .object(usedRollouts)
        case "audiences", "typedAudiences": audiences
        case "holdouts", "localHoldouts": .array(root.list(key).map { .object($0.canonicalRule) })
        default: root[key].flatMap { [.null, .array([]), .object([:])].contains($0) ? nil : $0 }
        }
    }

    /// Entities by id or key with their place, so that the order counts only where one is repeated.
    private func unordered(
        _ key: String, by name: String = "id", _ form: (JSONValue) -> [String: JSONValue] = \.canonicalGroup
    ) -> JSONValue {
        var values: [String: [JSONValue]] = [:]
        for entity in root.list(key) { values[entity[name]?.text ?? "", default: []].append(.object(form(entity))) }
        return .object(values.mapValues(JSONValue.array))
    }

    /// The rollouts that flags name, with their rules.
    private var usedRollouts: [String: JSONValue] {
        let used = Set(root.list("featureFlags").map(\.rolloutID))
        var values: [String: JSONValue] = [:]
        for rollout in root.list("rollouts") where used.contains(rollout["id"]?.text ?? "") {
            var members = rollout.members
            members["experiments"] = .array(rollout.list("experiments").map { .object($0.canonicalRule) })
            values[rollout["id"]?.text ?? ""] = .object(members)
        }
        return values
    }

    /// The audiences that conditions can refer to, by id: typed ones take precedence.
    private var audiences: JSONValue {
        var values: [String: JSONValue] = [:]
        for audience in root.list("typedAudiences") + root.list("audiences") {
            let id = audience["id"]?.text ?? ""
            if values[id] == nil { values[id] = .object(audience.canonicalAudience) }
        }
        return .object(values)
    }
}

extension JSONValue {
    /// The members of an object.
    fileprivate var members: [String: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return members.filter { $0.value != .null }
    }

    fileprivate var canonicalAudience: [String: JSONValue] {
        var members = members
        members["conditions"] = members["conditions"]?.parsedCondition.canonicalCondition
        return members
    }

    /// Conditions with the match type that a missing one stands for.
    private var canonicalCondition: JSONValue {
        switch self {
        case .array(let items): return .array(items.map(\.canonicalCondition))
        case .object(var members):
            members = members.filter { $0.value != .null }
            if members["match"] == nil { members["match"] = .string("exact") }
            return .object(members)
        default: return self
        }
    }

    fileprivate var canonicalFlag: [String: JSONValue] {
        var members = members
        let variables = list("variables").map { variable -> JSONValue in
            var members = variable.members
            if members["type"] == .string("string"), members["subType"] == .string("json") {
                members["type"] = .string("json")
                members["subType"] = nil
            }
            members["defaultValue"] = members["defaultValue"] ?? .string("")
            return .object(members)
        }
        members["variables"] = .array(variables.sorted { $0["id"]?.text ?? "" < $1["id"]?.text ?? "" })
        return members
    }

    /// A rollout or a group, with the ids of its rules in place of the rules.
    fileprivate var canonicalContainer: [String: JSONValue] {
        var members = members
        let rules = list("experiments")
        members["experiments"] = .array(
            (self["policy"] == nil ? rules : rules.sortedIfDistinct).map { $0["id"] ?? .null })
        members["trafficAllocation"] = canonicalTraffic
        return members
    }

    /// A group with its rules; other entities as they are.
    fileprivate var canonicalGroup: [String: JSONValue] {
        var members = members
        if members["policy"] != nil {
            members["experiments"] = .array(list("experiments").sortedIfDistinct.map { .object($0.canonicalRule) })
            members["trafficAllocation"] = canonicalTraffic
        }
        return members
    }

    fileprivate var canonicalRule: [String: JSONValue] {
        var members = members
        let ids = list("audienceIds")
        var condition = members["audienceConditions"] ?? .array(ids.isEmpty ? [] : [.string("or")] + ids)
        if case .string(let id) = condition { condition = .array([.string("or"), .string(id)]) }
        members["audienceConditions"] = condition.canonicalCondition
        members["audienceIds"] = nil
        if case .object(var bandit) = members["cmab"] {
            let ids = members["cmab"]?.list("attributeIds") ?? []
            bandit["attributeIds"] = .array(ids.sortedByBytes { $0.text ?? "" })
            bandit["trafficAllocation"] = bandit["trafficAllocation"]?.wholeNumber.map { .integer(Int64($0)) }
            members["cmab"] = .object(bandit)
        }
        members["trafficAllocation"] = canonicalTraffic
        members["variations"] = .array(list("variations").sortedIfDistinct.map(\.canonicalVariation))
        if case .array(let rules) = members["includedRules"] {
            members["includedRules"] = .array(rules.sortedByBytes { $0.text ?? "" })
        }
        return members
    }

    /// A variation, whose variables have no order.
    var canonicalVariation: JSONValue {
        var members = members
        members["variables"] = .array(list("variables").sorted { $0["id"]?.text ?? "" < $1["id"]?.text ?? "" })
        return .object(members)
    }

    /// The ranges of the traffic that have buckets, with neighbors of the same entity joined.
    private var canonicalTraffic: JSONValue? {
        guard case .array(let entries) = self["trafficAllocation"] else { return nil }
        var ranges: [(id: JSONValue, end: Int)] = []
        for entry in entries {
            let (id, end) = (entry["entityId"] ?? .null, entry["endOfRange"]?.wholeNumber ?? 0)
            guard end > ranges.last?.end ?? 0 else { continue }
            if ranges.last?.id == id { ranges.removeLast() }
            ranges.append((id, min(end, Bucketing.bucketCount)))
        }
        return .array(ranges.map { .array([$0.id, .integer(Int64($0.end))]) })
    }
}

extension [JSONValue] {
    /// The entities in the order of their ids, if no id and no key is repeated: then the order means nothing.
    fileprivate var sortedIfDistinct: [JSONValue] {
        let keys = compactMap { $0["key"]?.text }
        guard Set(map { $0["id"]?.text }).count == count, Set(keys).count == keys.count else { return self }
        return sortedByBytes { $0["id"]?.text ?? "" }
    }
}
