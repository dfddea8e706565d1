/// Stands for a date, which programs make an attribute like this.
private struct Day: AttributeConvertible {
    let number: Int
    var attributeValue: AttributeValue { .integer(Int64(number) * 86_400) }
}

/// Attributes are written as a literal, also with variables, optionals and enumerations.
@Suite struct AttributeLiteralTests {
    private enum Plan: String, AttributeConvertible { case free, gold }
    private enum Level: Int, AttributeConvertible { case low = 1, high }

    @Test func valuesOfAllTypesAreAttributes() {
        let (country, age): (String?, Int?) = ("US", nil)
        let ada = User(
            "ada",
            attributes: [
                "country": country, "age": age, "plan": Plan.gold, "level": Level.high, "orders": 12 as UInt16,
                "total": 42.5, "ratio": 0.5 as Float, "vip": true, "name": "Ada Lovelace".prefix(3),
                "since": Day(number: 1), "tags": ["a", "b"], "counts": ["x": 1],
                "null": AttributeValue.null, "nothing": nil,
            ])
        let expected: [String: AttributeValue] = [
            "country": "US", "plan": "gold", "level": 2, "orders": 12, "total": 42.5, "ratio": .float(0.5),
            "vip": true, "name": "Ada", "since": 86_400, "tags": ["a", "b"], "counts": ["x": 1], "null": .null,
        ]
        #expect(Dictionary(uniqueKeysWithValues: ada.attributes.map { ($0.name, $0.value) }) == expected)
    }

    @Test func attributesCanBeSetFromOptionals() {
        var attributes = Attributes(["plan": Plan.free])
        let plan: Plan? = .gold
        attributes["plan"] = plan?.attributeValue
        #expect(attributes["plan"] == "gold")
        attributes["plan"] = Plan?.none?.attributeValue
        #expect(attributes.isEmpty)
    }

    @Test func nilRemovesAnEarlierEntryOfTheLiteral() {
        let nothing: Int? = nil
        #expect(Attributes(["a": 1, "a": nothing]).isEmpty)
    }

    @Test func integersBeyond64BitsAreOutOfRangeForAudiences() {
        #expect(UInt64.max.attributeValue == .double(Double(UInt64.max)))
        #expect(Int64.min.attributeValue == .integer(.min))
    }
}
