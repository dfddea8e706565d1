/// Users are parsed from JSON objects, one per line in files.
@Suite struct UserParsingTests {
    private func user(_ text: String) throws -> User { try User(parsing: [UInt8](text.utf8)) }

    @Test func allMembersAreRead() throws {
        let user = try user(
            #"""
            {"user": "ada", "attributes": {"a": "x", "n": 5, "d": 1.5, "b": true, "z": null, "l": [1, "y"]},
             "segments": ["vip", "new"], "other": {"ignored": [1]},
             "forcedDecisions": [{"flag": "f", "variation": "v"}, {"flag": "f", "rule": "r", "variation": "w"}]}
            """#)
        #expect(user.id == "ada" && user.segments == ["vip", "new"])
        #expect(user.attributes["a"] == "x" && user.attributes["n"] == 5 && user.attributes["d"] == 1.5)
        #expect(user.attributes["b"] == true && user.attributes["z"] == .null)
        #expect(user.attributes["l"] == [1, "y"])
        #expect(user.forcedDecisions[DecisionContext(flag: "f")] == "v")
        #expect(user.forcedDecisions[DecisionContext(flag: "f", rule: "r")] == "w")
    }

    @Test func firstOfTwoEqualAttributesWins() throws {
        #expect(try user(#"{"user": "u", "attributes": {"a": 1, "a": 2}}"#).attributes["a"] == 1)
    }

    @Test(arguments: [
        (#"{"attributes": {}}"#, "the member \"user\" is missing"),
        (#"{"user": 5}"#, "$.user: expected a string, found a number"),
        (#"{"user": "u", "attributes": []}"#, "$.attributes: expected an object"),
        (#"{"user": "u", "attributes": {"a": 1e400}}"#, "$.attributes.a: the number is beyond"),
        (#"{"user": "u", "segments": [1]}"#, "$.segments[0]: expected a string"),
        (#"{"user": "u", "forcedDecisions": [{"flag": "f"}]}"#, "$.forcedDecisions[0]: a forced decision needs"),
        (#"[]"#, "expected an object"), ("", "the text is empty"),
    ])
    func parsingErrorsAreReported(text: String, message: String) {
        let error = #expect(throws: JSONError.self) { try user(text) }
        #expect(error?.description.contains(message) ?? false, "\(error?.description ?? "no error")")
    }

    @Test func firstOfTwoEqualMembersWins() throws {
        let user = try User(
            parsing: Array(
                #"""
                {"user": "ada", "attributes": {"a": 1, "a": 2}, "segments": ["s"], "forcedDecisions": [],
                 "user": "bob", "attributes": {"a": 3}, "segments": ["t"],
                 "forcedDecisions": [{"flag": "f", "variation": "v"}]}
                """#.utf8))
        #expect(user.id == "ada" && user.attributes["a"] == 1 && user.segments == ["s"])
        #expect(user.forcedDecisions.isEmpty)
    }

    @Test func membersMayBeNull() throws {
        let text = #"{"user": "ada", "attributes": null, "segments": null, "forcedDecisions": null}"#
        let user = try User(parsing: Array(text.utf8))
        #expect(user.id == "ada" && user.segments.isEmpty && user.forcedDecisions.isEmpty)
        #expect(throws: JSONError.self) { try User(parsing: Array(#"{"user": null}"#.utf8)) }
    }

    // MARK: Attributes

    /// A thousand changes to sets of up to a hundred names, compared with a dictionary.
    @Test func attributesBehaveLikeADictionary() {
        var random = RepeatableRandom(stream: 701)
        let names = (0..<100).map { "name \($0)" } + ["", "é", "\u{212A}", "$opt_bucketing_id", "日本語", "a\0b"]
        var attributes = Attributes()
        var expected: [String: AttributeValue] = [:]
        for step in 0..<1_000 {
            let name = random.pick(names)
            let value: AttributeValue? = random.oneIn(3) ? nil : .integer(Int64(step))
            attributes[name] = value
            expected[name] = value
            #expect(attributes.count == expected.count)
            #expect(attributes.isEmpty == expected.isEmpty)
        }
        for name in names { #expect(attributes[name] == expected[name], "\(name)") }
        #expect(Dictionary(attributes.map { ($0.name, $0.value) }) { $1 } == expected)
        let copy = Attributes(expected)
        for name in names { #expect(copy[name] == expected[name], "\(name)") }
    }

    @Test func namesAreCaseSensitive() {
        let attributes: Attributes = ["Name": 1]
        #expect(attributes["name"] == nil && attributes["Name"] == 1)
    }

    @Test func lastOfTwoEqualNamesInALiteralWins() {
        let attributes: Attributes = ["a": 1, "a": 2]
        #expect(attributes["a"] == 2 && attributes.count == 1)
    }

    @Test func explicitNullsAreKept() {
        var attributes: Attributes = ["a": .null]
        #expect(attributes.count == 1 && attributes["a"] == .some(.null))
        attributes["a"] = nil
        #expect(attributes.isEmpty)
    }
}
