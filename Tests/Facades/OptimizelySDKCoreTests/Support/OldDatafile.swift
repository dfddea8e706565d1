/// A datafile for the legacy interface, of which a test sets only what it needs.
struct OldDatafile {
    var version = "4"
    var revision = "1"
    var project = "12345678"
    /// The key of the first experiment, here called `sticky`.
    var key = "sticky"
    /// The variation of the experiment `sticky` for all users; if empty, there is none.
    var sticky = "11"
    var status = "Running"
    /// The variations of `sticky`.
    var variations = ["11", "12"]
    /// The end of the traffic range of `sticky`.
    var end = 10_000
    /// The variation keys of whitelisted users in `sticky`.
    var whitelist: [String: String] = [:]
    /// Whether `sticky` is for users of the gold plan only.
    var isForGold = false
    /// The condition for that plan.
    var audience = #"["or", {"type": "custom_attribute", "name": "plan", "value": "gold"}]"#

    var data: Data { Data(text.utf8) }

    var text: String {
        let features =
            version == "4" ? #", "featureFlags": [\#(flags)], "rollouts": [\#(rollout)], "botFiltering": true"# : ""
        return """
            {"version": "\(version)", "projectId": "\(project)", "accountId": "99", "revision": "\(revision)",
             "events": [{"id": "81", "key": "purchase", "experimentIds": ["1"]}],
             "attributes": [{"id": "71", "key": "plan"}], \(version == "2" ? "" : #""anonymizeIP": true,"#)
             "audiences": [{"id": "61", "name": "gold", "conditions": \(conditions)}],
             "experiments": [\(stickyExperiment), \(tested)], "groups": [\(group)]\(features)}
            """
    }

    private var conditions: String { "\"\(audience.replacing("\"", with: "\\\""))\"" }

    private var stickyExperiment: String {
        let list = whitelist.map { "\"\($0)\": \"\($1)\"" }.joined(separator: ", ")
        let keys = ["11": "first", "12": "second", "13": "third"]
        return """
            {"id": "1", "key": "\(key)", "layerId": "501", "status": "\(status)", "forcedVariations": {\(list)},
             "audienceIds": [\(isForGold ? "\"61\"" : "")],
             "trafficAllocation": [{"entityId": "\(sticky)", "endOfRange": \(sticky.isEmpty ? 0 : end)}],
             "variations": [\(variations.map { #"{"id": "\#($0)", "key": "\#(keys[$0] ?? "")"}"# }
                .joined(separator: ", "))]}
            """
    }

    /// The experiment of the feature `tested`, for all users.
    private var tested: String { Self.experiment("3", "tested_rule", variation: "31") }

    private static func experiment(_ id: String, _ key: String, variation: String) -> String {
        """
        {"id": "\(id)", "key": "\(key)", "layerId": "50\(id)", "status": "Running", "audienceIds": [],
         "forcedVariations": {}, "trafficAllocation": [{"entityId": "\(variation)", "endOfRange": 10000}],
         "variations": [{"id": "\(variation)", "key": "on\(variation)", "featureEnabled": true,
          "variables": [{"id": "91", "value": "7"}]}]}
        """
    }

    /// A group whose users are all in the experiment `grouped`.
    private var group: String {
        """
        {"id": "4", "policy": "random", "trafficAllocation": [{"entityId": "5", "endOfRange": 10000}],
         "experiments": [\(Self.experiment("5", "grouped", variation: "51"))]}
        """
    }

    private var flags: String {
        """
        {"id": "21", "key": "tested", "experimentIds": ["3"], "rolloutId": "", "variables": [
          {"id": "91", "key": "count", "type": "integer", "defaultValue": "1"},
          {"id": "92", "key": "junk integer", "type": "integer", "defaultValue": "abc"},
          {"id": "93", "key": "junk double", "type": "double", "defaultValue": "abc"},
          {"id": "94", "key": "junk boolean", "type": "boolean", "defaultValue": "abc"},
          {"id": "95", "key": "title", "type": "string", "defaultValue": "abc"},
          {"id": "96", "key": "long", "type": "integer", "defaultValue": "100.45"},
          {"id": "97", "key": "yes", "type": "boolean", "defaultValue": "Yes"}]},
        {"id": "22", "key": "grouped", "experimentIds": ["5"], "rolloutId": "", "variables": []},
        {"id": "23", "key": "rolled", "experimentIds": [], "rolloutId": "R", "variables": []},
        {"id": "24", "key": "mixed", "experimentIds": ["3", "5"], "rolloutId": "", "variables": []}
        """
    }

    private var rollout: String {
        #"{"id": "R", "experiments": [\#(Self.experiment("6", "delivery", variation: "61"))]}"#
    }
}
