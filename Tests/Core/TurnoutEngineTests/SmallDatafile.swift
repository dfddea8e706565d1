/// The text of a datafile of which a test sets only what it needs. Lists are JSON texts without their brackets.
struct SmallDatafile {
    var version = #""4""#
    var experiments = ""
    var groups = ""
    var rollouts = ""
    var flags = ""
    var audiences = ""
    var typedAudiences = ""
    var attributes = ""
    var holdouts = ""
    var localHoldouts = ""
    var sendFlagDecisions = false

    var text: String {
        """
        {"version": \(version), "projectId": "P", "accountId": "A", "revision": "1", "anonymizeIP": true,
         "sendFlagDecisions": \(sendFlagDecisions), "events": [],
         "experiments": [\(experiments)], "groups": [\(groups)], "rollouts": [\(rollouts)],
         "featureFlags": [\(flags)], "audiences": [\(audiences)], "typedAudiences": [\(typedAudiences)],
         "attributes": [\(attributes)], "holdouts": [\(holdouts)], "localHoldouts": [\(localHoldouts)]}
        """
    }

    func project() throws -> Project { try Project(datafile: Array(text.utf8)) }

    /// One flag, `flag`, whose only experiment is for users who meet a condition.
    static func guarded(by condition: String, typedAudiences: String = "", audiences: String = "") -> SmallDatafile {
        SmallDatafile(
            experiments: rule("1") { $0.audience = condition }, flags: flag("flag", experiments: ["1"]),
            audiences: audiences, typedAudiences: typedAudiences)
    }

    static func flag(_ key: String, experiments: [String] = [], rollout: String = "", variables: String = "") -> String
    {
        let ids = experiments.map(quoted).joined(separator: ", ")
        return """
            {"id": \(quoted("id of \(key)")), "key": \(quoted(key)), "experimentIds": [\(ids)],
             "rolloutId": \(quoted(rollout)), "variables": [\(variables)]}
            """
    }

    static func audience(_ id: String, _ conditions: String) -> String {
        #"{"id": \#(quoted(id)), "name": \#(quoted("audience \(id)")), "conditions": \#(conditions)}"#
    }

    static func rollout(_ id: String, _ rules: String...) -> String {
        #"{"id": \#(quoted(id)), "experiments": [\#(rules.joined(separator: ", "))]}"#
    }

    /// An experiment, a rollout rule or a holdout.
    static func rule(_ id: String, _ change: (inout RuleDraft) -> Void = { _ in }) -> String {
        var draft = RuleDraft(id: id)
        change(&draft)
        return draft.text
    }

    static func quoted(_ text: String) -> String { JSONValue.string(text).json }
}

/// A rule of a small datafile: by default `rule1` with the id `1` and the variation `1a` for everyone.
struct RuleDraft {
    let id: String
    /// Default: `rule` followed by the id.
    var key: String?
    var status = "Running"
    /// The JSON text of `audienceConditions`.
    var audience: String?
    /// Keys and whether the flag is on; the ids are the rule's id followed by 1, 2, 3.
    var variations: [(key: String, isEnabled: Bool)]
    /// The end of each variation's traffic range.
    var ends = [10_000]
    /// The variation of each range, counted from 1. By default each variation has one range.
    var owners: [Int]?
    var whitelist: [String: String] = [:]
    /// The JSON text of `includedRules`, for local holdouts.
    var guarded = ""
    /// More members.
    var more = ""

    init(id: String) {
        self.id = id
        variations = [("\(id)a", true)]
    }

    /// Members that holdouts do not have are ignored there.
    var text: String {
        let condition = audience.map { #""audienceConditions": \#($0),"# } ?? ""
        let whitelist = whitelist.map { "\(SmallDatafile.quoted($0)): \(SmallDatafile.quoted($1))" }
        return """
            {"id": \(SmallDatafile.quoted(id)), "key": \(SmallDatafile.quoted(key ?? "rule\(id)")), "layerId": "",
             "status": \(SmallDatafile.quoted(status)), "audienceIds": [], \(condition) \(more)
             "forcedVariations": {\(whitelist.joined(separator: ", "))}, "includedRules": [\(guarded)],
             "variations": [\(variationTexts.joined(separator: ", "))],
             "trafficAllocation": [\(trafficTexts.joined(separator: ", "))]}
            """
    }

    private var variationTexts: [String] {
        variations.enumerated().map { number, variation in
            """
            {"id": \(SmallDatafile.quoted("\(id)\(number + 1)")), "key": \(SmallDatafile.quoted(variation.key)),
             "featureEnabled": \(variation.isEnabled)}
            """
        }
    }

    private var trafficTexts: [String] {
        zip(owners ?? Array(1...max(ends.count, 1)), ends).map { owner, end in
            #"{"entityId": \#(SmallDatafile.quoted("\(id)\(owner)")), "endOfRange": \#(end)}"#
        }
    }
}

extension Decision {
    /// All results of a decision on one line, for comparing decisions as a whole.
    var summary: String {
        let variables = variables.all.map { key, value in
            "\(key)=\(String(decoding: (value.jsonValue ?? .null).bytes, as: UTF8.self))"
        }.joined(separator: ",")
        let reasons = reasons.map(\.description).joined(separator: " | ")
        let assignment = assignment.map { "\($0.experimentID)=\($0.variationID)" } ?? "-"
        return """
            \(flagKey) \(stage) \(ruleKey ?? "-") \(variationKey ?? "-") \(isEnabled) [\(variables)] \(assignment) \
            \(impression.map { "\($0)" } ?? "-") [\(reasons)]
            """
    }
}
