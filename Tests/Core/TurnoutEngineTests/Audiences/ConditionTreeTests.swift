import TestSupport
import Testing
import TurnoutEngine

@Suite(.timeLimit(.minutes(1))) struct ConditionTreeTests {
    /// Conditions that are true, false and unknown for the user `u`.
    static let yes = #"{"type": "custom_attribute", "name": "yes", "match": "exact", "value": true}"#
    static let no = #"{"type": "custom_attribute", "name": "yes", "match": "exact", "value": false}"#
    static let unknown = #"{"type": "custom_attribute", "name": "missing", "match": "exact", "value": true}"#
    static let user = User("u", attributes: ["yes": true])

    /// Rows are the left operand, columns the right one: true, false, unknown.
    @Test(arguments: [
        ("and", ["TFU", "FFF", "UUU"]), ("or", ["TTT", "TFU", "TUU"]),
    ])
    func operatorsFollowTheirTruthTables(word: String, table: [String]) throws {
        let operands = [Self.yes, Self.no, Self.unknown]
        for (left, row) in zip(operands, table) {
            for (right, expected) in zip(operands, row) {
                #expect(try Self.truth(#"["\#(word)", \#(left), \#(right)]"#) == expected, "\(word) \(left) \(right)")
            }
        }
    }

    @Test func notUsesOnlyItsFirstOperand() throws {
        #expect(try Self.truth(#"["not", \#(Self.yes)]"#) == "F")
        #expect(try Self.truth(#"["not", \#(Self.no)]"#) == "T")
        #expect(try Self.truth(#"["not", \#(Self.unknown)]"#) == "U")
        #expect(try Self.truth(#"["not", \#(Self.no), \#(Self.yes), \#(Self.unknown)]"#) == "T")
    }

    @Test(
        arguments: [
            (#"["and"]"#, "U"), (#"["or"]"#, "F"), (#"["not"]"#, "U"), (#"["or", []]"#, "U"),
            ("[[\"and\", \(yes)]]", "U"),
            (#"["or", "and"]"#, "U"), ("[\"or\", \(yes), \"and\"]", "T"), ("[\(yes)]", "T"), ("[\(no), \(yes)]", "T"),
            ("[\"AND\", \(yes)]", "T"), ("[\"and\", \(yes), \"nobody\"]", "U"), (#""nobody""#, "U"), (yes, "T"),
            ("[\(yes), \"and\", \(no)]", "T"), ("[\"and\", \(unknown), \(no)]", "U"), (#"[]"#, "T"), (#""and""#, "T"),
        ] as [(String, Character)])
    func irregularTreesAreAnsweredAsMeasured(condition: String, expected: Character) throws {
        #expect(try Self.truth(condition) == expected)
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
        #expect(throws: DatafileError.self) {
            try SmallDatafile.guarded(by: #""a""#, typedAudiences: text).project()
        }
    }

    @Test func manyLeavesAreEvaluated() throws {
        let count = rounds(10_000, thorough: 100_000)
        let leaves = (0..<count).map {
            #"{"type":"custom_attribute","name":"n","match":"exact","value":\#($0)}"#
        }.joined(separator: ",")
        let audience = SmallDatafile.audience("a", #"["or", \#(leaves)]"#)
        let project = try SmallDatafile.guarded(by: #""a""#, typedAudiences: audience).project()
        for (number, isIn) in [(0, true), (count - 1, true), (count, false), (-1, false)] {
            let user = User("u", attributes: ["n": .integer(Int64(number))])
            #expect(project.decide("flag", for: user).isEnabled == isIn, "\(number)")
        }
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
