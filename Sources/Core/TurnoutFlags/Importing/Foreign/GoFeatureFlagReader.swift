import TurnoutEngine

/// Translates flags of GO Feature Flag.
enum GoFeatureFlagReader {
    /// The variables that hold the id of the user.
    static let userIDs: Set<String> = ["key", "targetingKey"]
    /// Values that the tool adds for users without them.
    static let defaults: [String: JSONValue] = ["anonymous": .bool(false)]

    private static let keys: Set = [
        "variations", "targeting", "defaultRule", "bucketingKey", "disable", "metadata", "experimentation",
        "scheduledRollout",
    ]
    private static let ruleKeys: Set = ["name", "query", "variation", "percentage", "progressiveRollout", "disable"]

    /// Translates a flag; nil if its variations have no translation.
    static func read(_ member: Node.Member, _ project: inout ForeignProject) -> ForeignFlag? {
        let node = member.value
        let values = (node["variations"]?.members ?? []).map { (name: $0.key.text, value: $0.value) }
        guard let variations = ForeignVariations(values) else {
            project.reportUntranslatable("its variations are not values of one type that variables have", at: node)
            return nil
        }
        let bucketingKey = node["bucketingKey"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        // Events of a flag are tracked unless it says otherwise.
        let isTracked = node["trackEvents"]?.isTrue == true
        project.omitMembers(of: node, except: isTracked ? keys.union(["trackEvents"]) : keys)
        let description = project.description(in: node)
        let rules = project.elements(of: "targeting", in: node)
        var defaultOutcome: ForeignOutcome?
        if let rule = node["defaultRule"] {
            project.begin("default rule", of: member)
            defaultOutcome = outcome(rule, variations, bucketingKey, &project)
        }
        var flag = ForeignFlag(member, variations, fallback: defaultOutcome)
        flag.description = description
        disable(&flag, node, &project)
        if defaultOutcome == nil, flag.isEnabled {
            project.differ("without a default rule, programs use their own default; here it is off", at: node)
        }
        if let bucketingKey {
            // Programs use their own default for users without the attribute.
            flag.add(
                ForeignOutcome(AuthoredVariation.offKey), to: .not(.exists(bucketingKey)), as: "no_bucketing_key",
                at: node["bucketingKey"] ?? node)
        }
        add(rules, of: member, (variations, bucketingKey), to: &flag, &project)
        return flag
    }

    /// Adds the rules that some users reach.
    private static func add(
        _ rules: [Node], of member: Node.Member, _ outcomes: (variations: ForeignVariations, bucketingKey: String?),
        to flag: inout ForeignFlag, _ project: inout ForeignProject
    ) {
        for (index, rule) in rules.enumerated() {
            let name = rule["name"]?.text.map { " (\(quoted($0)))" } ?? ""
            project.begin("rule \(index + 1)\(name)", of: member)
            if rule["disable"]?.isTrue == true {
                project.reportIgnored("it is disabled", at: rule)
            } else if flag.isComplete {
                project.omitUnreachableRule(at: rule)
            } else {
                let condition = project.checked(condition(of: rule, &project), at: rule)
                let outcome = outcome(rule, outcomes.variations, outcomes.bucketingKey, &project)
                flag.add(outcome, to: condition, as: "rule\(index + 1)", at: rule)
            }
        }
    }

    /// Turns the flag off if it is off there, or if its rules depend on the date.
    private static func disable(_ flag: inout ForeignFlag, _ node: Node, _ project: inout ForeignProject) {
        if node["disable"]?.isTrue == true {
            flag.isEnabled = false
            project.differ("it is disabled, so programs use their own default; here it is off", at: node)
        }
        for key in ["experimentation", "scheduledRollout"] {
            guard let schedule = node[key] else { continue }
            flag.isEnabled = false
            project.differ(
                "\(quoted(key)) depends on the date, so the flag is off; remove `enabled: false` when its rules apply",
                at: schedule)
        }
    }

    /// The outcome of a rule; nil if that has no translation, which is noted.
    private static func outcome(
        _ rule: Node, _ variations: ForeignVariations, _ bucketingKey: String?, _ project: inout ForeignProject
    ) -> ForeignOutcome? {
        guard project.hasOnlyKnownMembers(of: rule, ruleKeys) else { return nil }
        if let rollout = rule["progressiveRollout"] {
            project.reportUntranslatable("a progressive rollout depends on the date", at: rollout)
            return nil
        }
        guard let percentage = rule["percentage"], !percentage.isEmptyMapping else {
            if let variation = rule["variation"]?.text.flatMap({ variations[$0] }) { return ForeignOutcome(variation) }
            project.reportUntranslatable("it serves no variation of the flag", at: rule)
            return nil
        }
        if let bucketingKey, !userIDs.contains(bucketingKey) {
            project.reportUntranslatable("it splits users by \(quoted(bucketingKey)), not by their id", at: percentage)
            return nil
        }
        var weights: [(String, Double)] = []
        for share in percentage.members {
            guard let variation = variations[share.key.text], let weight = share.value.number else {
                project.reportUntranslatable(
                    "\(quoted(share.key.text)) is not a variation with a percentage", at: share.value)
                return nil
            }
            weights.append((variation, weight))
        }
        let outcome = ForeignOutcome(weights)
        if outcome == nil { project.reportUntranslatable("its percentages are not above zero", at: percentage) }
        return outcome
    }

    /// The condition of a rule: a query, or JsonLogic as a text.
    private static func condition(of rule: Node, _ project: inout ForeignProject) -> ForeignCondition {
        guard let query = rule["query"] else { return .constant(true) }
        guard let text = query.text else {
            project.reportUntranslatable("the query is not a text", at: query)
            return .untranslatable
        }
        let bytes = Array(text.utf8)
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = bytes.first(where: { !isSpace($0) }) else { return .constant(true) }
        if first == UInt8(ascii: "{") { return logic(bytes, query, &project) }
        do throws(TargetingQuery.Problem) {
            var parser = TargetingQuery(bytes, userIDs: userIDs, defaults: defaults)
            let condition = try parser.condition()
            for reason in parser.reasons { project.reportUntranslatable(reason, at: query) }
            if parser.comparesCase {
                project.differ("the query ignores the case of letters there, but not here", at: query)
            }
            return condition
        } catch {
            project.reportUntranslatable(error.reason, at: query)
            return .untranslatable
        }
    }

    private static func logic(_ text: [UInt8], _ query: Node, _ project: inout ForeignProject) -> ForeignCondition {
        do throws(Diagnostic) {
            var reader = JSONLogicReader(userIDs: userIDs, defaults: defaults)
            let condition = reader.condition(try Node(json: SourceFile(name: "", bytes: text)))
            project.reportUntranslatable(reader.problems, at: query)
            return condition
        } catch {
            project.reportUntranslatable("the query is not JSON: \(error.message)", at: query)
            return .untranslatable
        }
    }
}
