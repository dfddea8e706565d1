/// Conversions are tracked with the tags that can be sent, and no argument crashes the program.
@Suite struct TrackTests {
    private struct Tracked {
        let conversion: RecordedConversion
        let warnings: [String]
    }

    private func track(_ tags: [String: AttributeValue]) throws -> Tracked {
        let (sent, log) = (RecordedEvents(), MemoryLog(level: .warning))
        let client = FlagClient.scripted(.event("purchase"), recording: sent, configuration: .quiet { $0.log = log })
        try client.user("ada").track("purchase", tags: tags)
        return Tracked(conversion: try #require(sent.conversions.first), warnings: log.entries.map(\.message))
    }

    @Test func unknownEventsAreErrors() {
        let sent = RecordedEvents()
        let client = FlagClient.scripted(.event("purchase"), recording: sent)
        #expect(throws: TrackError.unknownEvent("Purchase")) { try client.user("ada").track("Purchase") }
        #expect("\(TrackError.unknownEvent("x"))" == "the datafile has no event \"x\"")
        #expect(sent.all.isEmpty)
    }

    @Test func conversionsNeedNoTags() throws {
        let conversion = try track([:]).conversion
        #expect(conversion.tags.isEmpty && conversion.revenue == nil && conversion.value == nil)
    }

    @Test(
        arguments: [
            (0, 0), (-5, -5), (4_250, 4_250), (12.9, 12), (-12.9, -12), (.float(2.5), 2),
            (.double(9e18), 9_000_000_000_000_000_000), (1e30, nil), (.double(9.3e18), nil), ("12", nil), (true, nil),
            ([1], nil), (.null, nil), (.double(.nan), nil), (.double(.infinity), nil), (.integer(.max), .max),
            (.integer(.min), .min),
        ] as [(AttributeValue, Int64?)])
    func revenueIsAWholeNumber(tag: AttributeValue, revenue: Int64?) throws {
        #expect(try track(["revenue": tag]).conversion.revenue == revenue)
    }

    @Test(
        arguments: [
            (3.5, 3.5), (2, 2), (.float(0.5), 0.5), (1e30, 1e30), ("2", nil), (false, nil), (.double(-.infinity), nil),
        ] as [(AttributeValue, Double?)])
    func valueIsANumber(tag: AttributeValue, value: Double?) throws {
        #expect(try track(["value": tag]).conversion.value == value)
    }

    @Test func numbersKeepTheirSpelling() throws {
        let tags: [String: AttributeValue] = ["big": .integer(9_007_199_254_740_993), "d": 1e30, "one": 1.0, "t": true]
        #expect(
            try track(tags).conversion.tags == [
                "big": .integer(9_007_199_254_740_993), "d": .double(1e30), "one": .double(1), "t": .bool(true),
            ])
    }

    @Test func unsupportedTagsAreOmittedAndReported() throws {
        let tracked = try track([
            "good": "x", "nan": .double(.nan), "none": .null, "list": [1, .double(.infinity), .null, "y"],
            "deep": ["a": ["b": .float(.nan), "c": 2]], "other": .opaque(description: "Date", isNull: false),
        ])
        #expect(
            tracked.conversion.tags == [
                "good": .string("x"), "list": .array([.integer(1), .string("y")]),
                "deep": .object(["a": .object(["c": .integer(2)])]),
            ])
        let named = ["deep.a.b", "list[1]", "list[2]", "nan", "none", "other"]
        #expect(tracked.warnings == named.map { "event purchase: the tag \($0) has a value that cannot be sent" })
    }

    @Test func depthIsBounded() throws {
        func nested(_ depth: Int) -> AttributeValue { (0..<depth).reduce("core") { value, _ in ["in": value] } }
        #expect(try track(["tag": nested(32)]).warnings.isEmpty)
        let deep = try track(["tag": nested(33), "other": 1])
        #expect(deep.warnings.count == 1)
        #expect(deep.conversion.tags["other"] == .integer(1))
        #expect(try track(["tag": nested(5_000)]).warnings.count == 1)
    }

    @Test func anyTextCanBeATag() throws {
        let text = "a\"b\\c\u{0}\n\u{2028}é🙂/"
        #expect(try track([text: .string(text)]).conversion.tags == [text: .string(text)])
        #expect(try track(["": ""]).conversion.tags == ["": .string("")])
    }

    @Test func eventsOfOneUserAreNotMerged() throws {
        let sent = RecordedEvents()
        let client = FlagClient.scripted(.event("purchase"), recording: sent)
        for _ in 0..<3 { try client.user("ada").track("purchase") }
        #expect(Set(sent.conversions.map(\.uuid)).count == 3)
    }
}
