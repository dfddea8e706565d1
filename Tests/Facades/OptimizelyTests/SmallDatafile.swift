/// The text of a datafile of which a test sets only what it needs. Lists are JSON texts without their brackets.
struct SmallDatafile {
    var more = ""
    var experiments = ""
    var groups = ""
    var rollouts = ""
    var flags = ""
    var audiences = ""
    var typedAudiences = ""
    var attributes = ""
    var events = ""

    var text: String {
        """
        {"version": "4", "projectId": "P", "accountId": "A", "revision": "7", "anonymizeIP": true, \(more)
         "experiments": [\(experiments)], "groups": [\(groups)], "rollouts": [\(rollouts)],
         "featureFlags": [\(flags)], "audiences": [\(audiences)], "typedAudiences": [\(typedAudiences)],
         "attributes": [\(attributes)], "events": [\(events)]}
        """
    }

    func project() throws -> Project { try Project(datafile: Array(text.utf8)) }

    static func flag(
        _ key: String, id: String? = nil, experiments: [String] = [], rollout: String = "", variables: String = ""
    ) -> String {
        let ids = experiments.map { "\"\($0)\"" }.joined(separator: ", ")
        return """
            {"id": "\(id ?? "id of \(key)")", "key": "\(key)", "experimentIds": [\(ids)], "rolloutId": "\(rollout)",
             "variables": [\(variables)]}
            """
    }

    /// An experiment or a rollout rule; its key defaults to `rule` followed by its id.
    static func rule(_ id: String, key: String? = nil, variations: String = "", more: String = "") -> String {
        """
        {"id": "\(id)", "key": "\(key ?? "rule\(id)")", "layerId": "", "status": "Running", \(more)
         "audienceIds": [], "forcedVariations": {}, "trafficAllocation": [], "variations": [\(variations)]}
        """
    }

    static func variation(_ id: String, isEnabled: Bool? = nil, overrides: [String: String] = [:]) -> String {
        let values = overrides.map { #"{"id": "\#($0)", "value": "\#($1)"}"# }.joined(separator: ", ")
        let enabled = isEnabled.map { #""featureEnabled": \#($0), "# } ?? ""
        return #"{"id": "\#(id)", "key": "key\#(id)", \#(enabled)"variables": [\#(values)]}"#
    }

    static func variable(_ id: String, key: String, type: String = "string", value: String? = nil) -> String {
        let value = value.map { #", "defaultValue": "\#($0)""# } ?? ""
        return #"{"id": "\#(id)", "key": "\#(key)", "type": "\#(type)"\#(value)}"#
    }

    static func audience(_ id: String, name: String? = nil, _ conditions: String = #"["or"]"#) -> String {
        #"{"id": "\#(id)", "name": "\#(name ?? "audience \(id)")", "conditions": \#(conditions)}"#
    }
}
