@Suite struct AttributesTests {
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
