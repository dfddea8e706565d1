/// A datafile with one entity of each kind. All users are in the traffic of every rule.
struct ShopDatafile {
    var revision = "7"
    var project = "P"
    /// The variation of the experiment `sticky` for new users.
    var sticky = "61"
    /// More members of the datafile, each followed by a comma.
    var more = ""

    static var data: Data { ShopDatafile().data }
    static func revision(_ revision: String) -> Data { ShopDatafile(revision: revision).data }

    var data: Data { Data(text.utf8) }

    var text: String {
        """
        {"version": "4", "projectId": "\(project)", "accountId": "A", "revision": "\(revision)", "anonymizeIP": true,
         \(more)
         "experiments": [\(experiments)], "groups": [], "audiences": [], "featureFlags": [\(flags)],
         "rollouts": [{"id": "R", "experiments": [\(Self.rule("7", "delivery", [("71", "served", true)]))]}],
         "localHoldouts": [\(holdout)],
         "attributes": [{"id": "91", "key": "plan"}, {"id": "92", "key": "size"}],
         "events": [{"id": "99", "key": "purchase", "experimentIds": []}]}
        """
    }

    private var experiments: String {
        let tested = Self.rule(
            "3", "tested_rule", [("31", "yes", true), ("32", "no", false)],
            more: #""forcedVariations": {"skeptic": "no"}, "#)
        return [
            Self.rule("1", "ab", [("11", "on", nil)]), Self.rule("2", "nobody", [("21", "on", nil)], traffic: nil),
            tested, Self.rule("4", "held_rule", [("41", "free", true)]),
            Self.rule(
                "5", "bandit_rule", [("51", "a", true), ("52", "b", true)],
                more: #""cmab": {"attributeIds": ["91"], "trafficAllocation": 10000}, "#),
            Self.rule("6", "sticky", [("61", "first", nil), ("62", "second", nil)], traffic: sticky),
        ].joined(separator: ", ")
    }

    private var holdout: String {
        """
        {"id": "8", "key": "holdout", "status": "Running", "audienceIds": [], "includedRules": ["4"],
         "variations": [{"id": "81", "key": "held_out", "featureEnabled": false}],
         "trafficAllocation": [{"entityId": "81", "endOfRange": 10000}]}
        """
    }

    private var flags: String {
        let json = SmallDatafile.variable("e", key: "j", type: "json", value: #"{\"a\": 1}"#)
        let variables = [
            SmallDatafile.variable("a", key: "s", value: "text"),
            SmallDatafile.variable("b", key: "i", type: "integer", value: "5"),
            SmallDatafile.variable("c", key: "d", type: "double", value: "2.5"),
            SmallDatafile.variable("f", key: "b", type: "boolean", value: "true"), json,
        ].joined(separator: ", ")
        let broken = SmallDatafile.variable("g", key: "bad", type: "integer", value: "five")
        let endless = SmallDatafile.variable("h", key: "nan", type: "double", value: "nan")
        return [
            SmallDatafile.flag("tested", experiments: ["3"], variables: variables),
            SmallDatafile.flag("rolled", rollout: "R"), SmallDatafile.flag("empty"),
            SmallDatafile.flag("held", experiments: ["4"]), SmallDatafile.flag("bandit", experiments: ["5"]),
            SmallDatafile.flag("broken", variables: broken + ", " + SmallDatafile.variable("k", key: "ok", value: "x")),
            SmallDatafile.flag("endless", variables: endless),
        ].joined(separator: ", ")
    }

    /// A rule with all traffic for its first variation, or for the one with the id `traffic`; nil means no traffic.
    private static func rule(
        _ id: String, _ key: String, _ variations: [(id: String, key: String, isEnabled: Bool?)],
        traffic: String? = "", more: String = #""forcedVariations": {}, "#
    ) -> String {
        let list = variations.map { variation in
            let enabled = variation.isEnabled.map { #", "featureEnabled": \#($0)"# } ?? ""
            let override = variation.key == "yes" ? #", "variables": [{"id": "a", "value": "changed"}]"# : ""
            return #"{"id": "\#(variation.id)", "key": "\#(variation.key)"\#(enabled)\#(override)}"#
        }
        let target = traffic.map { $0.isEmpty ? variations[0].id : $0 }
        let ranges = target.map { #"{"entityId": "\#($0)", "endOfRange": 10000}"# } ?? ""
        let forced = more.contains("forcedVariations") ? "" : #""forcedVariations": {}, "#
        return """
            {"id": "\(id)", "key": "\(key)", "layerId": "L\(id)", "status": "Running", \(more)\(forced)
             "audienceIds": [], "trafficAllocation": [\(ranges)], "variations": [\(list.joined(separator: ", "))]}
            """
    }
}
