/// Makes the datafiles of a project as the vendor's application exports them: one for each environment, with the parts
/// that such files have and a project file has no word for, in the order that the application happened to write.
struct RandomExport {
    private var random: SplitMix
    private var lastID = 9_300_000
    private let attributes: [String]
    private var declared: [String] = []
    private var audienceIDs: [String] = []
    private var audiences: [(typed: String, legacy: String)] = []
    private var events: [String] = []
    private var flags: [FlagParts] = []

    /// What the rules of a flag have in all environments.
    private struct FlagParts {
        let id: String
        let key: String
        let variables: [(id: String, json: String, values: [String])]
    }

    /// The datafiles of a seed; all environments have the same flags, audiences and attributes.
    static func datafiles(seed: UInt64) -> [String] {
        var export = RandomExport(seed: seed)
        return ["production", "staging", "development"].prefix(export.int(1...3)).map { export.datafile(of: $0) }
    }

    private init(seed: UInt64) {
        random = SplitMix(state: seed)
        attributes = ["plan", "country", "age", "app_version", "is member", "datafile"]
        // Conditions test attributes that the datafile does not declare.
        declared = attributes.filter { _ in int(0...3) > 0 }
        for number in 0..<int(0...4) { addAudience(number) }
        events = (0..<int(0...3)).map { "event_\($0)" }
        for number in 0..<int(1...4) { addFlag(number) }
    }

    // MARK: Chance

    private mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func oneIn(_ count: Int) -> Bool { int(1...count) == 1 }
    private mutating func pick<Value>(_ values: [Value]) -> Value { values[int(0...values.count - 1)] }

    private mutating func id() -> String {
        lastID += int(1...40)
        return String(lastID)
    }

    // MARK: Audiences

    private static let dummy =
        #""[\"or\", {\"match\": \"exact\", \"name\": \"$opt_dummy_attribute\", \"type\": \"custom_attribute\", "#
        + #"\"value\": \"$opt_dummy_value\"}]""#

    private mutating func addAudience(_ number: Int) {
        let (id, name) = (id(), #""name":"Audience \#(number)""#)
        audienceIDs.append(id)
        let groups = (0..<int(1...2)).map { _ in
            let leaves = (0..<int(1...2)).map { _ in "[\"or\",\(leaf())]" }.joined(separator: ",")
            return "[\"or\",\(leaves)]"
        }
        let conditions = "[\"and\",\(groups.joined(separator: ","))]"
        // Older audiences compare only strings, and have no typed twin.
        guard !oneIn(4) else {
            let text = "[\"and\", [\"or\", {\"name\": \"plan\", \"type\": \"custom_attribute\", \"value\": \"pro\"}]]"
            let escaped = text.replacing("\"", with: "\\\"")
            audiences.append(("", "{\"id\":\"\(id)\",\"conditions\":\"\(escaped)\",\(name)}"))
            return
        }
        audiences.append(
            (
                "{\"id\":\"\(id)\",\(name),\"conditions\":\(conditions)}",
                "{\"id\":\"\(id)\",\"conditions\":\(Self.dummy),\(name)}"
            ))
    }

    private mutating func leaf() -> String {
        guard !oneIn(6) else {
            return #"{"match":"qualified","name":"odp.audiences","type":"third_party_dimension","value":"vip"}"#
        }
        let (match, value) = pick([
            (#""match":"exact","#, #","value":"pro""#), (#""match":"exact","#, #","value":true"#),
            (#""match":"exact","#, #","value":3"#), ("", #","value":"FI""#), (#""match":"exists","#, ""),
            (#""match":"exists","#, #","value":null"#), (#""match":"substring","#, #","value":"a""#),
            (#""match":"ge","#, #","value":18"#), (#""match":"lt","#, #","value":65.5"#),
            (#""match":"semver_ge","#, #","value":"2.1.0""#), (#""match":"semver_lt","#, #","value":"5.10""#),
        ])
        return #"{\#(match)"name":"\#(pick(attributes))","type":"custom_attribute"\#(value)}"#
    }

    /// The members of a rule for an audience, as rules of different ages have them.
    private mutating func audienceMembers() -> String {
        guard !audienceIDs.isEmpty, !oneIn(3) else {
            return #""audienceIds":[]"# + (oneIn(2) ? #","audienceConditions":[]"# : "")
        }
        let (first, second) = (pick(audienceIDs), pick(audienceIDs))
        return pick([
            #""audienceIds":["\#(first)"]"#, #""audienceIds":["\#(first)"],"audienceConditions":["or","\#(first)"]"#,
            #""audienceIds":["$opt_dummy_audience"],"audienceConditions":["and",["not","\#(first)"],"\#(second)"]"#,
        ])
    }

    // MARK: Flags

    private mutating func addFlag(_ number: Int) {
        let kinds: [(type: String, values: [String])] = [
            (#""type":"integer""#, ["3", "4"]), (#""type":"string""#, ["price", "", "1"]),
            (#""type":"boolean""#, ["true", "false"]), (#""type":"double""#, ["0.5", "2"]),
            (#""type":"string","subType":"json""#, [#"{\"size\":1}"#, #"{ \"type\": [1, 2] }"#]),
        ]
        let variables = (0..<int(0...3)).map { number in
            let (kind, id) = (pick(kinds), id())
            let json = #"{"id":"\#(id)","key":"variable_\#(number)",\#(kind.type),"defaultValue":"\#(kind.values[0])"}"#
            return (id, json, kind.values)
        }
        flags.append(FlagParts(id: id(), key: "flag_\(number)", variables: variables))
    }

    /// A variation, whose variables have any order.
    private mutating func variation(_ key: String, id: String, of flag: FlagParts?, enabled: Bool = true) -> String {
        let values = (flag?.variables ?? []).map { variable in
            #"{"id":"\#(variable.id)","value":"\#(pick(variable.values))"}"#
        }.shuffled(using: &random)
        let rest = flag == nil ? "" : #","featureEnabled":\#(enabled),"variables":[\#(values.joined(separator: ","))]"#
        return #"{"id":"\#(id)","key":"\#(key)"\#(rest)}"#
    }

    /// An experiment, with holes in its traffic where the application took a share away.
    private mutating func experiment(_ key: String, of flag: FlagParts?) -> (id: String, json: String) {
        let (id, layer) = (id(), id())
        let ids = (0...1).map { _ in self.id() }
        let variations = [variation("control", id: ids[0], of: flag), variation("treatment", id: ids[1], of: flag)]
        let ends = (0..<int(0...3)).map { _ in int(0...10_000) }.sorted()
        let traffic = ends.map { #"{"entityId":"\#(pick(ids + [""]))","endOfRange":\#($0)}"# }
        let status = pick(["Running", "Running", "Running", "Paused", "Not started", "Archived", "Launched"])
        let users = oneIn(3) ? #""ada":"control","grace":"treatment""# : ""
        let type = pick(["", "", #","type":"ab""#, #","type":"mab""#])
        let json = """
            {"id":"\(id)","key":"\(key)","layerId":"\(layer)","status":"\(status)"\(type),\(audienceMembers()),\
            "variations":[\(variations.shuffled(using: &random).joined(separator: ","))],\
            "trafficAllocation":[\(traffic.joined(separator: ","))],"forcedVariations":{\(users)}}
            """
        return (id, json)
    }

    // MARK: Rollouts

    private mutating func rollout(_ id: String, of flag: FlagParts) -> String {
        let on = self.id()
        var rules = (0..<int(0...2)).map { _ in
            rolloutRule(key: self.id(), variation("on", id: on, of: flag), on, end: int(0...100) * 100)
        }
        let (key, off) = ("default-\(id)", self.id())
        let last = pick([
            rolloutRule(key: key, variation("off", id: off, of: flag, enabled: false), off, end: 10_000, isLast: true),
            rolloutRule(key: key, variation("on", id: on, of: flag), on, end: 10_000, isLast: true),
            rolloutRule(key: self.id(), variation("on", id: on, of: flag), on, end: int(0...10_000)),
        ])
        rules.append(last)
        return #"{"id":"\#(id)","experiments":[\#(rules.joined(separator: ","))]}"#
    }

    private mutating func rolloutRule(
        key: String, _ variation: String, _ variationID: String, end: Int, isLast: Bool = false
    ) -> String {
        let audience = isLast ? #""audienceIds":[],"audienceConditions":[]"# : audienceMembers()
        return """
            {"id":"\(key)","key":"\(key)","layerId":"\(id())","status":"\(oneIn(2) ? "Running" : "Not started")",\
            \(audience),\
            "variations":[\(variation)],"trafficAllocation":[{"entityId":"\(variationID)","endOfRange":\(end)}],\
            "forcedVariations":{}}
            """
    }

    // MARK: Datafiles

    /// The rules of an environment.
    private struct Rules {
        var experiments: [(id: String, json: String)] = []
        var grouped: [(id: String, json: String)] = []
        var rollouts: [String] = []
        var flags: [String] = []
    }

    private mutating func rules() -> Rules {
        var rules = Rules()
        for flag in flags {
            var ids: [String] = []
            for number in 0..<int(0...2) {
                let experiment = experiment("\(flag.key)_test_\(number)", of: flag)
                if oneIn(3) { rules.grouped.append(experiment) } else { rules.experiments.append(experiment) }
                ids.append(experiment.id)
            }
            let rolloutID = oneIn(5) ? "" : id()
            if !rolloutID.isEmpty { rules.rollouts.append(rollout(rolloutID, of: flag)) }
            let variables = flag.variables.map(\.json).shuffled(using: &random).joined(separator: ",")
            rules.flags.append(
                """
                {"id":"\(flag.id)","key":"\(flag.key)","rolloutId":"\(rolloutID)",\
                "experimentIds":[\(ids.map { "\"\($0)\"" }.joined(separator: ","))],"variables":[\(variables)]}
                """)
        }
        // Experiments that programs activate without a flag.
        for number in 0..<int(0...2) { rules.experiments.append(experiment("ab_test_\(number)", of: nil)) }
        return rules
    }

    private mutating func group(of experiments: [(id: String, json: String)]) -> String {
        let share = experiments.isEmpty ? 0 : 10_000 / experiments.count
        let traffic = experiments.indices.map {
            #"{"entityId":"\#(oneIn(4) ? "" : experiments[$0].id)","endOfRange":\#(($0 + 1) * share)}"#
        }
        return """
            {"id":"\(id())","policy":"random","trafficAllocation":[\(traffic.joined(separator: ","))],\
            "experiments":[\(experiments.map(\.json).joined(separator: ","))]}
            """
    }

    private mutating func holdout(_ number: Int, rules: [String]?) -> String {
        let variationID = id()
        let included = rules.map { #","includedRules":[\#($0.map { "\"\($0)\"" }.joined(separator: ","))]"# } ?? ""
        return """
            {"id":"\(id())","key":"holdout_\(number)","status":"\(pick(["Running", "Draft", "Archived"]))",\
            \(audienceMembers()),"variations":[{"id":"\(variationID)","key":"ho_off","featureEnabled":false}],\
            "trafficAllocation":[{"entityId":"\(variationID)","endOfRange":\(int(0...20) * 100)}]\(included)}
            """
    }

    private mutating func datafile(of environment: String) -> String {
        let rules = rules()
        let groups = rules.grouped.isEmpty ? [] : [group(of: rules.grouped)]
        let ids = (rules.experiments + rules.grouped).map(\.id)
        let global = (0..<int(0...1)).map { holdout($0, rules: nil) }
        // Those of experiments without a flag cannot be chosen there.
        let choice = ids.filter { id in rules.flags.contains { $0.contains("\"\(id)\"") } }.shuffled(using: &random)
        let local = (0..<int(0...1)).map { holdout($0 + 1, rules: choice.prefix(int(0...2)) + ["1"]) }
        let typed = audiences.map(\.typed).filter { !$0.isEmpty }
        let dummy =
            "{\"id\":\"$opt_dummy_audience\",\"name\":\"Optimizely-Generated Audience\",\"conditions\":\(Self.dummy)}"
        let events = events.map { key in
            let measured = ids.filter { _ in oneIn(2) }.map { "\"\($0)\"" }.joined(separator: ",")
            return "{\"id\":\"\(id())\",\"key\":\"\(key)\",\"experimentIds\":[\(measured)]}"
        }
        let odp = #"{"key":"odp","host":"https://odp.example.com","publicKey":"W4"}"#
        let lists: [(String, [String])] = [
            ("attributes", declared.enumerated().map { "{\"id\":\"\(5_000 + $0)\",\"key\":\"\($1)\"}" }),
            ("audiences", audiences.map(\.legacy) + [dummy]), ("typedAudiences", typed), ("events", events),
            ("featureFlags", rules.flags), ("experiments", rules.experiments.map(\.json)), ("groups", groups),
            ("rollouts", rules.rollouts), ("integrations", oneIn(3) ? [odp] : []), ("variables", []),
            ("holdouts", global), ("localHoldouts", local),
        ]
        let members = lists.map { "\"\($0)\":[\($1.joined(separator: ","))]" }.shuffled(using: &random)
        return """
            {"version":"4","projectId":"12002","accountId":"12001","revision":"\(int(1...400))","sdkKey":"K1",\
            "environmentKey":"\(environment)","anonymizeIP":true,"botFiltering":\(oneIn(2)),"sendFlagDecisions":true,
            \(members.joined(separator: ",\n"))}
            """
    }
}
