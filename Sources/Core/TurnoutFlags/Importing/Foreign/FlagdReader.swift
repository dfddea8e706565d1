import TurnoutEngine

/// Translates flags of flagd.
struct FlagdReader {
    private static let keys: Set = ["key", "state", "variants", "defaultVariant", "targeting", "metadata"]

    private var logic: JSONLogicReader
    /// The number of rules that the targeting of a flag has so far.
    private var ruleCount = 0

    init(evaluators: Node?) { logic = JSONLogicReader(evaluators: evaluators, userIDs: ["targetingKey"]) }

    /// The flags of a file: a mapping, or a list of flags with keys; nil if there are none.
    static func flags(in root: Node) -> [Node.Member]? {
        guard let flags = root["flags"] else { return nil }
        return flags.isMapping
            ? flags.members
            : flags.elements.compactMap { flag in
                flag["key"]?.text.map { Node.Member(Node.Key($0, range: flag.range), flag) }
            }
    }

    /// Notes what the file has besides flags and evaluators.
    static func omitOthers(in root: Node, _ project: inout ForeignProject) {
        project.omitMembers(of: root, except: ["$schema", "$evaluators", "flags"])
        for flag in root["flags"]?.elements ?? [] where flag["key"]?.text == nil {
            project.reportIgnored("a flag has no key", at: flag)
        }
    }

    /// Translates a flag; nil if its variants have no translation.
    mutating func read(_ member: Node.Member, _ project: inout ForeignProject) -> ForeignFlag? {
        let node = member.value
        let variants = (node["variants"]?.members ?? []).map { (name: $0.key.text, value: $0.value) }
        guard let variations = ForeignVariations(variants) else {
            project.reportUntranslatable("its variants are not values of one type that variables have", at: node)
            return nil
        }
        let defaultVariation = node["defaultVariant"]?.text.flatMap { variations[$0] }
        var flag = ForeignFlag(member, variations, fallback: defaultVariation.map { ForeignOutcome($0) })
        flag.description = project.description(in: node)
        project.omitMembers(of: node, except: Self.keys)
        if node["state"]?.text == "DISABLED" {
            flag.isEnabled = false
            project.differ("it is disabled, so programs use their own default; here it is off", at: node)
        } else if defaultVariation == nil {
            project.differ("it has no default variant, so programs use their own default; here it is off", at: node)
        }
        guard let targeting = node["targeting"], !targeting.isEmptyMapping else { return flag }
        logic.beginFlag()
        ruleCount = 0
        project.begin("targeting", of: member)
        addRules(of: targeting, to: &flag, under: [], depth: 0, &project)
        project.reportUntranslatable(logic.problems)
        return flag
    }

    /// Adds rules for an expression that returns the name of a variant. The rules require all conditions under which
    /// the expression is evaluated. Branches that no user reaches are noted.
    private mutating func addRules(
        of unresolved: Node, to flag: inout ForeignFlag, under path: [ForeignCondition], depth: Int,
        _ project: inout ForeignProject
    ) {
        guard !flag.isComplete else { return project.omitUnreachableRule(at: unresolved) }
        let node = logic.resolved(unresolved)
        guard logic.enter(node, depth) else { return add(nil, to: .all(path), of: &flag, at: node) }
        guard let member = node.members.first, node.members.count == 1 else {
            return add(outcome(node, flag, &project), to: .all(path), of: &flag, at: node)
        }
        let value = member.value
        switch member.key.text {
        case "if", "?:":
            let parts = value.isSequence ? value.elements : [value]
            for start in stride(from: 0, to: parts.count - 1, by: 2) {
                let condition =
                    flag.isComplete
                    ? .untranslatable
                    : project.checked(.all(path + [logic.condition(parts[start])]), at: parts[start])
                addRules(of: parts[start + 1], to: &flag, under: [condition], depth: depth + 1, &project)
            }
            if let last = parts.last, !parts.count.isMultiple(of: 2) {
                addRules(of: last, to: &flag, under: path, depth: depth + 1, &project)
            } else {
                add(flag.fallback, to: .all(path), of: &flag, at: node)
            }
        case "fractional": add(split(value, flag, &project), to: .all(path), of: &flag, at: node)
        case let name where JSONLogicReader.operators.contains(name):
            // The result is the name of a variant, too.
            let condition = project.checked(.all(path + [logic.condition(node)]), at: node)
            add(outcome(.bool(true), flag, &project), to: condition, of: &flag, at: node)
            add(outcome(.bool(false), flag, &project), to: .all(path), of: &flag, at: node)
        case let name:
            project.reportUntranslatable("\(quoted(name)) has no equivalent", at: node)
            add(nil, to: .all(path), of: &flag, at: node)
        }
    }

    private mutating func add(
        _ outcome: ForeignOutcome?, to condition: ForeignCondition, of flag: inout ForeignFlag, at node: Node
    ) {
        ruleCount += 1
        flag.add(outcome, to: condition, as: "rule\(ruleCount)", at: node)
    }

    /// The variant that a result names. Null is the default.
    private func outcome(_ node: Node, _ flag: ForeignFlag, _ project: inout ForeignProject) -> ForeignOutcome? {
        if node.isNothing { return flag.fallback }
        if let name = node.text, let variation = flag.variations[name] { return ForeignOutcome(variation) }
        project.reportUntranslatable("the targeting returns \(node.summary), which is not a variant", at: node)
        return nil
    }

    /// The variants of `fractional` with their weights, which are 1 if they are left out.
    private func split(_ node: Node, _ flag: ForeignFlag, _ project: inout ForeignProject) -> ForeignOutcome? {
        var shares = node.elements[...]
        if let first = shares.first, !first.isSequence {
            guard isUserID(first) else {
                project.reportUntranslatable("it splits users by something other than their id", at: first)
                return nil
            }
            shares = shares.dropFirst()
        }
        var weights: [(String, Double)] = []
        for share in shares {
            guard let name = share.elements.first, let outcome = outcome(name, flag, &project) else { return nil }
            let weight = share.elements.count > 1 ? share.elements[1].number : 1
            guard let weight, weight == weight.rounded() else {
                project.reportUntranslatable("a weight is not a whole number", at: share)
                return nil
            }
            weights += outcome.split.map { ($0.variation, weight) }
        }
        guard let outcome = ForeignOutcome(weights) else {
            project.reportUntranslatable("it has no weights above zero", at: node)
            return nil
        }
        return outcome
    }

    /// Whether users are divided by their id, perhaps together with the key of the flag.
    private func isUserID(_ node: Node) -> Bool {
        switch node["var"]?.text {
        case "targetingKey": return true
        case .some: return false
        case nil: break
        }
        let parts = node["cat"]?.elements ?? []
        let names = parts.compactMap { $0["var"]?.text }
        return names.contains("targetingKey") && names.allSatisfy { ["targetingKey", "$flagd.flagKey"].contains($0) }
            && parts.allSatisfy { $0.text != nil || $0["var"]?.text != nil }
    }
}
