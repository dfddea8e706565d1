import Foundation
import Optimizely

func deciding(_ client: OptimizelyClient) {
    let user = OptimizelyUserContext(optimizely: client, userId: "ada")
    let other = OptimizelyUserContext(optimizely: client, userId: "ada", attributes: ["plan": "gold", "age": nil])
    user.userId = "bob"
    user.setAttribute(key: "plan", value: "gold")
    user.setAttribute(key: "age", value: nil)
    let attributes: [String: Any?] = user.attributes
    print(user == other, user.description, "\(user)", user.userId, attributes)

    let one: OptimizelyDecision = user.decide(key: "f")
    let reasoned: OptimizelyDecision = user.decide(key: "f", options: [.includeReasons])
    let some: [String: OptimizelyDecision] = user.decide(keys: ["f", "g"])
    let enabled: [String: OptimizelyDecision] = user.decide(keys: ["f", "g"], options: [.enabledFlagsOnly])
    print(one == reasoned, some.count, enabled.count)
    print(user.decideAll().count, user.decideAll(options: [.enabledFlagsOnly, .excludeVariables]).count)
    user.decideAsync(key: "f") { decision in print(decision.enabled) }
    user.decideAsync(key: "f", options: [.ignoreCmabCache]) { print($0) }
    user.decideAsync(keys: ["f"]) { decisions in print(decisions.keys) }
    user.decideAsync(keys: ["f"], options: nil) { print($0) }
    user.decideAllAsync { decisions in print(decisions.keys) }
    user.decideAllAsync(options: [.enabledFlagsOnly]) { print($0) }
    user.decideAsync(key: "f", completion: { (decision: OptimizelyDecision) in print(decision) })
}

func reading(_ decision: OptimizelyDecision) {
    let variation: String? = decision.variationKey
    let isOn: Bool = decision.enabled
    let variables: OptimizelyJSON = decision.variables
    let rule: String? = decision.ruleKey
    let flag: String = decision.flagKey
    let user: OptimizelyUserContext = decision.userContext
    let reasons: [String] = decision.reasons
    let described: CustomStringConvertible = decision
    print(variation as Any, isOn, variables, rule as Any, flag, user, reasons, described.description, decision)
}

struct Colors: Decodable {
    let dark: String
}

func reading(_ json: OptimizelyJSON) {
    let object: NSObject = json
    let map: [String: Any] = json.toMap()
    let text: String? = json.toString()
    let count: Int? = json.getValue(jsonPath: "a.b")
    let colors: Colors? = json.getValue(jsonPath: nil)
    let inner: [String: Any]? = json.getValue(jsonPath: "a")
    print(json.isEmpty, map, text as Any, count as Any, colors as Any, inner as Any)
    print(json.isEqual(nil), json.description, object == json)
}

func forcing(_ user: OptimizelyUserContext) {
    let flag = OptimizelyDecisionContext(flagKey: "f")
    let rule = OptimizelyDecisionContext(flagKey: "f", ruleKey: "r")
    let decision = OptimizelyForcedDecision(variationKey: "v")
    let isSet: Bool = user.setForcedDecision(context: flag, decision: decision)
    let forced: OptimizelyForcedDecision? = user.getForcedDecision(context: rule)
    let isRemoved: Bool = user.removeForcedDecision(context: rule)
    let areRemoved: Bool = user.removeAllForcedDecisions()
    print(isSet, forced == decision, forced?.variationKey as Any, isRemoved, areRemoved)
    print(Set([flag, rule]), flag.flagKey, rule.ruleKey as Any)
}

func converting(_ user: OptimizelyUserContext) throws {
    try user.trackEvent(eventKey: "bought")
    try user.trackEvent(eventKey: "bought", eventTags: ["revenue": 1299, "value": 12.99, "note": "gift"])
}

func segments(_ user: OptimizelyUserContext) throws {
    try user.fetchQualifiedSegments()
    try user.fetchQualifiedSegments(options: [.ignoreCache, .resetCache])
    user.fetchQualifiedSegments { error in print(error as Any) }
    user.fetchQualifiedSegments { segments, error in print(segments as Any, error as Any) }
    user.fetchQualifiedSegments { _ in print(user.isQualifiedFor(segment: "s")) }
    user.fetchQualifiedSegments { print($0 as Any) }
    user.fetchQualifiedSegments(options: [.resetCache]) { error in print(error as Any) }
    user.fetchQualifiedSegments(completionHandler: { (error: OptimizelyError?) in print(error as Any) })
    let segments: [String]? = user.qualifiedSegments
    user.qualifiedSegments = ["a"]
    user.qualifiedSegments = nil
    print(segments as Any, user.isQualifiedFor(segment: "a") as Bool)
}
