/// A datafile with one entity of each kind. All users are in the traffic of every rule.
struct Datafile: Sendable {
    var revision = "1"
    var project = "91"
    var region = "US"
    var version = "4"
    var sdkKey: String?
    /// Whether decisions of rollouts, and those without a variation, are sent.
    var sendsFlagDecisions = true
    var odpHost: String? = "https://odp.test"
    var odpKey: String? = "key-of-the-platform"
    var segments = ["gold", "silver"]
    /// The variations of the bandit.
    var arms = ["511", "512"]
    /// More experiments, each with a flag of the same key.
    var more: [Rule] = []

    /// An experiment.
    struct Rule: Sendable {
        var id: String
        var key: String
        var layer: String
        var variation: String
        /// Without traffic, no user is bucketed.
        var hasTraffic = true
        /// Users who get the variation in any bucket.
        var whitelist: [String] = []
    }

    var bytes: [UInt8] { Array(text.utf8) }
    var data: Data { Data(text.utf8) }

    var text: String {
        """
        {"version": "\(version)", "projectId": "\(project)", "accountId": "12", "revision": "\(revision)",
         "anonymizeIP": true, "botFiltering": true, "sendFlagDecisions": \(sendsFlagDecisions), "region": "\(region)",
         \(sdkKey.map { "\"sdkKey\": \"\($0)\"," } ?? "")
         "attributes": [{"id": "7001", "key": "plan"}, {"id": "7002", "key": "age"}],
         "events": [{"id": "9001", "key": "purchase", "experimentIds": []}], "audiences": [], "groups": [],
         "typedAudiences": [\(audiences)], "integrations": [\(integration)],
         "featureFlags": [\(flags)], "experiments": [\(experiments)],
         "rollouts": [\(Self.rollout("R1", rule: "41", audiences: "")),
          \(Self.rollout("R2", rule: "43", audiences: loyal))],
         "localHoldouts": [{"id": "hold_55", "key": "five_percent", "status": "Running", "audienceIds": [],
          "includedRules": ["32"], "variations": [{"id": "hv_a", "key": "off", "featureEnabled": false}],
          "trafficAllocation": [{"entityId": "hv_a", "endOfRange": 10000}]}]}
        """
    }

    private var loyal: String { segments.isEmpty ? "" : "\"A0\"" }

    private var audiences: String {
        segments.enumerated().map { number, segment in
            """
            {"id": "A\(number)", "name": "\(segment)", "conditions": ["or", {"type": "third_party_dimension",
             "name": "odp.audiences", "match": "qualified", "value": "\(segment)"}]}
            """
        }.joined(separator: ", ")
    }

    private var integration: String {
        let host = odpHost.map { #", "host": "\#($0)""# } ?? ""
        let key = odpKey.map { #", "publicKey": "\#($0)""# } ?? ""
        return host.isEmpty && key.isEmpty ? "" : #"{"key": "odp"\#(host)\#(key)}"#
    }

    private var flags: String {
        var flags = [
            Self.flag("tested", experiment: "31"), Self.flag("held", experiment: "32"),
            Self.flag("bandit", experiment: "51"), Self.flag("rolled", rollout: "R1"),
            Self.flag("loyal", rollout: "R2"), Self.flag("empty"),
        ]
        flags += more.map { Self.flag($0.key, experiment: $0.id) }
        return flags.joined(separator: ", ")
    }

    private var experiments: String {
        let rules = [
            Rule(id: "31", key: "tested_rule", layer: "555", variation: "777"),
            Rule(id: "32", key: "held_rule", layer: "556", variation: "778"),
            Rule(id: "33", key: "old_experiment", layer: "557", variation: "779"),
        ]
        return ((rules + more).map { Self.text(of: $0) } + [bandit]).joined(separator: ", ")
    }

    private var bandit: String {
        let variations = arms.map { #"{"id": "\#($0)", "key": "arm\#($0)", "featureEnabled": true}"# }
        return """
            {"id": "51", "key": "bandit_rule", "layerId": "558", "status": "Running", "audienceIds": [],
             "forcedVariations": {}, "trafficAllocation": [], "variations": [\(variations.joined(separator: ", "))],
             "cmab": {"attributeIds": ["7001"], "trafficAllocation": 10000}}
            """
    }

    private static func text(of rule: Rule) -> String {
        let target = rule.hasTraffic ? #"{"entityId": "\#(rule.variation)", "endOfRange": 10000}"# : ""
        let whitelist = rule.whitelist.map { #""\#($0)": "on""# }.joined(separator: ", ")
        return """
            {"id": "\(rule.id)", "key": "\(rule.key)", "layerId": "\(rule.layer)", "status": "Running",
             "audienceIds": [], "forcedVariations": {\(whitelist)}, "trafficAllocation": [\(target)],
             "variations": [{"id": "\(rule.variation)", "key": "on", "featureEnabled": true}]}
            """
    }

    private static func rollout(_ id: String, rule: String, audiences: String) -> String {
        """
        {"id": "\(id)", "experiments": [{"id": "\(rule)", "key": "delivery\(rule)", "layerId": "\(id)",
         "status": "Running", "audienceIds": [\(audiences)], "forcedVariations": {},
         "trafficAllocation": [{"entityId": "\(rule)1", "endOfRange": 10000}],
         "variations": [{"id": "\(rule)1", "key": "served", "featureEnabled": true}]}]}
        """
    }

    private static func flag(_ key: String, experiment: String? = nil, rollout: String = "") -> String {
        let experiments = experiment.map { "\"\($0)\"" } ?? ""
        return """
            {"id": "flag \(key)", "key": "\(key)", "experimentIds": [\(experiments)], "rolloutId": "\(rollout)",
             "variables": []}
            """
    }
}
