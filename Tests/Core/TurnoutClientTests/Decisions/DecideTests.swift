/// A client decides as its datafile says, and always returns a decision.
@Suite struct DecideTests {
    private let sent = RecordedEvents()

    @Test func decisionsAreThoseOfTheDatafile() throws {
        let (client, project) = (try ExampleShop.client(), try Project(datafile: ExampleShop.datafile))
        for number in 0..<200 {
            let user = User("user \(number)", attributes: ["country": "US", "orders": .integer(Int64(number % 9))])
            for flag in project.flags {
                let (actual, expected) = (client.decide(flag.key, for: user), project.decide(flag.key, for: user))
                #expect(actual.variationKey == expected.variationKey && actual.ruleKey == expected.ruleKey)
                #expect(actual.stage == expected.stage && actual.isEnabled == expected.isEnabled)
            }
        }
    }

    @Test func nothingIsReadyWithoutADatafile() async {
        let client = FlagClient(.quiet())
        let ada = client.user("ada")
        #expect(client.project == nil)
        #expect(ada.decide("checkout_redesign").stage == .notReady)
        #expect(ada.decide("checkout_redesign").reasons == [.notReady])
        #expect(await ada.decide("checkout_redesign", within: .seconds(30)).stage == .notReady)
        #expect(ada.decideAll().isEmpty)
        #expect(await ada.decideAll(within: .seconds(30)).isEmpty)
        #expect(ada.decide(["checkout_redesign"]).isEmpty)
        #expect(ada.explain("checkout_redesign") == nil)
        #expect(throws: TrackError.notReady) { try ada.track("purchase") }
        await #expect(throws: SegmentError.self) { try await client.segments(of: "ada") }
        #expect(!client.forceVariation("control", inExperiment: "checkout_test", forUser: "ada"))
        #expect(client.forcedVariation(inExperiment: "checkout_test", forUser: "ada") == nil)
    }

    @Test func unknownFlagsAreErrorsAndSendNothing() async {
        let client = FlagClient.scripted(.always("known", "a"), recording: sent)
        let decision = client.user("ada").decide("unknown")
        #expect(decision.stage == .flagNotFound && decision.isError && !decision.isEnabled)
        #expect(decision.flagKey == "unknown")
        #expect(decision.reasons == [.flagNotFound(flag: "unknown")])
        #expect(await client.user("ada").decide("unknown", within: .seconds(30)).stage == .flagNotFound)
        #expect(sent.all.isEmpty)
    }

    @Test func severalFlagsAreDecidedInTheGivenOrder() async throws {
        let client = FlagClient.scripted(.always("a", "1"), .always("b", "2"), .always("c", "3"), recording: sent)
        let ada = client.user("ada")
        #expect(ada.decide(["c", "a"]).mapValues(\.variationKey) == ["c": "3", "a": "1"])
        #expect(sent.impressions.map(\.flagKey) == ["c", "a"])
        sent.forget()
        #expect(await ada.decide(["b", "a"], within: .seconds(30)).count == 2)
        #expect(sent.impressions.map(\.flagKey) == ["b", "a"])
        sent.forget()
        #expect(ada.decideAll().count == 3)
        #expect(sent.impressions.map(\.flagKey) == ["a", "b", "c"])
        #expect(ada.decide([]).isEmpty)
        #expect(await ada.decide([], within: .seconds(30)).isEmpty)
    }

    @Test func aLimitDoesNotChangeTheDecision() async throws {
        let client = try ExampleShop.client()
        let keys = try #require(client.project).flags.map(\.key)
        for number in 0..<50 {
            let ada = client.user("user \(number)", attributes: ["country": "CA"])
            let (now, later) = (ada.decideAll(), await ada.decideAll(within: .seconds(30)))
            #expect(now.mapValues(\.variationKey) == later.mapValues(\.variationKey))
            for key in keys {
                #expect(await ada.decide(key, within: .seconds(30)).variationKey == now[key]?.variationKey)
            }
        }
    }

    @Test func optionsOfTheCallAndTheClientAreCombined() {
        let lines = Script(.always("on", "a", variables: ["v": 1]), .off("off"))
        let client = FlagClient.scripted(
            lines, recording: sent, configuration: .quiet { $0.defaultOptions = [.disableDecisionEvent] })
        let ada = client.user("ada")
        #expect(ada.decide("on").variables.integer("v") == 1)
        #expect(ada.decide("on", options: .excludeVariables).variables.all.isEmpty)
        #expect(ada.decide("on").reasons.isEmpty)
        #expect(!ada.decide("on", options: .includeReasons).reasons.isEmpty)
        #expect(ada.decideAll(options: .enabledFlagsOnly).keys.sorted() == ["on"])
        #expect(ada.decide(["off", "on"], options: .enabledFlagsOnly).keys.sorted() == ["on"])
        #expect(sent.all.isEmpty)
        #expect(ada.decide("on", options: .includeReasons).options == [.includeReasons, .disableDecisionEvent])
    }

    /// Flags that are left out of the result are decided and sent all the same.
    @Test func impressionsOfFilteredFlagsAreSent() async {
        let client = FlagClient.scripted(.off("off"), .always("on", "a"), recording: sent)
        #expect(client.user("ada").decideAll(options: .enabledFlagsOnly).count == 1)
        #expect(sent.impressions.map(\.flagKey) == ["off", "on"])
        #expect(await client.user("ada").decide("off", within: .seconds(30), options: .enabledFlagsOnly).flag != nil)
    }

    @Test func explainingHasNoSideEffects() throws {
        let (sent, profiles) = (RecordedEvents(), MemoryProfileStore())
        let client = try ExampleShop.client {
            $0.eventStore = sent
            $0.profiles = profiles
        }
        let received = Collected<NotificationKinds>()
        client.addListener { received.add($0.kind) }
        let trace = try #require(client.user("ada", attributes: ["country": "US"]).explain("checkout_redesign"))
        #expect(trace.decision.flag?.key == "checkout_redesign" && !trace.stages.isEmpty)
        #expect(sent.all.isEmpty && profiles.count == 0 && received.all.isEmpty)
    }

    @Test func contextsAreValues() {
        let client = FlagClient.scripted(.always("flag", "a"))
        let ada = client.user("ada", attributes: ["plan": "gold"])
        var copy = ada
        copy.attributes["plan"] = "silver"
        copy.segments = ["x"]
        copy.forcedDecisions[DecisionContext(flag: "flag")] = "b"
        #expect(ada.attributes["plan"] == "gold" && ada.segments.isEmpty && ada.forcedDecisions.isEmpty)
        #expect(copy.id == "ada" && copy.attributes["plan"] == "silver")
    }

    @Test func usersShareTheStateOfTheirClient() throws {
        var client: FlagClient? = try FlagClient(datafile: UpdateTests.datafile("1"), .quiet())
        let users = try (0..<200).map { try #require(client).user("\($0)") }
        try client?.update(to: UpdateTests.datafile("2"))
        let received = Collected<String>()
        client?.addListener { if case .decision(let decision, _) = $0 { received.add(decision.flagKey) } }
        client = nil
        for user in users {
            #expect(user.client.status.revision == "2" && user.decide("flag").variationKey == "variation 2")
        }
        try waitBlocking("the listener is called for each decision") { received.count == users.count }
    }
}
