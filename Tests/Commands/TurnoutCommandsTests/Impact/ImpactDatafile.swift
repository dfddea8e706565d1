/// A datafile with flags that have one experiment and one rollout rule each, with parts that tests change.
struct ImpactDatafile {
    /// A flag: `flag_1` with the experiment `test_1`, whose arms are `a`, `b` and `off`, and a rollout rule for all.
    struct Flag {
        var number: Int
        /// The ends of the arms' ranges.
        var ends = [3_000, 6_000, 8_000]
        var status = "Running"
        var type = "ab"
        /// The key of the rollout's variation.
        var rollout = "on"
        var isOn = true
        var title = "x"
        var audience: String?

        init(_ number: Int) { self.number = number }
    }

    var flags = [Flag(1)]
    var revision = "1"
    /// The conditions of the audience `us`.
    var conditions = #"["or", {"type": "custom_attribute", "name": "country", "match": "exact", "value": "US"}]"#

    var project: Project { get throws { try Project(datafile: Array(text.utf8)) } }

    var text: String {
        let flags = flags.map { flag in
            #"{"id": "\#(flag.number)", "key": "flag_\#(flag.number)", "experimentIds": ["e\#(flag.number)"], "#
                + #""rolloutId": "r\#(flag.number)", "variables": [{"id": "v\#(flag.number)", "key": "title", "#
                + #""type": "string", "defaultValue": "\#(flag.title)"}]}"#
        }
        return """
            {"version": "4", "accountId": "A", "projectId": "P", "revision": "\(revision)", "anonymizeIP": true,
             "groups": [], "events": [], "attributes": [], "audiences": [],
             "typedAudiences": [{"id": "us", "name": "US", "conditions": \(conditions)}],
             "featureFlags": [\(flags.joined(separator: ",\n"))],
             "experiments": [\(self.flags.map(experiment).joined(separator: ",\n"))],
             "rollouts": [\(self.flags.map(rollout).joined(separator: ",\n"))]}
            """
    }

    private func experiment(_ flag: Flag) -> String {
        let arms = ["a", "b", "off"].map { key in
            #"{"id": "\#(key)\#(flag.number)", "key": "\#(key)", "featureEnabled": \#(key != "off")}"#
        }
        let traffic = zip(["a", "b", "off"], flag.ends).map { key, end in
            #"{"entityId": "\#(key)\#(flag.number)", "endOfRange": \#(end)}"#
        }
        return rule("e", "test_", flag, arms, traffic)
    }

    private func rollout(_ flag: Flag) -> String {
        let id = "o\(flag.number)"
        let variation = #"{"id": "\#(id)", "key": "\#(flag.rollout)", "featureEnabled": \#(flag.isOn)}"#
        let traffic = #"{"entityId": "\#(id)", "endOfRange": 10000}"#
        var flag = flag
        (flag.audience, flag.status) = (nil, "Running")
        return #"{"id": "r\#(flag.number)", "experiments": [\#(rule("x", "rest_", flag, [variation], [traffic]))]}"#
    }

    private func rule(_ id: String, _ key: String, _ flag: Flag, _ variations: [String], _ traffic: [String]) -> String
    {
        let audiences = flag.audience.map { "\"\($0)\"" } ?? ""
        return #"{"id": "\#(id)\#(flag.number)", "key": "\#(key)\#(flag.number)", "layerId": "l\#(flag.number)", "#
            + #""status": "\#(flag.status)", "type": "\#(flag.type)", "audienceIds": [\#(audiences)], "#
            + #""forcedVariations": {}, "variations": [\#(variations.joined(separator: ", "))], "#
            + #""trafficAllocation": [\#(traffic.joined(separator: ", "))]}"#
    }
}
