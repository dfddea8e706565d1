/// Payloads are well formed for any arguments, and the valid parts of an event arrive.
@Suite(.blocking) struct FuzzTests {
    private let network: TestNetwork

    init() throws { network = try TestNetwork() }

    /// The events that have arrived, without repetitions. Closing the client would wait for some seconds only, and on a
    /// busy machine a late response causes a repetition.
    private func arrived(_ count: Int, by dispatcher: DefaultEventDispatcher) async throws -> [SentEvent] {
        var events: [String: SentEvent] = [:]
        try await wait("\(count) events") {
            dispatcher.flushEvents()
            events = Dictionary(try network.events().map { ($0.uuid, $0) }) { first, _ in first }
            return events.count >= count
        }
        return Array(events.values)
    }

    private static func nested(_ depth: Int) -> Any { (0..<depth).reduce(1 as Any) { inner, _ in ["a": [inner]] } }

    /// Unusual values, created for each use because few are `Sendable`.
    private static func unusualValues() -> [(name: String, value: Any)] {
        [
            ("nan", Double.nan), ("inf", Double.infinity), ("-inf", -Double.infinity), ("huge", 1e30),
            ("float nan", Float.nan), ("float", Float(0.1)), ("tiny", Double.leastNonzeroMagnitude),
            ("greatest", Double.greatestFiniteMagnitude), ("-0", -0.0), ("unsigned", UInt64.max), ("min", Int64.min),
            ("2^53+1", 9_007_199_254_740_993), ("byte", UInt8.max), ("bool", true), ("NSNumber", NSNumber(value: 1)),
            ("NSNumber bool", NSNumber(value: true)), ("NSNull", NSNull()), ("nil", Int?.none as Any),
            ("date", Date(timeIntervalSince1970: 1)), ("data", Data([1, 2])), ("no url", "" as Any),
            ("object", NSObject()), ("deep", nested(30)), ("deeper", nested(5_000)),
            ("list", [1, "a", Double.nan, Date()]),
            ("map", ["a": 1, "b": Double.nan, "c": [:] as [String: Any]] as [String: Any]), ("numbers", [1: 2]),
            ("tuple", (1, 2)), ("empty", ""), ("emoji", "👩🏽‍🚀🇪🇺\u{0}\u{7}\u{2028}\"\\/é"),
            ("long", String(repeating: "ä", count: 10_000)),
            ("decimal", Decimal(1.5)), ("character", Character("x")), ("substring", "abc".dropFirst()),
        ]
    }

    @Test func unusualTagValuesDoNotAffectOthers() async throws {
        let dispatcher = network.make { DefaultEventDispatcher(backingStore: .memory) }
        let client = try network.started(dispatcher: dispatcher)
        let values = Self.unusualValues()
        for (name, value) in values {
            for tag in ["revenue", "value", "note", "", "$opt_event_properties"] {
                try client.track(eventKey: "purchase", userId: name, eventTags: [tag: value, "sane": "yes"])
            }
        }
        let events = try await arrived(5 * values.count, by: dispatcher)
        #expect(events.count == 5 * values.count)
        #expect(events.allSatisfy { $0.content["tags"]?["sane"] == .string("yes") })
        let revenue = Dictionary(
            events.filter { $0.content["tags"]?["revenue"] != nil }.map { ($0.user, $0.content["revenue"]) }
        ) { $1 }
        #expect(revenue["nan"] == nil && revenue["inf"] == nil && revenue["date"] == nil)
        #expect(revenue["huge"] == .some(nil), "a tag, but no amount")
        #expect(revenue["min"] == .integer(.min) && revenue["2^53+1"] == .integer(9_007_199_254_740_993))
    }

    @Test func unusualAttributeValuesDoNotAffectOthers() async throws {
        let dispatcher = network.make { DefaultEventDispatcher(backingStore: .memory) }
        let client = try network.started(dispatcher: dispatcher)
        let values = Self.unusualValues()
        for (name, value) in values {
            let attributes: [String: Any] = ["plan": value, "age": 1, "": value, "$opt_odd": value, "unknown": value]
            try client.track(eventKey: "purchase", userId: name, attributes: attributes)
            _ = client.createUserContext(userId: name, attributes: attributes).decide(key: "tested")
        }
        let events = try await arrived(2 * values.count, by: dispatcher)
        #expect(events.count == 2 * values.count)
        #expect(events.allSatisfy { $0.attributes["age"] == .integer(1) && $0.attributes["unknown"] == nil })
        #expect(events.allSatisfy { $0.attributes["$opt_bot_filtering"] == .bool(true) })
        let plans = Dictionary(events.map { ($0.user, $0.attributes["plan"]) }) { $1 }
        for name in ["nan", "inf", "date", "list", "map", "deeper"] { #expect(plans[name] == .some(nil), "\(name)") }
        #expect(plans["bool"] == .bool(true) && plans["byte"] == .integer(255) && plans["empty"] == .string(""))
    }

    @Test(arguments: 0..<4) func randomValuesDoNotAffectOthers(seed: UInt64) async throws {
        let random = SeededRandomSource(seed: seed)
        let (old, new) = (try network.started(), try network.client())
        for _ in 0..<60 {
            let user = RandomValue.text(random)
            let value = RandomValue.value(random)
            var (tags, attributes) = ([RandomValue.text(random): value], Attributes())
            tags["revenue"] = RandomValue.value(random)
            tags["value"] = RandomValue.value(random)
            attributes["plan"] = value
            try new.user(user, attributes: attributes).track("purchase", tags: tags)
            _ = new.user(user, attributes: attributes).decide("tested")
            try old.track(
                eventKey: "purchase", userId: user, attributes: ["plan": RandomValue.any(value)],
                eventTags: tags.mapValues { RandomValue.any($0) })
        }
        await new.flush()
        try await old.closed()
        #expect(try network.events().count == 180, "seed \(seed)")
    }

    @Test func aLargeTagIsSentUnchanged() async throws {
        // A separate server, so that other tests need not search these bodies.
        let network = TestNetwork(on: try LoopbackServer())
        let text = String(repeating: "0123456789abcdé", count: 1 << 16)
        let (old, new) = (try network.started(), try network.client())
        try old.track(eventKey: "purchase", userId: "ada", eventTags: ["note": text])
        for user in ["a", "b", "c", "d"] { try new.user(user).track("purchase", tags: ["note": .string(text)]) }
        try await old.closed()
        await new.flush()
        let payloads = try network.payloads(Address.us)
        #expect(payloads.flatMap(\.events).allSatisfy { $0.content["tags"]?["note"] == .string(text) })
        #expect(payloads.flatMap(\.events).count == 5)
        #expect(
            try network.requests(Address.us).allSatisfy { $0.body.count < 3_500_000 },
            "larger requests are not accepted")
    }

    @Test func unusualUsersAndKeysAreSentUnchanged() async throws {
        let client = try network.started()
        let users = ["", " ", "\n", "👩🏽‍🚀", "\"},{\"", String(repeating: "x", count: 100_000), "null", "a\u{0}b"]
        for user in users {
            try client.track(eventKey: "purchase", userId: user)
            #expect(throws: OptimizelyError.self) { try client.track(eventKey: user, userId: user) }
        }
        try await client.closed()
        #expect(try network.events().map(\.user) == users)
    }
}

/// Random values from a seed.
private enum RandomValue {
    static func text(_ random: some RandomSource) -> String {
        let pieces = ["a", "\"", "\\", "\n", "é", "👩🏽‍🚀", "\u{0}", "{", "]", ",", "\u{FEFF}", "\u{2029}", "revenue"]
        return (0..<random.next() % 6).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
    }

    static func value(_ random: some RandomSource, depth: Int = 0) -> AttributeValue {
        switch random.next() % (depth > 5 ? 8 : 11) {
        case 0: .integer(Int64(bitPattern: random.next()))
        case 1: .double(Double(bitPattern: random.next()))
        case 2: .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
        case 3: .bool(random.next() % 2 == 0)
        case 4: .null
        case 5: .opaque(description: text(random), isNull: random.next() % 2 == 0)
        case 6: .double([.nan, .infinity, -.infinity, 1e30, 1e308, -0.0, 9.3e18][Int(random.next() % 7)])
        case 7, 8: .string(text(random))
        case 9: .array((0..<random.next() % 4).map { _ in value(random, depth: depth + 1) })
        default:
            .object(
                Dictionary((0..<random.next() % 4).map { _ in (text(random), value(random, depth: depth + 1)) }) { $1 })
        }
    }

    /// The value in the types of the facade.
    static func any(_ value: AttributeValue) -> Any {
        switch value {
        case .string(let value): value
        case .integer(let value): value
        case .double(let value): value
        case .float(let value): value
        case .bool(let value): value
        case .array(let values): values.map { any($0) }
        case .object(let members): members.mapValues { any($0) }
        case .null: NSNull()
        case .opaque: Date(timeIntervalSince1970: 0)
        }
    }
}
