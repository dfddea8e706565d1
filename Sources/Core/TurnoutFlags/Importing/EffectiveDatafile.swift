import TurnoutEngine

/// A datafile without what no client acts on, so that an import can leave it out.
struct EffectiveDatafile {
    private(set) var root: JSONValue
    /// What is left out, and why.
    private(set) var notes: [Diagnostic] = []

    init(_ datafile: JSONValue) {
        root = datafile
        leaveOutDummyAudience()
        leaveOutRepeatedFlags()
        leaveOutMissingRules()
        leaveOutIdleHoldouts()
    }

    private static let dummyAudience = "$opt_dummy_audience"

    /// The vendor's application adds an audience that no user meets, for clients that do not know typed audiences.
    private mutating func leaveOutDummyAudience() {
        let audiences = root.list("audiences") + root.list("typedAudiences")
        guard audiences.contains(where: Self.isDummyAudience) else { return }
        let rules =
            root.allExperiments + root.list("rollouts").flatMap { $0.list("experiments") } + root.list("holdouts")
            + root.list("localHoldouts")
        let conditions = rules.compactMap { rule in
            rule["audienceConditions"].flatMap { $0 == .null ? nil : $0 } ?? rule["audienceIds"]
        }
        let ids = (conditions + audiences.compactMap { $0["conditions"]?.parsedCondition }).flatMap(\.audienceIDs)
        guard !ids.contains(Self.dummyAudience) else { return }
        for list in ["audiences", "typedAudiences"] {
            root.replace(list) { Self.isDummyAudience($0) ? nil : $0 }
        }
        leaveOut("audience \(Self.dummyAudience) is for clients that know no typed audiences, so it is left out")
    }

    private static func isDummyAudience(_ audience: JSONValue) -> Bool { audience["id"]?.text == dummyAudience }

    /// Flags that are written twice.
    private mutating func leaveOutRepeatedFlags() {
        var known: [String: JSONValue] = [:]
        var repeated: [String] = []
        root.replace("featureFlags") { flag in
            let key = flag["key"]?.text ?? ""
            guard known.updateValue(flag, forKey: key) == flag else { return flag }
            repeated.append(key)
            return nil
        }
        for key in repeated { leaveOut("flag \(key) is written twice, so one of both is left out") }
    }

    /// Rollouts without rules, and experiments and rollouts that flags name although they do not exist.
    private mutating func leaveOutMissingRules() {
        root.replace("rollouts") { $0.list("experiments").isEmpty || $0["id"] == .string("") ? nil : $0 }
        let missing = root.missingRules
        guard !missing.isEmpty else { return }
        let experiments = Set(root.allExperiments.map { $0["id"]?.text })
        let rollouts = Set(root.list("rollouts").map { $0["id"]?.text })
        root.replace("featureFlags") { flag in
            var members = flag.objectMembers
            members["experimentIds"] = .array(flag.list("experimentIds").filter { experiments.contains($0.text) })
            members["rolloutId"] = .string(rollouts.contains(flag.rolloutID) ? flag.rolloutID : "")
            return .object(members)
        }
        for name in missing { leaveOut("\(name) does not exist or has no rules, so it is left out") }
    }

    /// Holdouts for single rules, none of which exists. Those for all flags name no rules.
    private mutating func leaveOutIdleHoldouts() {
        let used = Set(root.list("featureFlags").map(\.rolloutID))
        let rollouts = root.list("rollouts").filter { used.contains($0["id"]?.text ?? "") }
        let rules = root.allExperiments + rollouts.flatMap { $0.list("experiments") }
        let known = Set(rules.compactMap { $0["id"]?.text })
        var idle: [String] = []
        root.replace("localHoldouts") { holdout in
            let included = holdout.list("includedRules").filter { $0.text.map(known.contains) ?? false }
            guard !included.isEmpty else {
                idle.append(holdout["key"]?.text ?? "")
                return nil
            }
            var members = holdout.objectMembers
            members["includedRules"] = .array(included)
            return .object(members)
        }
        root.replace("holdouts") { holdout in
            var members = holdout.objectMembers
            members["includedRules"] = nil
            return .object(members)
        }
        for key in idle { leaveOut("holdout \(key) applies to no rule that exists, so it is left out") }
    }

    private mutating func leaveOut(_ message: String) { notes.append(Diagnostic(.note, "left-out", message)) }
}

extension JSONValue {
    /// The members of an object; empty for other values.
    var objectMembers: [String: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    /// The experiments of a datafile, those of groups at the end.
    var allExperiments: [JSONValue] { list("experiments") + list("groups").flatMap { $0.list("experiments") } }

    /// Replaces the elements of a list, or removes those for which there is nil.
    fileprivate mutating func replace(_ list: String, _ element: (JSONValue) -> JSONValue?) {
        guard case .object(var members) = self, members[list] != nil else { return }
        members[list] = .array(self.list(list).compactMap(element))
        self = .object(members)
    }
}
