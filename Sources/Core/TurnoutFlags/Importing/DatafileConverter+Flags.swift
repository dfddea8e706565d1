import TurnoutEngine

extension DatafileConverter {
    mutating func convertFlags() {
        var experiments: [String: (list: String, value: JSONValue)] = [:]
        for experiment in root.list("experiments") {
            experiments[experiment["id"]?.text ?? ""] = ("experiments", experiment)
        }
        for group in root.list("groups") {
            for experiment in group.list("experiments") {
                experiments[experiment["id"]?.text ?? ""] = ("groups", experiment)
            }
        }
        var rollouts: [String: JSONValue] = [:]
        for rollout in root.list("rollouts") { rollouts[rollout["id"]?.text ?? ""] = rollout }
        for flag in root.list("featureFlags") {
            let key = flag["key"]?.text ?? ""
            guard lock.register(.flag, [key], flag["id"]?.text) else { continue }
            let rules = flag.list("experimentIds").compactMap { experiments.removeValue(forKey: $0.text ?? "") }
            convertFlag(flag, key, rules.map(\.value), rollouts.removeValue(forKey: flag.rolloutID))
        }
        for (id, _) in rollouts.sorted(by: { $0.key < $1.key }) {
            notes.append(Diagnostic(.note, "left-out", "rollout \(id) is used by no flag, so it is left out"))
        }
    }

    private mutating func convertFlag(
        _ flag: JSONValue, _ key: String, _ experiments: [JSONValue], _ rollout: JSONValue?
    ) {
        let place = project.flags.count
        project.flags.append(AuthoredFlag(key: key))
        add(flag, in: "featureFlags", "flag \(key)", \.flags[place].verbatim)
        let variables = convertVariables(of: flag, key)
        let deliveries = rollout?.list("experiments") ?? []
        let shared = sharedVariations(of: experiments + deliveries)
        for variation in shared {
            let variationKey = variation["key"]?.text ?? ""
            lock.ids[EntityPath(.variation, key, variationKey)] = variation["id"]?.text
            project.flags[place].variations.append(self.variation(variation, variables))
        }
        let sharedKeys = Set(shared.compactMap { $0["key"]?.text })
        for experiment in experiments {
            let converted = convertExperiment(experiment, ofFlag: key, variables, sharing: sharedKeys)
            project.flags[place].rules.experiments.append(converted)
            let index = project.flags[place].rules.experiments.count - 1
            add(
                experiment, in: "experiments", "experiment \(converted.key)",
                \.flags[place].rules.experiments[index].verbatim)
        }
        convertRollout(rollout, ofFlagAt: place, variables, sharing: sharedKeys)
    }

    /// Converts the variables of a flag. Returns their keys by id.
    private mutating func convertVariables(of flag: JSONValue, _ flagKey: String) -> [String: String] {
        var keys: [String: String] = [:]
        for variable in flag.list("variables") {
            let key = variable["key"]?.text ?? ""
            guard let id = variable["id"]?.text, lock.register(.variable, [flagKey, key], id) else { continue }
            keys[id] = key
            let isJSON = variable["type"]?.text == "string" && variable["subType"]?.text == "json"
            let type = isJSON ? .json : variable["type"]?.text.flatMap(AuthoredVariable.ValueType.init) ?? .string
            project.flags[project.flags.count - 1].variables.append(
                AuthoredVariable(key: key, type: type, defaultValue: variable["defaultValue"]?.text ?? ""))
        }
        return keys
    }

    /// The variations that all rules of a flag that have their key agree on, in the order in which they first appear.
    private func sharedVariations(of rules: [JSONValue]) -> [JSONValue] {
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
                if !keysOfRule.insert(key).inserted || known != variation { found[key] = .some(nil) }
            }
        }
        return order.compactMap { found[$0] ?? nil }
    }

    /// A variation of the datafile, without its id.
    func variation(_ variation: JSONValue, _ variables: [String: String]) -> AuthoredVariation {
        AuthoredVariation(
            key: variation["key"]?.text ?? "", isEnabled: variation["featureEnabled"]?.bool,
            overrides: variation.list("variables").compactMap { override in
                guard let key = variables[override["id"]?.text ?? ""] else { return nil }
                return AuthoredOverride(key, override["value"]?.text ?? "")
            })
    }

    private mutating func convertRollout(
        _ rollout: JSONValue?, ofFlagAt place: Int, _ variables: [String: String], sharing sharedKeys: Set<String>
    ) {
        let flag = project.flags[place].key
        guard let rollout, let last = rollout.list("experiments").last else {
            project.flags[place].rules.everyoneElse = nil
            return
        }
        lock.ids[EntityPath(.rollout, environment, flag)] = rollout["id"]?.text
        add(rollout, in: "rollouts", "deliveries of flag \(flag)", \.flags[place].rules.verbatim)
        for rule in rollout.list("experiments").dropLast() {
            let delivery = convertDelivery(rule, ofFlag: flag, variables, sharing: sharedKeys)
            project.flags[place].rules.deliveries.append(delivery)
            let index = project.flags[place].rules.deliveries.count - 1
            add(rule, in: "rules", "delivery \(delivery.key)", \.flags[place].rules.deliveries[index].verbatim)
        }
        lock.ids[EntityPath(.rule, environment, flag, "")] = last["id"]?.text
        lock.ids[EntityPath(.layer, environment, flag, "")] = last["layerId"]?.text
        var everyoneElse = EveryoneElse()
        everyoneElse.variation = last.list("variations").first?["key"]?.text ?? AuthoredVariation.offKey
        project.flags[place].rules.everyoneElse = everyoneElse
        add(
            last, in: "lastRules", as: rollout["id"]?.text, "everyone else of flag \(flag)",
            \.flags[place].rules.verbatimForEveryoneElse)
    }

    private mutating func convertDelivery(
        _ rule: JSONValue, ofFlag flag: String, _ variables: [String: String], sharing sharedKeys: Set<String>
    ) -> AuthoredDelivery {
        let key = registerRule(rule, ofFlag: flag)
        let variations = rule.list("variations")
        var delivery = AuthoredDelivery(
            key: key, variation: variations.first?["key"]?.text ?? AuthoredVariation.offKey)
        delivery.audience = audience(of: rule)
        delivery.variations = ownVariations(variations, variables, sharing: sharedKeys, [environment, flag, key])
        let allocation = allocation(rule.list("trafficAllocation"), keys: variations.keysByID)
        lock.allocations[EntityPath(.rule, environment, flag, key)] = allocation
        delivery.traffic = TrafficShare(buckets: allocation.counts[delivery.variation] ?? 0)
        return delivery
    }
}

extension AuthoredRules {
    /// The verbatim members of the rule for everyone else.
    var verbatimForEveryoneElse: [String: JSONValue] {
        get { everyoneElse?.verbatim ?? [:] }
        set { everyoneElse?.verbatim = newValue }
    }
}
