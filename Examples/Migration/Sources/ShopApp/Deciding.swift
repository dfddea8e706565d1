import Foundation
import Optimizely

func decide(_ user: OptimizelyUserContext) {
    let decision = user.decide(key: "checkout_redesign")
    print("flag: \(decision.flagKey), rule: \(decision.ruleKey ?? "none")")
    print("variation: \(decision.variationKey ?? "none")")
    print("enabled: \(decision.enabled)")
    let steps: Int? = decision.variables.getValue(jsonPath: "steps")
    print("steps: \(steps ?? 0)")
    print("variables: \(decision.variables.toMap().keys.sorted())")
    for reason in decision.reasons { print("reason: \(reason)") }

    let decisions = user.decide(keys: ["search_ranking", "free_shipping"], options: [.disableDecisionEvent])
    for (key, decision) in decisions.sorted(by: { $0.key < $1.key }) {
        print("\(key): \(decision.variationKey ?? "none")")
    }
    let enabled = user.decideAll(options: [.enabledFlagsOnly, .disableDecisionEvent])
    print("on: \(enabled.keys.sorted())")

    let unknown = user.decide(key: "no_such_flag")
    print("no_such_flag: \(unknown.reasons)")
}

func force(_ user: OptimizelyUserContext) {
    let context = OptimizelyDecisionContext(flagKey: "dark_mode", ruleKey: nil)
    _ = user.setForcedDecision(context: context, decision: OptimizelyForcedDecision(variationKey: "dark"))
    let forced = user.decide(key: "dark_mode", options: [.disableDecisionEvent])
    print("forced: \(forced.variationKey ?? "none")")
    print("removed: \(user.removeForcedDecision(context: context))")
}

func track(_ user: OptimizelyUserContext) {
    do {
        try user.trackEvent(eventKey: "purchase", eventTags: ["revenue": 4250, "value": 42.5, "size": "m"])
        try user.trackEvent(eventKey: "no_such_event")
    } catch OptimizelyError.eventKeyInvalid(let key) {
        print("there is no event \(key)")
    } catch {
        print(error)
    }
}

func list(_ optimizely: OptimizelyClient) throws {
    let config = try optimizely.getOptimizelyConfig()
    print("revision \(config.revision), environment \(config.environmentKey)")
    for feature in config.featuresMap.values.sorted(by: { $0.key < $1.key }) {
        print(feature.key)
        for experiment in feature.experimentRules { print("  experiment \(describe(experiment))") }
        for rule in feature.deliveryRules { print("  delivery \(describe(rule))") }
        for variable in feature.variablesMap.values.sorted(by: { $0.key < $1.key }) {
            print("  \(variable.key): \(variable.type) = \(variable.value)")
        }
    }
    print("attributes: \(config.attributes.map(\.key))")
    print("events: \(config.events.map(\.key))")
}

func describe(_ rule: OptimizelyExperiment) -> String {
    let audiences = rule.audiences.isEmpty ? "" : " for \(rule.audiences)"
    return "\(rule.key): \(rule.variationsMap.keys.sorted())\(audiences)"
}
