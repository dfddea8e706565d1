/// Hooks see and change decisions and events.
@Suite struct HookTests {
    private let sent = RecordedEvents()

    private func client(_ hooks: ClientHook...) -> FlagClient {
        FlagClient.scripted(
            Script(
                .always("a", "1"), .off("b"), .when("eve", "a", "2"), .event("purchase"), .attribute("plan"),
                .attribute("email")), recording: sent, configuration: .quiet { $0.hooks = hooks })
    }

    private static func before(_ body: @escaping @Sendable (inout DecisionRequest) -> Void) -> ClientHook {
        var hook = ClientHook()
        hook.beforeDecision = body
        return hook
    }

    private static func event(_ body: @escaping @Sendable (ClientEvent) -> ClientEvent?) -> ClientHook {
        var hook = ClientHook()
        hook.beforeEvent = body
        return hook
    }

    @Test func eachCallOfTheClientIsSeen() async throws {
        let (requests, decisions) = (Collected<[String]?>(), Collected<String>())
        var hook = Self.before { requests.add($0.flagKeys) }
        hook.afterDecision = { decision, user in decisions.add("\(user.id) \(decision.flagKey)") }
        let ada = client(hook).user("ada")
        _ = ada.decide("a")
        _ = ada.decide(["b", "a"])
        _ = ada.decideAll(options: .enabledFlagsOnly)
        _ = await ada.decide("missing", within: .seconds(30))
        _ = await ada.decide(["a"], within: .seconds(30))
        _ = await ada.decideAll(within: .seconds(30))
        _ = ada.explain("a")
        #expect(requests.all == [["a"], ["b", "a"], nil, ["missing"], ["a"], nil, ["a"]])
        #expect(decisions.all == ["a", "b", "a", "a", "b", "missing", "a", "a", "b"].map { "ada \($0)" })
    }

    @Test func requestsCanBeChanged() async throws {
        let hook = Self.before { request in
            request.user.attributes["plan"] = "gold"
            request.user.forcedDecisions[DecisionContext(flag: "a")] = "2"
            request.options.insert(.includeReasons)
        }
        let ada = client(hook).user("ada")
        #expect(ada.decide("a").variationKey == "2" && !ada.decide("a").reasons.isEmpty)
        #expect(ada.decideAll()["a"]?.variationKey == "2")
        #expect(await ada.decide("a", within: .seconds(30)).variationKey == "2")
        #expect(sent.impressions.first?.attributes["plan"] == .string("gold"))
        #expect(ada.attributes.isEmpty)
    }

    @Test func hooksAreNestedInTheirOrder() {
        let steps = Collected<String>()
        let hooks = ["outer", "inner"].map { name in
            var hook = Self.before { _ in steps.add("before \(name)") }
            hook.afterDecision = { _, _ in steps.add("after \(name)") }
            return hook
        }
        _ = client(hooks[0], hooks[1]).user("ada").decide("a")
        #expect(steps.all == ["before outer", "before inner", "after inner", "after outer"])
    }

    @Test func eventsCanBeRedacted() async throws {
        let client = client(
            Self.event { event in
                var event = event
                event.user.attributes["email"] = nil
                event.tags["note"] = nil
                return event
            })
        let ada = client.user("ada", attributes: ["email": "ada@example.com", "plan": "gold"])
        _ = ada.decide("a")
        _ = ada.decideAll()
        _ = await ada.decide("a", within: .seconds(30))
        try ada.track("purchase", tags: ["revenue": 1, "note": "secret"])
        try await ada.track("purchase", tags: ["note": "secret"], within: .seconds(30))
        #expect(sent.all.count == 6)
        for event in sent.all {
            let text = String(decoding: event.visitor, as: UTF8.self)
            #expect(!text.contains("ada@") && !text.contains("secret") && text.contains("gold"))
        }
    }

    @Test func droppedEventsReachNeitherTheStoreNorListeners() async throws {
        let (kinds, heard) = (Collected<ClientEvent.Kind>(), Collected<ClientNotification>())
        let client = client(
            Self.event {
                kinds.add($0.kind)
                return nil
            })
        client.addListener(to: [.impressions, .conversions]) { heard.add($0) }
        let ada = client.user("ada")
        #expect(ada.decide("a").isEnabled && ada.decideAll().count == 2)
        try ada.track("purchase")
        try await ada.track("purchase", within: .seconds(30))
        #expect(throws: TrackError.unknownEvent("typo")) { try ada.track("typo") }
        await client.close()
        #expect(kinds.count == 5 && kinds.all.last == .conversion(eventKey: "purchase"))
        #expect(sent.all.isEmpty && heard.all.isEmpty && client.lostEvents.total == 0)
    }

    @Test func eventsAreSeenAfterTheyWereQueued() async throws {
        let counts = Collected<Int>()
        var hook = ClientHook()
        hook.afterEvent = { [sent] _ in counts.add(sent.count) }
        let ada = client(hook).user("ada")
        _ = ada.decide("a")
        try ada.track("purchase")
        _ = ada.decideAll()
        #expect(counts.all == [1, 2, 4, 4])
    }
}
