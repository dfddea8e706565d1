import TurnoutEngine

extension DatafileConverter {
    mutating func convertFlags() {
        var experiments: [String: JSONValue] = [:]
        for experiment in root.allExperiments { experiments[experiment["id"]?.text ?? ""] = experiment }
        var rollouts: [String: JSONValue] = [:]
        for rollout in root.list("rollouts") { rollouts[rollout["id"]?.text ?? ""] = rollout }
        for flag in root.list("featureFlags") {
            guard flagKeys.insert(flag["key"]?.text ?? "").inserted else { continue }
            let rules = flag.list("experimentIds").compactMap { experiments.removeValue(forKey: $0.text ?? "") }
            convertFlag(flag, rules, rollouts.removeValue(forKey: flag.rolloutID))
        }
        for (id, _) in rollouts.sorted(by: { $0.key < $1.key }) {
            notes.append(Diagnostic(.note, "left-out", "rollout \(id) is used by no flag, so it is left out"))
        }
    }

    private mutating func convertFlag(_ flag: JSONValue, _ experiments: [JSONValue], _ rollout: JSONValue?) {
        let (place, key) = (project.flags.count, flag["key"]?.text ?? "")
        project.flags.append(AuthoredFlag(key: key))
        project.flags[place].verbatim = keep(flag["id"]?.text, of: EntityPath(.flag, key))
        add(flag, in: "featureFlags", as: key, \.flags[place].verbatim)
        let deliveries = rollout?.list("experiments") ?? []
        let everyoneElse = deliveries.last.flatMap { servesEveryoneElse($0) ? $0 : nil }
        let variables = convertVariables(of: flag, usedIn: experiments + deliveries)
        let scope = ConvertedFlag(
            key: key, variables: variables,
            sharedVariations: sharedVariations(of: experiments + deliveries, everyoneElse: everyoneElse))
        for variation in scope.sharedVariations {
            let variationKey = variation["key"]?.text ?? ""
            var converted = self.variation(variation, variables)
            let carried = keep(variation["id"]?.text, of: EntityPath(.variation, key, variationKey))
            converted.verbatim.merge(carried) { _, id in id }
            project.flags[place].variations.append(converted)
        }
        for experiment in experiments {
            let converted = convertExperiment(experiment, of: scope)
            project.flags[place].rules.experiments.append(converted)
            let index = project.flags[place].rules.experiments.count - 1
            add(experiment, in: "experiments", \.flags[place].rules.experiments[index].verbatim)
        }
        convertRollout(rollout, everyoneElse, ofFlagAt: place, scope)
    }

    // MARK: Variables

    /// Converts the variables of a flag. Returns their keys by id.
    private mutating func convertVariables(of flag: JSONValue, usedIn rules: [JSONValue]) -> [String: String] {
        var values: [String: [String]] = [:]
        for override in rules.flatMap({ $0.list("variations") }).flatMap({ $0.list("variables") }) {
            values[override["id"]?.text ?? "", default: []].append(override["value"]?.text ?? "")
        }
        var keys: [String: String] = [:]
        for value in flag.list("variables") {
            let (key, id) = (value["key"]?.text ?? "", value["id"]?.text ?? "")
            guard keys[id] == nil, !keys.values.contains(key) else { continue }
            keys[id] = key
            var variable = variable(value, key, values[id] ?? [])
            let path = EntityPath(.variable, project.flags[project.flags.count - 1].key, key)
            lock.types[path] = [variable.typeName]
            variable.verbatim.merge(keep(id, of: path)) { _, id in id }
            project.flags[project.flags.count - 1].variables.append(variable)
        }
        return keys
    }

    /// A variable. One with a value that is not of its type becomes a string, and carries its type.
    private func variable(_ variable: JSONValue, _ key: String, _ values: [String]) -> AuthoredVariable {
        let isJSON = variable["type"]?.text == "string" && variable["subType"]?.text == "json"
        let defaultValue = variable["defaultValue"]?.text ?? ""
        let named = isJSON ? .json : variable["type"]?.text.flatMap(AuthoredVariable.ValueType.init)
        let type = named.flatMap { type in ([defaultValue] + values).allSatisfy(type.accepts) ? type : nil }
        var result = AuthoredVariable(key: key, type: type ?? .string, defaultValue: defaultValue)
        let spelled = ["id", "key", "defaultValue"] + (type == nil ? [] : ["type", "subType"])
        result.verbatim = variable.members(except: spelled)
        return result
    }

    // MARK: Variations

    /// The variations that all rules of a flag that have their key agree on, in the order in which they first appear.
    /// That of everyone else comes before others, because only the flag can have it.
    private func sharedVariations(of rules: [JSONValue], everyoneElse: JSONValue?) -> [JSONValue] {
        var order: [String] = []
        var found: [String: JSONValue?] = [:]
        for rule in rules {
            var keysOfRule: Set<String> = []
            for variation in rule.list("variations") {
                let key = variation["key"]?.text ?? ""
                guard let known = found[key] else {
                    order.append(key)
                    found[key] = variation
                    keysOfRule.insert(key)
                    continue
                }
                // Twice in one rule, or different in another one: it is not a shared variation.
                if !keysOfRule.insert(key).inserted || known?.canonicalVariation != variation.canonicalVariation {
                    found[key] = .some(nil)
                }
            }
        }
        if let variation = everyoneElse?.list("variations").first { found[variation["key"]?.text ?? ""] = variation }
        return order.compactMap { found[$0] ?? nil }
    }

    /// A variation of the datafile, without its id. Values of variables that the flag lacks are carried.
    func variation(_ variation: JSONValue, _ variables: [String: String]) -> AuthoredVariation {
        let values = variation.list("variables")
        let overrides = values.compactMap { override in
            variables[override["id"]?.text ?? ""].map { AuthoredOverride($0, override["value"]?.text ?? "") }
        }
        var result = AuthoredVariation(
            key: variation["key"]?.text ?? "", isEnabled: variation["featureEnabled"]?.bool, overrides: overrides)
        result.verbatim = variation.members(except: ["id", "key", "featureEnabled", "variables"])
        let isComplete =
            overrides.count == values.count && Set(overrides.map(\.variable)).count == values.count
            && values.allSatisfy { $0.objectMembers.count == 2 }
        if !isComplete {
            result.overrides = []
            result.verbatim["variables"] = .array(values)
        }
        return result
    }

    // MARK: Rollouts

    /// Whether the last rule of a rollout gives everyone one variation. Another one is a delivery.
    private func servesEveryoneElse(_ rule: JSONValue) -> Bool {
        let (variations, id) = (rule.list("variations"), rule["id"] ?? .null)
        let ranges = rule.list("trafficAllocation")
        return audience(of: rule) == nil && variations.count == 1 && ranges.count == 1
            && ranges[0]["entityId"] == variations[0]["id"]
            && ranges[0]["endOfRange"]?.wholeNumber == Bucketing.bucketCount
            && !root.list("localHoldouts").contains { $0.list("includedRules").contains(id) }
    }

    private mutating func convertRollout(
        _ rollout: JSONValue?, _ last: JSONValue?, ofFlagAt place: Int, _ scope: ConvertedFlag
    ) {
        guard let rollout, !rollout.list("experiments").isEmpty else {
            project.flags[place].rules.everyoneElse = nil
            return
        }
        let id = keep(rollout["id"]?.text, of: EntityPath(.rollout, environment, scope.key))
        project.flags[place].rules.verbatim = id
        add(rollout, in: "rollouts", \.flags[place].rules.verbatim)
        for rule in rollout.list("experiments").dropLast(last == nil ? 0 : 1) {
            project.flags[place].rules.deliveries.append(convertDelivery(rule, of: scope))
            let index = project.flags[place].rules.deliveries.count - 1
            add(rule, in: "rules", \.flags[place].rules.deliveries[index].verbatim)
        }
        guard let last else {
            project.flags[place].rules.everyoneElse = nil
            return
        }
        var everyoneElse = EveryoneElse()
        everyoneElse.variation = last.list("variations").first?["key"]?.text ?? AuthoredVariation.offKey
        everyoneElse.verbatim = keepIDs(of: last, [environment, scope.key, ""])
        project.flags[place].rules.everyoneElse = everyoneElse
        add(last, in: "lastRules", as: rollout["id"]?.text, \.flags[place].rules.verbatimForEveryoneElse)
    }

    private mutating func convertDelivery(_ rule: JSONValue, of scope: ConvertedFlag) -> AuthoredDelivery {
        let (key, ids) = registerRule(rule, ofFlag: scope.key)
        let variations = rule.list("variations")
        var delivery = AuthoredDelivery(
            key: key, variation: variations.first?["key"]?.text ?? AuthoredVariation.offKey)
        delivery.audience = audience(of: rule)
        delivery.variations = ownVariations(variations, of: scope, [environment, scope.key, key])
        let allocation = allocation(rule.list("trafficAllocation"), keys: variations.keysByID)
        lock.allocations[EntityPath(.rule, environment, scope.key, key)] = allocation
        delivery.traffic = TrafficShare(buckets: allocation.counts[delivery.variation] ?? 0)
        delivery.verbatim = ids
        return delivery
    }
}

/// What the rules of a flag refer to; empty for rules without a flag.
struct ConvertedFlag {
    var key = ""
    /// The keys of the variables by id.
    var variables: [String: String] = [:]
    /// The variations of the flag.
    var sharedVariations: [JSONValue] = []

    /// Whether the flag has a variation, so that a rule needs none of its own.
    func shares(_ variation: JSONValue) -> Bool {
        sharedVariations.contains { $0.canonicalVariation == variation.canonicalVariation }
    }
}

extension AuthoredRules {
    /// The verbatim members of the rule for everyone else.
    var verbatimForEveryoneElse: [String: JSONValue] {
        get { everyoneElse?.verbatim ?? [:] }
        set { everyoneElse?.verbatim = newValue }
    }
}
