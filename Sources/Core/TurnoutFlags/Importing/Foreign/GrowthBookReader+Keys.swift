import TurnoutEngine

extension GrowthBookReader {
    private static let ruleKeys: Set = [
        "id", "condition", "parentConditions", "force", "variations", "weights", "key", "hashAttribute", "hashVersion",
        "range", "coverage", "namespace", "ranges", "meta", "filters", "seed", "name", "phase",
    ]
    /// Keys of rules that no variation depends on here: they are about stored assignments, or only report experiments.
    private static let lostRuleKeys: Set = [
        "fallbackAttribute", "disableStickyBucketing", "bucketVersion", "minBucketVersion", "tracks",
    ]

    /// Notes what the answer of the API has besides features.
    static func omitOthers(in root: Node, _ project: inout ForeignProject) {
        guard root["features"]?.isMapping == true else { return }
        project.omitMembers(
            of: root, except: ["$schema", "status", "dateUpdated", "features", "experiments", "savedGroups"])
    }

    /// Whether all keys of a rule are known. Those that no variation depends on are noted.
    static func isKnown(_ rule: Node, _ project: inout ForeignProject) -> Bool {
        let unused = rule.members.filter { lostRuleKeys.contains($0.key.text) && !$0.value.isTruthy }
        var isKnown = project.hasOnlyKnownMembers(of: rule, ruleKeys.union(lostRuleKeys))
        for filter in rule["filters"]?.elements ?? [] {
            let keys: Set = ["seed", "ranges", "hashVersion", "attribute"]
            isKnown = project.hasOnlyKnownMembers(of: filter, keys) && isKnown
        }
        // Nulls are noted already, or mean what a missing member does.
        let nulls = rule.members.filter(\.value.isNothing)
        if isKnown { project.omitMembers(of: rule, except: ruleKeys.union((unused + nulls).map(\.key.text))) }
        for variation in rule["meta"]?.elements ?? [] {
            project.omitMembers(of: variation, except: ["key", "name", "passthrough"], path: "meta.")
        }
        return isKnown
    }
}
