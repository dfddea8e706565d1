/// An assigned user keeps the variation as long as it exists.
@Suite struct StoredAssignmentTests {
    private static let user = User("u")
    private static let nobody = #"["or"]"#

    private struct Draft {
        var rule = RuleDraft(id: "1")
        var isGrouped = false
        var groupEnd = 10_000

        init() { rule.variations = [("a", true), ("b", true), ("c", false)] }

        func project() throws -> Project {
            let traffic = #"{"entityId": "1", "endOfRange": \#(groupEnd)}"#
            let group =
                #"{"id": "G", "policy": "random", "trafficAllocation": [\#(traffic)], "experiments": [\#(rule.text)]}"#
            return try SmallDatafile(
                experiments: isGrouped ? "" : rule.text, groups: isGrouped ? group : "",
                flags: SmallDatafile.flag("flag", experiments: ["1"])
            ).project()
        }
    }

    /// Edits that keep the variation with the id `12`.
    private static let edits: [@Sendable (inout Draft, inout RepeatableRandom) -> Void] = [
        { draft, random in draft.rule.ends = [Int.random(in: 0...10_000, using: &random)] },
        { draft, _ in draft.rule.ends = [] },
        { draft, random in draft.rule.owners = draft.rule.ends.map { _ in Int.random(in: 1...3, using: &random) } },
        { draft, _ in draft.rule.audience = nobody }, { draft, _ in draft.rule.audience = #""missing""# },
        { draft, random in draft.rule.variations.append(("d\(random.next())", true)) },
        { draft, random in draft.rule.variations[1].key = "renamed \(random.next())" },
        { draft, random in draft.rule.variations[1].isEnabled = Bool.random(using: &random) },
        { draft, _ in draft.rule.whitelist["somebody else"] = "a" }, { draft, _ in draft.isGrouped = true },
        { draft, random in (draft.isGrouped, draft.groupEnd) = (true, Int.random(in: 0...100, using: &random)) },
        { draft, _ in draft.rule.more = #""type": "mab","# },
        { draft, _ in draft.rule.more = #""cmab": {"attributeIds": [], "trafficAllocation": 10000},"# },
    ]

    @Test(arguments: 1...100) func assignmentsSurviveEveryEditThatKeepsTheirVariation(round: UInt64) throws {
        var random = RepeatableRandom(stream: 600 + round)
        var draft = Draft()
        draft.rule.ends = [0, 10_000]
        let first = try draft.project().decide("flag", for: Self.user)
        let assignment = try #require(first.assignment)
        #expect(assignment == ("1", "12"))
        let profile = UserProfile([assignment.experimentID: assignment.variationID])
        for _ in 0..<Int.random(in: 1...6, using: &random) { random.pick(Self.edits)(&draft, &random) }
        let decision = try draft.project().decide("flag", for: Self.user, profile: profile)
        #expect(decision.stage == .storedAssignment, "seed \(RepeatableRandom.seed)")
        #expect(decision.variation?.id == "12", "seed \(RepeatableRandom.seed)")
        #expect(decision.assignment == nil, "nothing new to remember")
    }

    @Test(arguments: [
        "null", "{}", "[]", #"{"experiment_bucket_map": []}"#, #"{"experiment_bucket_map": {"1": "12"}}"#,
        #"{"experiment_bucket_map": {"1": {"variation_id": 12}}}"#,
        #"{"experiment_bucket_map": {"1": {"variation_id": "12"}, "2": {"variation_id": 5}}}"#,
        #"{"experiment_bucket_map": {"1": {"variation_id": "12"}, "2": null}}"#,
        #"{"experiment_bucket_map": {"1": {"variation_id": "12", "at": 5}}}"#,
    ])
    func mapsWithAnythingMalformedAreEmpty(text: String) throws {
        #expect(try UserProfile(JSONValue(parsing: text)) == UserProfile())
    }
}
