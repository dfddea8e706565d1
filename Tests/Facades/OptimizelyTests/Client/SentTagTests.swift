/// Event tags of every type that callers pass, as encoded in events.
@Suite(.ownThread) struct SentTagTests {
    private let setup: TestSetup

    init() throws { setup = try TestSetup() }

    private func sent(_ tags: [String: Any]) throws -> [String: Any] {
        try setup.client.track(eventKey: "purchase", userId: "ada", eventTags: tags)
        let snapshots = try #require(setup.visitors().last?["snapshots"] as? [[String: Any]])
        return try #require((snapshots.first?["events"] as? [[String: Any]])?.first)
    }

    private func tag(_ value: Any) throws -> Any? { (try sent(["tag": value])["tags"] as? [String: Any])?["tag"] }

    nonisolated(unsafe) private static let sentValues: [(Any, NSObject)] = [
        ("text", "text" as NSString), (true, true as NSNumber),
        (Int8(-3), -3 as NSNumber), (UInt32.max, UInt32.max as NSNumber), (Int64.max, Int64.max as NSNumber),
        (UInt64.max, 1.8446744073709552e19 as NSNumber), (2.5, 2.5 as NSNumber), (Float(0.5), 0.5 as NSNumber),
        (1e30, 1e30 as NSNumber), (NSNumber(value: true), true as NSNumber), (NSNumber(value: 3), 3 as NSNumber),
        ([1, 2], [1, 2] as NSArray), (["a": ["b": true]], ["a": ["b": true]] as NSDictionary),
        ([Any](), NSArray()), ([String: Any](), NSDictionary()), ([1, Double.nan, "x"] as [Any], [1, "x"] as NSArray),
        (["a": Date(), "b": 1] as [String: Any], ["b": 1] as NSDictionary),
        (["a", nil] as [String?], ["a"] as NSArray),
    ]

    @Test(arguments: sentValues.indices) func valuesAreSent(_ index: Int) throws {
        let (value, expected) = Self.sentValues[index]
        let received = try #require(try tag(value) as? NSObject)
        #expect(received.isEqual(expected), "\(type(of: value)): \(received)")
    }

    nonisolated(unsafe) private static let unsentValues: [Any] = [
        Double.infinity, Double.nan, Float.infinity, NSNull(), Optional<Int>.none as Any, "text"[...], Date(),
        Decimal(5), CGFloat(1), Data(), NSObject(), UUID(), Set([1]), [1: 2], (1, 2),
    ]

    @Test(arguments: unsentValues.indices) func theRestIsLeftOutWithAWarning(_ index: Int) throws {
        let value = Self.unsentValues[index]
        #expect(try tag(value) == nil, "\(type(of: value))")
        #expect(setup.logger.has(.warning, "tag"))
    }

    @Test func aWarningNamesTheKeyAndNotTheValue() throws {
        _ = try sent(["outer": ["inner": URL(filePath: "/secret")]])
        #expect(setup.logger.has(.warning, "outer.inner"))
        #expect(!setup.logger.journal.lines.contains { $0.contains("secret") })
    }

    nonisolated(unsafe) private static let revenues: [(Any, Int64?)] = [
        (420, 420), (-1, -1), (4.9, 4), (-4.9, -4), (Float(2.5), 2), (Int8(5), 5), (NSNumber(value: 7), 7),
        (Int64.max, .max), (1e30, nil), (-1e30, nil), (UInt64.max, nil), (Double.nan, nil), (Double.infinity, nil),
        ("420", nil), (true, nil), (NSNull(), nil), ([1], nil), (Decimal(5), nil),
    ]

    @Test(arguments: revenues.indices) func revenueIsAWholeNumber(_ index: Int) throws {
        let (value, expected) = Self.revenues[index]
        let event = try sent(["revenue": value])
        #expect((event["revenue"] as? NSNumber)?.int64Value == expected, "\(value)")
        #expect(event.keys.contains("revenue") == (expected != nil))
    }

    nonisolated(unsafe) private static let values: [(Any, Double?)] = [
        (3.5, 3.5), (2, 2), (Float(0.5), 0.5), (1e30, 1e30), ("3.5", nil), (true, nil), (Double.infinity, nil),
    ]

    @Test(arguments: values.indices) func theValueIsANumber(_ index: Int) throws {
        let (value, expected) = Self.values[index]
        let event = try sent(["value": value])
        #expect(
            (event["value"] as? NSNumber)?.doubleValue == expected && event.keys.contains("value") == (expected != nil))
    }

    @Test func oddKeysAndTextsAreEscaped() throws {
        let text = "\"\\\n\u{0}\u{2028}é👩‍👩‍👧"
        let tags = try #require(try sent([text: text, "": ""])["tags"] as? [String: String])
        #expect(tags == [text: text, "": ""])
    }
}
