import TurnoutEngine

/// A planned flag, with everything that several parts of the datafile refer to.
struct FlagPlan {
    struct Variable {
        let id: String
        let type: VariableType
        let defaultValue: String
    }

    let number: Int
    let id: String
    let key: String
    let experimentID: String
    let rolloutID: String
    let variables: [Variable]
}

enum VariableType: CaseIterable { case integer, double, boolean, string, json }

extension DatafileGenerator {
    mutating func makeFlagPlan(_ number: Int) -> FlagPlan {
        let variables = (0..<random.below(5)).map { _ in
            let type = random.pick(VariableType.allCases)
            return FlagPlan.Variable(id: makeID(), type: type, defaultValue: makeValue(type))
        }
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return FlagPlan(
            number: number, id: makeID(), key: "flag_\(padded)", experimentID: makeID(), rolloutID: makeID(),
            variables: variables)
    }

    private mutating func makeValue(_ type: VariableType) -> String {
        switch type {
        case .integer: return String(random.below(500))
        case .double: return "\(random.below(100)).\(100 + random.below(900))"
        case .boolean: return random.happens(50) ? "true" : "false"
        case .string: return random.pick(["green", "blue", "red", "checkout now", "call to action"])
        case .json: return "{\"k1\":\(random.below(9)),\"k2\":{\"k3\":\"v\(random.below(100))\"}}"
        }
    }

    mutating func writeFlag(_ plan: FlagPlan) {
        writer.object { writer in
            writer.members([("id", plan.id), ("key", plan.key), ("rolloutId", plan.rolloutID)])
            writer.array("experimentIds", CollectionOfOne(plan.experimentID)) { $0.string($1) }
            writer.array("variables", plan.variables.enumerated()) { writer, item in
                let (number, variable) = item
                writer.object { writer in
                    let type = variable.type == .json ? "string" : "\(variable.type)"
                    writer.members([
                        ("id", variable.id), ("key", "var_\(number)"), ("type", type),
                        ("defaultValue", variable.defaultValue),
                    ])
                    if variable.type == .json { writer.members([("subType", "json")]) }
                }
            }
        }
    }

    // MARK: Rules

    mutating func writeExperiment(_ plan: FlagPlan) {
        let count = 2 + random.pick(weights: [60, 18, 22])
        let keys = ["off", "on"] + (2..<count).map { "variation_\($0)" }
        let rule = RulePlan(
            id: plan.experimentID, key: "\(plan.key)_exp", layerID: makeID(), isRunning: !random.happens(4),
            audience: random.happens(15) ? nil : makeAudienceCondition(),
            end: random.happens(61) ? 10_000 : random.pick([1_000, 2_500, 5_000, 8_000]), variationKeys: keys,
            whitelist: random.happens(5) ? ("qa_user_\(random.below(10))", random.pick(keys)) : nil)
        writeRule(rule, of: plan)
    }

    mutating func writeRollout(_ plan: FlagPlan) {
        writer.beginObject()
        writer.members([("id", plan.rolloutID)])
        writeArray("experiments", (0..<4)[...]) { generator, number in
            generator.writeRule(generator.makeDelivery(number, of: plan), of: plan)
        }
        writer.endObject()
    }

    /// Three targeted rules, and a last one for everyone else.
    private mutating func makeDelivery(_ number: Int, of plan: FlagPlan) -> RulePlan {
        let isLast = number == 3
        let isOpen = random.happens(isLast ? 78 : 20)
        return RulePlan(
            id: makeID(), key: isLast ? "default-\(plan.key)" : "\(plan.key)_td\(number)", layerID: plan.rolloutID,
            isRunning: isLast || !random.happens(5),
            audience: isLast || random.happens(15) ? nil : makeAudienceCondition(),
            end: isOpen ? 10_000 : random.pick([1_000, 2_500, 5_000, 8_000]), variationKeys: ["on"], whitelist: nil)
    }

    private mutating func makeAudienceCondition() -> Condition {
        let audiences = (0..<3).map { _ in Condition.audience(random.pick(audienceIDs)) }
        switch random.pick(weights: [42, 28, 14, 16]) {
        case 0: return .or([audiences[0]])
        case 1: return .or([audiences[0], audiences[1]])
        case 2: return .and([audiences[0], .not(audiences[1])])
        default: return .and([audiences[0], .or([audiences[1], audiences[2]])])
        }
    }

    private mutating func writeRule(_ rule: RulePlan, of plan: FlagPlan) {
        let variationIDs = rule.variationKeys.map { _ in makeID() }
        writer.beginObject()
        writer.members([
            ("id", rule.id), ("key", rule.key), ("layerId", rule.layerID),
            ("status", rule.isRunning ? "Running" : "Paused"),
        ])
        writer.array("audienceIds", rule.audience?.audienceIDs ?? []) { $0.string($1) }
        writer.key("audienceConditions")
        if let audience = rule.audience { writer.condition(audience) } else { writer.value(.array([])) }
        writeArray("variations", zip(variationIDs, rule.variationKeys).map { ($0, $1) }) { generator, variation in
            generator.writeVariation(id: variation.0, key: variation.1, of: plan)
        }
        writer.traffic(variationIDs, end: rule.end)
        writer.key("forcedVariations")
        writer.object { writer in
            if let (user, variation) = rule.whitelist { writer.members([(user, variation)]) }
        }
        writer.endObject()
    }

    private mutating func writeVariation(id: String, key: String, of plan: FlagPlan) {
        let isEnabled = key != "off"
        writer.beginObject()
        writer.members([("id", id), ("key", key)])
        writer.key("featureEnabled")
        writer.bool(isEnabled)
        // Half of the variables get an overridden value; variations without overrides are common, too.
        let overridden = isEnabled ? plan.variables.filter { _ in random.happens(50) } : []
        writeArray("variables", overridden) { generator, variable in
            let value = generator.makeValue(variable.type)
            generator.writer.object { $0.members([("id", variable.id), ("value", value)]) }
        }
        writer.endObject()
    }
}

/// A planned experiment or rollout rule.
struct RulePlan {
    let id: String
    let key: String
    let layerID: String
    let isRunning: Bool
    let audience: Condition?
    let end: Int
    let variationKeys: [String]
    let whitelist: (user: String, variation: String)?
}
