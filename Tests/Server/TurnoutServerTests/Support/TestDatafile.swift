/// A small project with each kind of rule.
enum TestDatafile {
    /// The datafile of a revision. `integrations` is the list of services as JSON.
    static func shop(revision: Int = 1, integrations: String = odp) -> [UInt8] {
        Array(
            """
            {"version": "4", "accountId": "10", "projectId": "20", "revision": "\(revision)", "sdkKey": "shop",
             "environmentKey": "production", "anonymizeIP": true, "botFiltering": false, "groups": [], "variables": [],
             "integrations": \(integrations),
             "attributes": [{"id": "1", "key": "country"}, {"id": "2", "key": "plan"}],
             "audiences": [{"id": "$opt_dummy_audience", "name": "old", "conditions": "[\\"or\\"]"}],
             "typedAudiences": [
                {"id": "100", "name": "Finland", "conditions": ["and", ["or", ["or", {"match": "exact",
                 "name": "country", "type": "custom_attribute", "value": "FI"}]]]},
                {"id": "200", "name": "Members", "conditions": ["and", ["or", ["or", {"match": "qualified",
                 "name": "odp.audiences", "type": "third_party_dimension", "value": "vip"}]]]}],
             "events": [{"id": "900", "key": "purchase", "experimentIds": ["1001"]}],
             "experiments": [
                \(rule("1001", "checkout_test", ["100"], variations: checkoutVariations)),
                \(rule("1002", "ranking_test", [], variations: [variation("3003", "by_sales", "true")])),
                \(rule("1003", "offer_bandit", ["100"], variations: banditVariations, more: bandit)),
                \(rule("1004", "member_test", ["200"], variations: [variation("3007", "gold", "true")]))],
             "featureFlags": [
                {"id": "501", "key": "checkout", "rolloutId": "r1", "experimentIds": ["1001"], "variables": [
                    {"id": "601", "key": "color", "type": "string", "defaultValue": "red"},
                    {"id": "602", "key": "size", "type": "integer", "defaultValue": "12"},
                    {"id": "603", "key": "rate", "type": "double", "defaultValue": "2.0"}]},
                {"id": "502", "key": "search", "rolloutId": "", "experimentIds": ["1002"], "variables": []},
                {"id": "503", "key": "offers", "rolloutId": "", "experimentIds": ["1003"], "variables": []},
                {"id": "504", "key": "members", "rolloutId": "r2", "experimentIds": ["1004"], "variables": []},
                {"id": "505", "key": "banner", "rolloutId": "r3", "experimentIds": [], "variables": []}],
             "rollouts": [
                \(rollout("r1", [variation("3101", "off", "false")])),
                \(rollout("r2", [variation("3102", "off", "false")])),
                {"id": "r3", "experiments": [
                    \(rule("1101", "banner_rule", ["100"], variations: [variation("3103", "big", "true")])),
                    \(rule("default-r3", "default-r3", [], variations: [variation("3104", "off", "false")]))]}]}
            """.utf8)
    }

    /// A data platform.
    static let odp = #"[{"key": "odp", "host": "http://odp.example.com", "publicKey": "k"}]"#

    private static let checkoutVariations = [
        variation(
            "3001", "one_page", "true", values: #"{"id": "601", "value": "<blue>"}, {"id": "603", "value": "0.5"}"#),
        variation("3002", "two_pages", "true"),
    ]
    private static let banditVariations = [variation("3005", "off", "false"), variation("3006", "on", "true")]
    private static let bandit = #", "cmab": {"attributeIds": ["1"], "trafficAllocation": 10000}"#

    private static func variation(_ id: String, _ key: String, _ isOn: String, values: String = "") -> String {
        #"{"id": "\#(id)", "key": "\#(key)", "featureEnabled": \#(isOn), "variables": [\#(values)]}"#
    }

    /// A rule whose first variation has all traffic.
    private static func rule(
        _ id: String, _ key: String, _ audiences: [String], variations: [String], more: String = ""
    ) -> String {
        let first = variations[0].split(separator: "\"")[3]
        let ids = audiences.map { "\"\($0)\"" }
        return """
            {"id": "\(id)", "key": "\(key)", "layerId": "l\(id)", "status": "Running", "forcedVariations": {},
             "audienceIds": [\(ids.joined(separator: ","))],
             "audienceConditions": [\((audiences.isEmpty ? [] : ["\"or\""] + ids).joined(separator: ","))],
             "trafficAllocation": [{"entityId": "\(first)", "endOfRange": 10000}],
             "variations": [\(variations.joined(separator: ","))]\(more)}
            """
    }

    private static func rollout(_ id: String, _ variations: [String]) -> String {
        "{\"id\": \"\(id)\", \"experiments\": [\(rule("default-\(id)", "default-\(id)", [], variations: variations))]}"
    }
}
