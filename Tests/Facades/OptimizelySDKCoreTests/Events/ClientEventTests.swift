/// The events that clients send, and the notifications they post.
@Suite struct ClientEventTests {
    private let setup = TestSetup()

    @Test("A-38") func decisionNotificationsPrecedeActivations() throws {
        let client = try setup.client()
        let journal = setup.dispatcher.journal
        let center = try required(client.notificationCenter())
        center.addActivateNotificationListener { experiment, user, attributes, variation, event in
            journal.add("\(experiment.experimentKey) \(user) \(attributes == nil) \(variation.variationKey)")
            journal.add((event["visitors"] as? [Any])?.count == 1 ? "payload" : "nothing")
        }
        center.addDecisionNotificationListener { type, _, _, _ in journal.add(type) }
        client.activate("sticky", userId: "ada")
        #expect(journal.all == ["ab-test", "impression", "sticky ada true first", "payload"])
        client.activate("unknown", userId: "ada")
        #expect(journal.count == 4 && setup.errors.codes == [11])
    }

    @Test("A-41") func knownEventsAreSentAndUnknownOnesReported() throws {
        let client = try setup.client()
        let received = Collected<String>()
        client.notificationCenter()?.addTrackNotificationListener { key, user, attributes, tags, event in
            received.add("\(key) \(user) \(attributes?.count ?? 0) \(tags?.count ?? 0) \(event["account_id"] ?? "")")
        }
        client.track("purchase", userId: "ada", attributes: ["plan": "gold"], eventTags: ["revenue": 4_250])
        client.track("unknown", userId: "ada")
        client.track("", userId: "ada")
        #expect(setup.dispatcher.events.map(\.kind) == ["conversion"] && setup.errors.codes == [10, 10])
        #expect(received.all == ["purchase ada 1 1 99"])
    }

    @Test func allTrackingCallsAreEquivalent() throws {
        let client = try setup.client()
        client.track("purchase", userId: "ada")
        client.track("purchase", userId: "ada", attributes: ["plan": "gold"])
        client.track("purchase", userId: "ada", eventTags: ["value": 1])
        client.track("purchase", userId: "ada", attributes: nil, eventTags: nil)
        let known: any OptimizelyProtocol = client
        known.track("purchase", userId: "ada")
        known.track("purchase", userId: "ada", attributes: [:])
        known.track("purchase", userId: "ada", eventTags: [:])
        #expect(known.variation("sticky", userId: "ada") == known.activate("sticky", userId: "ada"))
        #expect(setup.dispatcher.events.map(\.kind) == Array(repeating: "conversion", count: 7) + ["impression"])
    }

    @Test func callersOfTheProtocolMayOmitAttributes() throws {
        let known: any OptimizelyProtocol = try setup.client()
        #expect(known.isFeatureEnabled("tested", userId: "ada") && known.getEnabledFeatures("ada").contains("tested"))
        #expect(known.getFeatureVariableInteger("tested", variableKey: "count", userId: "ada") == 7)
        #expect(known.getFeatureVariableString("tested", variableKey: "title", userId: "ada") == "abc")
        #expect(known.getFeatureVariableDouble("tested", variableKey: "junk double", userId: "ada") == 0)
        #expect(known.getFeatureVariableBoolean("tested", variableKey: "yes", userId: "ada") == true)
        let tags: [String: Any]? = nil
        known.track("purchase", userId: "ada", eventTags: tags)
        #expect(setup.dispatcher.events.last?.kind == "conversion")
        #expect([OptimizelyBucketId, OptimizelyBotFiltering] == ["$opt_bucketing_id", "$opt_bot_filtering"])
        #expect(OptimizelyUserAgent == "$opt_user_agent")
    }

    /// A client subclass of a program's tests.
    private final class Chosen: OPTLYClient, @unchecked Sendable {
        private var features: Set<String> = ["mine"]

        override func isFeatureEnabled(_ featureKey: String?, userId: String?, attributes: [String: Any]?) -> Bool {
            featureKey.map { features.contains($0) } ?? false
        }
    }

    @Test func clientsCanBeSubclassed() {
        let client: OPTLYClient = setup.make {
            Chosen(builder: OPTLYClientBuilder { $0.datafile = OldDatafile().data })
        }
        #expect(client.isFeatureEnabled("mine", userId: "ada") && !client.isFeatureEnabled("tested", userId: "ada"))
        #expect(client.activate("sticky", userId: "ada")?.variationKey == "first")
    }

    @Test func impressionsHaveTheirOldForm() throws {
        try setup.client().activate("sticky", userId: "ada", attributes: ["plan": "gold", "unknown": 1])
        let payload = try required(setup.dispatcher.events.first?.payload)
        #expect(payload["client_name"] == .string("ios-sdk") && payload["client_version"] == .string("3.1.5"))
        #expect(payload["anonymize_ip"] == .bool(true) && payload["enrich_decisions"] == .bool(true))
        #expect(payload["region"] == nil && payload["revision"] == .string("1"))
        let visitor = try required(payload["visitors"]?.elements.first)
        #expect(visitor["attributes"]?.elements.map { $0["shouldIndex"] } == [.bool(true), .bool(true)])
        #expect(visitor["attributes"]?.elements.map { $0["key"]?.text } == ["plan", "$opt_bot_filtering"])
        let snapshot = try required(setup.dispatcher.snapshot)
        #expect(snapshot["decisions"]?.elements.map { $0["metadata"] } == [nil])
        #expect(snapshot["events"]?.elements.first?["key"] == .string("campaign_activated"))
        #expect(snapshot["events"]?.elements.first?["entity_id"] == .string("501"))
    }

    @Test func tagsAreTextsAndNumbers() throws {
        try setup.client().track(
            "purchase", userId: "ada",
            eventTags: ["revenue": "4250", "value": "1.5", "flag": true, "list": [1], "note": "text", "count": 3])
        let event = try required(setup.dispatcher.snapshot?["events"]?.elements.first)
        #expect(event["revenue"] == .integer(4_250) && event["value"] == .double(1.5))
        #expect(event["tags"]?["note"] == .string("text") && event["tags"]?["count"] == .integer(3))
        #expect(event["tags"]?["flag"] == nil && event["tags"]?["list"] == nil)
        #expect(setup.logger.texts(.warning).count == 3)
        let warning = "the tag revenue is a text, not a whole number: any fraction is dropped"
        #expect(setup.logger.texts(.warning).contains(warning))
    }

    /// The only event of a conversion with these tags.
    private func conversion(_ tags: [String: Any]) throws -> JSONValue {
        try setup.client().track("purchase", userId: "ada", eventTags: tags)
        return try required(setup.dispatcher.snapshot?["events"]?.elements.first)
    }

    @Test func allNumbersAreNumbers() throws {
        let fraction = try required(Decimal(string: "19.99"))
        let optional: Decimal? = fraction
        let event = try conversion([
            "revenue": Decimal(4_250), "value": fraction, "ns": NSDecimalNumber(decimal: fraction),
            "graphics": CGFloat(1.5), "optional": optional as Any, "none": Decimal.nan, "small": Float(0.5),
        ])
        #expect(event["revenue"] == .integer(4_250) && event["value"] == .double(19.99))
        #expect(event["tags"]?["ns"] == .double(19.99) && event["tags"]?["graphics"] == .double(1.5))
        #expect(event["tags"]?["optional"] == .double(19.99) && event["tags"]?["none"] == nil)
        let amounts: [(Any, Int64)] = [
            (NSDecimalNumber(value: 12), 12), (try required(Decimal(string: "12.75")), 12), (CGFloat(5.5), 5),
        ]
        for (amount, revenue) in amounts {
            #expect(try conversion(["revenue": amount])["revenue"] == .integer(revenue), "\(amount)")
        }
    }

    @Test func fractionalRevenueIsReported() throws {
        for revenue in [12.5, .nan, .infinity] { _ = try conversion(["revenue": revenue]) }
        _ = try conversion(["revenue": Float.nan])
        let (fraction, none) = ("the fraction is dropped", "it is sent without an amount")
        #expect(
            setup.logger.texts(.warning).filter { $0.hasPrefix("the tag revenue") }
                == [fraction, none, none, none].map { "the tag revenue is not a whole number: \($0)" })
    }

    @Test(
        arguments: [
            ("12.5", 12), (" 5 ", 5), ("-7", -7), ("+8", 8), ("42 EUR", 42), ("99999999999999999999", .max),
            ("abc", nil), ("", nil), ("-", nil), (".5", 0),
        ] as [(String, Int64?)])
    func revenueMayBeAText(text: String, revenue: Int64?) throws {
        let event = try conversion(["revenue": text])
        #expect(event["revenue"] == revenue.map { .integer($0) })
    }

    @Test(
        arguments: [(" 1.5 ", 1.5), ("1.5 EUR", 1.5), ("-2e3x", -2_000), ("7e", 7), ("abc", nil), ("nan", nil)]
            as [(String, Double?)])
    func theValueMayBeAText(text: String, value: Double?) throws {
        let event = try conversion(["value": text])
        #expect(event["value"].map { "\($0)" } == value.map { "\(JSONValue.double($0))" })
    }

    @Test func allNumbersAreNumbersToAudiences() throws {
        var datafile = OldDatafile(isForGold: true)
        datafile.audience = #"["or", {"type": "custom_attribute", "name": "plan", "match": "gt", "value": 18}]"#
        let client = try setup.client(datafile)
        let fraction = try required(Decimal(string: "18.5"))
        for (value, isIn) in [
            (fraction, true), (NSDecimalNumber(decimal: fraction), true), (CGFloat(19), true), (Decimal(18), false),
        ] as [(Any, Bool)] {
            let user = "\(type(of: value)) \(value)"
            let variation = client.variation("sticky", userId: user, attributes: ["plan": value])
            #expect((variation != nil) == isIn, "\(value)")
        }
    }

    @Test("A-44") func aListenerIsRemovedOnce() throws {
        let client = try setup.client()
        let center = try required(client.notificationCenter())
        let received = Collected<String>()
        let id = center.addDecisionNotificationListener { type, _, _, _ in received.add(type) }
        #expect(id == 1 && center.notificationId == 1)
        #expect(center.removeNotificationListener(UInt(id)))
        #expect(!center.removeNotificationListener(UInt(id)))
        center.addActivateNotificationListener { _, _, _, _, _ in received.add("activate") }
        center.addTrackNotificationListener { _, _, _, _, _ in received.add("track") }
        center.clearNotificationListeners(.activate)
        client.activate("sticky", userId: "ada")
        client.track("purchase", userId: "ada")
        center.clearAllNotificationListeners()
        client.track("purchase", userId: "ada")
        #expect(received.all == ["track"])
    }
}
