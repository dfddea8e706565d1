@Suite(.ownThread) struct ConfigAudienceTests {
    private static let leaf = #"{"type": "custom_attribute", "name": "age", "match": "gt", "value": 18.0}"#
    private static let leafText = #"{"match":"gt","name":"age","type":"custom_attribute","value":18}"#

    // MARK: The list

    @Test func typedAudiencesPrecedeAndReplaceOthers() throws {
        let others = ["1", "2", "$opt_dummy_audience", "3"].map { SmallDatafile.audience($0, name: "old \($0)") }
        let typed = ["2", "9"].map { SmallDatafile.audience($0, name: "typed \($0)") }
        let config = try SmallDatafile(
            audiences: others.joined(separator: ","), typedAudiences: typed.joined(separator: ",")
        ).config()
        #expect(config.audiences.map(\.name) == ["typed 2", "typed 9", "old 1", "old 3"])
    }

    @Test func stringConditionsAreListedUnchanged() throws {
        let text = #"[ \"or\" , {\"type\": \"custom_attribute\", \"name\": \"é/\"} ]"#
        let config = try SmallDatafile(audiences: SmallDatafile.audience("1", "\"\(text)\"")).config()
        #expect(config.audiences.map(\.conditions) == [#"[ "or" , {"type": "custom_attribute", "name": "é/"} ]"#])
    }

    @Test(arguments: [
        (leaf, leafText),
        (#"["and", \#(leaf), ["not", ["or", "1", "2"]]]"#, #"["and",\#(leafText),["not",["or","1","2"]]]"#),
        (#"["1", "2"]"#, #"["1","2"]"#), (#"[\#(leaf)]"#, "[\(leafText)]"), ("[]", "[]"), (#"["or"]"#, #"["or"]"#),
        (#"[["or", "1"], "2"]"#, #"[["or","1"],"2"]"#), (#"["and", "or", "1"]"#, #"["and","or","1"]"#),
        (#"{"type": "x", "value": null, "name": "a/b"}"#, #"{"name":"a\/b","type":"x"}"#),
        (#"{"value": [1.0, {"b": true, "a": "é"}]}"#, #"{"value":[1,{"a":"é","b":true}]}"#),
    ])
    func valuesAreCompactJSONWithSortedKeys(conditions: String, text: String) throws {
        let config = try SmallDatafile(typedAudiences: SmallDatafile.audience("1", conditions)).config()
        #expect(config.audiences.map(\.conditions) == [text])
    }

    // MARK: The notation

    @Test(arguments: [
        (#""1""#, #""A""#), (#"["1"]"#, #""A""#), (#"["or", "1"]"#, #""A""#),
        (#"["or", "1", "2"]"#, #""A" OR "B""#), (#"["and", "1", "2", "3"]"#, #""A" AND "B" AND "C""#),
        (#"["1", "2"]"#, #""A" OR "B""#), (#"["not", "1"]"#, #"NOT "A""#), (#"["not", "1", "2"]"#, #"NOT "A""#),
        (#"["or", "1", ["and", "2", "3"]]"#, #""A" OR ("B" AND "C")"#),
        (#"["not", ["and", "2", "3"]]"#, #"NOT ("B" AND "C")"#),
        (#"["and", ["or", "1"], ["not", "2"]]"#, #"("A") AND (NOT "B")"#),
        (
            #"["and", ["or", "1", ["and", "2", "3"]], ["and", "1", ["not", "2"]]]"#,
            #"("A" OR ("B" AND "C")) AND ("A" AND (NOT "B"))"#
        ),
        (#"["or", "77"]"#, #""77""#), ("[]", ""), (#"["and"]"#, ""), (#"["not"]"#, ""), (#""or""#, ""),
        (#"[["or", "1"], "2"]"#, ""), (leaf, ""), ("[\(leaf)]", ""),
    ])
    func conditionsOfRulesAreWrittenInWords(conditions: String, text: String) throws {
        let audiences = zip(["1", "2", "3"], ["A", "B", "C"]).map { SmallDatafile.audience($0, name: $1) }
        let rule = SmallDatafile.rule("1", more: #""audienceConditions": \#(conditions),"#)
        let config = try SmallDatafile(experiments: rule, typedAudiences: audiences.joined(separator: ",")).config()
        #expect(config.experimentsMap["rule1"]?.audiences == text)
    }

    @Test func audienceIdsAloneAreNotListed() throws {
        let rule = SmallDatafile.rule("1").replacing(#""audienceIds": []"#, with: #""audienceIds": ["1"]"#)
        let config = try SmallDatafile(experiments: rule, audiences: SmallDatafile.audience("1")).config()
        #expect(config.experimentsMap["rule1"]?.audiences == "")
    }
}
