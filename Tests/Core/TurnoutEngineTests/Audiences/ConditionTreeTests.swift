@Suite(.timeLimit(.minutes(1))) struct ConditionTreeTests {
    /// Conditions that are true, false and unknown for the user `u`.
    static let yes = #"{"type": "custom_attribute", "name": "yes", "match": "exact", "value": true}"#
    static let no = #"{"type": "custom_attribute", "name": "yes", "match": "exact", "value": false}"#
    static let unknown = #"{"type": "custom_attribute", "name": "missing", "match": "exact", "value": true}"#
    static let user = User("u", attributes: ["yes": true])

    /// Rows are the left operand, columns the right one: true, false, unknown.
    @Test(arguments: [("and", ["TFU", "FFF", "UUU"]), ("or", ["TTT", "TFU", "TUU"])])
    func operatorsFollowTheirTruthTables(word: String, table: [String]) throws {
        let operands = [Self.yes, Self.no, Self.unknown]
        for (left, row) in zip(operands, table) {
            for (right, expected) in zip(operands, row) {
                #expect(try Self.truth(#"["\#(word)", \#(left), \#(right)]"#) == expected, "\(word) \(left) \(right)")
            }
        }
    }

    /// Five hundred levels are within the reader's limit.
    @Test(arguments: [1, 2, 63, 64, 499, 500]) func deepTreesAreEvaluated(depth: Int) throws {
        func nested(_ word: String, _ leaf: String) -> String {
            String(repeating: #"["\#(word)", "#, count: depth) + leaf + String(repeating: "]", count: depth)
        }
        for word in ["and", "or"] {
            #expect(try Self.truth(nested(word, Self.yes)) == "T")
            #expect(try Self.truth(nested(word, Self.no)) == "F")
            #expect(try Self.truth(nested(word, Self.unknown)) == "U")
        }
        #expect(try Self.truth(nested("not", Self.yes)) == (depth.isMultiple(of: 2) ? "T" : "F"))
    }

    @Test func treesBeyondTheReadersDepthAreRefused() {
        let deep = String(repeating: #"["and", "#, count: 600) + Self.yes + String(repeating: "]", count: 600)
        #expect(throws: DatafileError.self) { try SmallDatafile.guarded(by: deep).project() }
        let text = SmallDatafile.audience("a", SmallDatafile.quoted(deep))
        #expect(throws: DatafileError.self) { try SmallDatafile.guarded(by: #""a""#, typedAudiences: text).project() }
    }

    // MARK: Helpers

    /// T, F or U. F and U both exclude the user; they differ only below a "not".
    private static func truth(_ condition: String) throws -> Character {
        let decision = try SmallDatafile.guarded(by: condition).project()
            .decide("flag", for: user, options: .includeReasons)
        let isUnknown = decision.reasons.contains { if case .audienceUnknown = $0 { true } else { false } }
        return decision.isEnabled ? "T" : isUnknown ? "U" : "F"
    }
}
