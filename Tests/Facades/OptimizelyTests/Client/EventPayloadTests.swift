/// The arguments of activate and track listeners, and of dispatchers.
@Suite(.ownThread) struct EventPayloadTests {
    private let setup: TestSetup
    private let received = RecordedNotifications()
    private var client: OptimizelyClient { setup.client }

    init() throws {
        var environment = HostEnvironment.withManualClock
        environment.wallClock = .fixed(1_700_000_000_123)
        environment.random = .seeded(1)
        setup = try TestSetup(environment: environment)
        received.listen(to: setup.center)
    }

    @Test func anActivation() throws {
        _ = try client.activate(experimentKey: "ab", userId: "ada", attributes: ["plan": "gold", "x": nil])
        setup.settle()
        let activation = try #require(received.activations.first)
        #expect(received.activations.count == 1)
        #expect(activation.experiment as? [String: String] == ["key": "ab", "id": "1"])
        #expect(activation.variation as? [String: String] == ["key": "on", "id": "11"])
        #expect(activation.user == "ada" && activation.attributes?.count == 2)
        #expect(Set(activation.event.keys) == ["url", "body"])
        let sent = try #require(setup.dispatcher.events.first)
        #expect(activation.event["url"] as? URL == sent.url && activation.event["body"] as? Data == sent.body)
        #expect(sent.url.absoluteString == "https://logx.optimizely.com/v1/events")
    }

    @Test func attributesThatWereNotPassedStayNil() throws {
        _ = try client.activate(experimentKey: "ab", userId: "ada")
        try client.track(eventKey: "purchase", userId: "ada")
        setup.settle()
        #expect(try #require(received.activations.first).attributes == nil)
        let conversion = try #require(received.conversions.first)
        #expect(conversion.attributes == nil && conversion.tags == nil)
    }

    @Test func aConversion() throws {
        let user = setup.user("ada", ["plan": "gold"])
        try user.trackEvent(eventKey: "purchase", eventTags: ["revenue": 420, "note": NSNull()])
        setup.settle()
        let conversion = try #require(received.conversions.first)
        #expect(conversion.key == "purchase" && conversion.user == "ada")
        #expect(conversion.attributes?["plan"] as? String == "gold")
        #expect(conversion.tags?.count == 2 && conversion.tags?["note"] is NSNull, "as passed")
        #expect(Set(conversion.event.keys) == ["url", "body"])
        #expect(conversion.event["body"] as? Data == setup.dispatcher.events.first?.body)
        #expect(received.decisions.isEmpty)
    }

    @Test func theDefaultNameAndVersionAreTheVendors() throws {
        let dispatcher = RecordingDispatcher()
        let other = OptimizelyClient(
            sdkKey: UUID().uuidString, eventDispatcher: dispatcher, datafileHandler: ScriptedHandler(),
            settings: OptimizelySdkSettings(sdkName: "shop", sdkVersion: "1.2"))
        try other.start(datafile: ShopDatafile.data)
        try other.track(eventKey: "purchase", userId: "u")
        other.close()
        try client.track(eventKey: "purchase", userId: "u")
        setup.settle()
        let texts = [dispatcher, setup.dispatcher].map {
            String(decoding: $0.events.first?.body ?? Data(), as: UTF8.self)
        }
        #expect(texts[0].contains(#""client_name":"shop","client_version":"1.2""#) && other.version == "1.2")
        #expect(texts[1].contains(#""client_name":"swift-sdk","client_version":"5.4.2""#) && client.version == "5.4.2")
    }
}
