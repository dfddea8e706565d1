/// A datafile with the names used on the pages: `flagKey`, `flag1`, `segment1`.
struct PageDatafile {
    var revision = "1"
    /// The variation of `flagKey` for all users: `red` or `blue`.
    var variation = "red"
    var project = "P"
    var sdkKey = ""

    var bytes: [UInt8] { Array(text.utf8) }
    var data: Data { Data(text.utf8) }

    var text: String {
        """
        {"version": "4", "projectId": "\(project)", "accountId": "A", "revision": "\(revision)", "anonymizeIP": true,
         "sdkKey": "\(sdkKey)", "environmentKey": "page", "groups": [],
         "attributes": [{"id": "71", "key": "app_version"}],
         "events": [{"id": "81", "key": "bought", "experimentIds": []}],
         "integrations": [{"key": "odp", "host": "https://odp.test", "publicKey": "page key"}],
         "audiences": [], "typedAudiences": [{"id": "61", "name": "in segment1", "conditions": \(Self.conditions)}],
         "experiments": [\(test)], "rollouts": [\(Self.rollout)],
         "featureFlags": [
           {"id": "31", "key": "flagKey", "experimentIds": ["1"], "rolloutId": "", "variables": [\(Self.variables)]},
           {"id": "32", "key": "flag1", "experimentIds": [], "rolloutId": "R", "variables": []}]}
        """
    }

    private static let conditions = """
        ["or", {"name": "odp.audiences", "type": "third_party_dimension", "match": "qualified", "value": "segment1"}]
        """

    private static let variables = #"{"id": "91", "key": "color", "type": "string", "defaultValue": "none"}"#

    /// The only experiment of `flagKey`.
    private var test: String {
        """
        {"id": "1", "key": "test1", "layerId": "L1", "status": "Running", "audienceIds": [], "forcedVariations": {},
         "trafficAllocation": [{"entityId": "\(variation == "red" ? "11" : "12")", "endOfRange": 10000}],
         "variations": [
           {"id": "11", "key": "red", "featureEnabled": true, "variables": [{"id": "91", "value": "#f00"}]},
           {"id": "12", "key": "blue", "featureEnabled": true, "variables": []}]}
        """
    }

    /// `flag1` is on for users in the segment.
    private static let rollout = """
        {"id": "R", "experiments": [
          {"id": "2", "key": "rule2", "layerId": "L2", "status": "Running", "audienceIds": ["61"],
           "forcedVariations": {}, "trafficAllocation": [{"entityId": "21", "endOfRange": 10000}],
           "variations": [{"id": "21", "key": "on", "featureEnabled": true, "variables": []}]}]}
        """
}
