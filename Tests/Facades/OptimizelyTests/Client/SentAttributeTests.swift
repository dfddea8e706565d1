/// Attributes of every type that callers pass, as encoded in events.
@Suite(.ownThread) struct SentAttributeTests {
    private let setup: TestSetup

    init() throws { setup = try TestSetup() }

    /// The attribute `plan` in the event of a conversion, as JSON, or nil if it is not sent.
    private func sent(_ value: Any?) throws -> String? {
        let before = setup.dispatcher.events.count
        let user = OptimizelyUserContext(optimizely: setup.client, userId: "ada", attributes: ["plan": value])
        try user.trackEvent(eventKey: "purchase")
        setup.settle()
        let body = String(decoding: try #require(setup.dispatcher.events.dropFirst(before).first).body, as: UTF8.self)
        #expect((try? JSONSerialization.jsonObject(with: Data(body.utf8))) != nil, "\(body)")
        let start = #"{"entity_id":"91","key":"plan","type":"custom","value":"#
        guard let rest = body.components(separatedBy: start).dropFirst().first else { return nil }
        return rest.components(separatedBy: "}").first
    }

    nonisolated(unsafe) private static let sentValues: [(Any, String)] = [
        ("gold", #""gold""#), ("", #""""#), (true, "true"), (false, "false"), (0, "0"),
        (1, "1"), (-5, "-5"), (Int8.min, "-128"), (Int16.max, "32767"), (Int32.min, "-2147483648"),
        (Int64.max, "9223372036854775807"), (UInt8.max, "255"), (UInt16.max, "65535"), (UInt32.max, "4294967295"),
        (UInt(7), "7"), (UInt64(8), "8"), (UInt64.max, "1.8446744073709552e+19"), (2.5, "2.5"), (-0.5, "-0.5"),
        (Float(0.5), "0.5"), (1e30, "1e+30"), (NSNumber(value: true), "true"), (NSNumber(value: false), "false"),
        (NSNumber(value: 1), "1"), (NSNumber(value: 0), "0"), (NSNumber(value: Int16(-7)), "-7"),
        (NSNumber(value: UInt64.max), "1.8446744073709552e+19"), (NSNumber(value: UInt8(200)), "200"),
        (NSNumber(value: 2.5), "2.5"), (NSNumber(value: Float(0.25)), "0.25"), (NSString("text"), #""text""#),
        (Optional.some("inside") as Any, #""inside""#), (Optional.some(Optional.some(5)) as Any, "5"),
    ]

    @Test(arguments: sentValues.indices) func scalarsAreSent(_ index: Int) throws {
        let (value, text) = Self.sentValues[index]
        #expect(try sent(value) == text, "\(type(of: value))")
        #expect(!setup.logger.has(.warning))
    }

    #if arch(x86_64)
        @Test func float80IsSentAsDouble() throws {
            #expect(try sent(Float80(2.5)) == "2.5")
            #expect(try sent(Float80.infinity) == nil)
        }
    #endif

    nonisolated(unsafe) private static let unsentValues: [Any] = [
        Double.infinity, -Double.infinity, Double.nan, Float.infinity, Float.nan, NSNumber(value: Double.infinity),
        "secret"[...], Date(), Decimal(5), CGFloat(2.5), [1, 2], ["a": 1], ["a", nil] as [String?],
        [:] as [String: Any], Data([1]),
        URL(filePath: "/secret"), UUID(), NSObject(), Plain(), Kind.one, (1, "secret"), Set([1]), [1: "a"], 1...2,
        { (number: Int) in number }, Int.self, NSArray(array: [1]), NSDictionary(), Character("x"),
    ]

    @Test(arguments: unsentValues.indices) func theRestIsLeftOutWithAWarning(_ index: Int) throws {
        let value = Self.unsentValues[index]
        #expect(try sent(value) == nil, "\(type(of: value))")
        let warnings = setup.logger.journal.lines.filter { $0.hasPrefix("WARNING") }
        #expect(warnings.count == 1 && warnings[0].contains("plan"), "\(warnings)")
        #expect(!warnings[0].contains("secret") && !warnings[0].contains("inf"))
        #expect(setup.user("ada", ["plan": value]).decide(key: "tested").enabled)
    }

    @Test func nullsAreLeftOutWithoutAWarning() throws {
        for value in [nil, NSNull(), Optional<Int>.none as Any, Optional.some(Optional<Int>.none) as Any] as [Any?] {
            #expect(try sent(value) == nil)
        }
        #expect(!setup.logger.has(.warning))
    }

    @Test func aWarningIsWrittenOnceForEachAttribute() throws {
        for _ in 0..<5 { #expect(try sent([1]) == nil) }
        try setup.client.track(eventKey: "purchase", userId: "u", attributes: ["size": Date(), "plan": [1]])
        _ = setup.user("ada", ["size": [1]]).decideAll()
        let warnings = setup.logger.journal.lines.filter { $0.hasPrefix("WARNING") }
        #expect(warnings.count == 2 && warnings[1].contains("size"))
    }

    @Test func unknownAttributesCauseNoWarning() throws {
        try setup.client.track(eventKey: "purchase", userId: "u", attributes: ["unknown": Date(), "more": [1]])
        #expect(!setup.logger.has(.warning))
    }

    @Test func impressionsTreatAttributesTheSame() throws {
        let attributes: [String: Any] = ["plan": "gold", "size": Double.infinity, "unknown": 1, "$opt_x": true]
        _ = setup.user("ada", attributes).decide(key: "tested")
        _ = try setup.client.activate(experimentKey: "ab", userId: "ada", attributes: attributes)
        for visitor in setup.visitors() {
            let keys = (visitor["attributes"] as? [[String: Any]])?.compactMap { $0["key"] as? String } ?? []
            #expect(Set(keys) == ["plan", "$opt_x"])
        }
        #expect(setup.dispatcher.events.count == 2)
    }

    @Test(arguments: [false, true]) func nestedValuesAreNotInspected(_ isList: Bool) throws {
        // Releasing such a value needs a deep stack, too.
        let (client, failures) = (setup.client, Counter())
        let thread = Thread {
            var value: Any = 1
            for _ in 0..<100_000 { value = isList ? [value] : ["a": value] }
            let user = client.createUserContext(userId: "ada", attributes: ["plan": value])
            user.setAttribute(key: "size", value: value)
            if !user.decide(key: "tested").enabled { failures.add() }
            if (try? user.trackEvent(eventKey: "purchase", eventTags: ["deep": value])) == nil { failures.add() }
            client.close()
            failures.add(-100)
        }
        thread.stackSize = 1 << 30
        thread.start()
        try waitBlocking("the end of the thread") { thread.isFinished }
        #expect(failures.value == -100 && setup.dispatcher.events.count == 2)
    }

    @Test func hugeValuesDoNotTrap() {
        var doubled: Any = 1
        for _ in 0..<40 { doubled = [doubled, doubled] }
        #expect(AttributeValue(anyValue: doubled) != .null)
        // Foundation's collections are converted like Swift's.
        #expect(AttributeValue(anyValue: NSDictionary(dictionary: ["a": 1])) == .object(["a": .integer(1)]))
    }
}

private final class Plain: CustomStringConvertible {
    var description: String { "secret" }
}

private enum Kind { case one }
