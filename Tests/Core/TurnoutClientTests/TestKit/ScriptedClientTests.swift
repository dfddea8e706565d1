/// Scripted clients, for tests of apps, decide as the script says.
@Suite struct ScriptedClientTests {
    @Test func allUsersGetTheScriptedVariation() {
        let client = FlagClient.scripted(
            .always("checkout", "variation_b"), .always("search", "by_sales", variables: ["steps": 1]),
            .off("dark_mode"), .when("ada", "checkout", "control"))
        for user in (0..<100).map({ client.user("user \($0)") }) {
            #expect(user.decide("checkout").variationKey == "variation_b")
            #expect(user.decide("checkout").isEnabled)
            #expect(user.decide("search").variables.integer("steps") == 1)
            #expect(!user.decide("dark_mode").isEnabled)
            #expect(user.decide("dark_mode").variationKey == "off")
        }
        #expect(client.user("ada").decide("checkout").variationKey == "control")
        #expect(client.user("ada").decide("search").variationKey == "by_sales")
        #expect(client.user("ada").decide("unknown").stage == .flagNotFound)
        #expect(client.user("ada").decideAll().keys.sorted() == ["checkout", "dark_mode", "search"])
    }

    @Test func literalsDefineTheTypesOfVariables() {
        let client = FlagClient.scripted(
            .always(
                "flag", "on",
                variables: ["i": 1, "d": 1.0, "b": true, "s": "1", "j": ["a": [1, "x", nil], "b": ["c": true]]]))
        let variables = client.user("ada").decide("flag").variables
        #expect(variables["i"] == .integer(1))
        #expect(variables["d"] == .double(1))
        #expect(variables["b"] == .boolean(true))
        #expect(variables["s"] == .string("1"))
        #expect(
            variables["j"]
                == .json(["a": .array([.integer(1), .string("x"), .null]), "b": .object(["c": .bool(true)])]))
    }

    @Test func variablesHaveDefaults() {
        let client = FlagClient.scripted(
            .always("flag", "a", variables: ["steps": 1, "title": "one", "json": ["a": 1]]),
            .when("ada", "flag", "b"), .when("eve", "flag", "c", variables: ["steps": 2]),
            .defaults("flag", ["steps": 3]), .off("dark", variables: ["theme": "light"]))
        func variables(_ user: String) -> Variables { client.user(user).decide("flag").variables }
        #expect(variables("ada").integer("steps") == 3)
        #expect(variables("ada").string("title") == "")
        #expect(variables("ada").json("json") == [:])
        #expect(variables("eve").integer("steps") == 2)
        #expect(variables("bob").integer("steps") == 1)
        #expect(client.user("ada").decide("dark").variables.string("theme") == "light")
    }

    @Test func flagsOfFewUsersAreOffForOthers() {
        let sent = RecordedEvents()
        let client = FlagClient.scripted(.when("ada", "flag", "on"), recording: sent)
        #expect(client.user("ada").decide("flag").isEnabled)
        #expect(!client.user("bob").decide("flag").isEnabled)
        #expect(client.user("bob").decide("flag").variationKey == nil)
        #expect(sent.impressions.map(\.userID) == ["ada"])
    }

    @Test func splitsSpreadUsers() {
        let client = FlagClient.scripted(.split("flag", between: "a", "b", "c"))
        var counts: [String?: Int] = [:]
        for number in 0..<3_000 { counts[client.user("\(number)").decide("flag").variationKey, default: 0] += 1 }
        #expect(counts.count == 3)
        #expect(counts.values.allSatisfy { (900...1_100).contains($0) })
    }

    @Test func sentEventsAreRecorded() throws {
        let sent = RecordedEvents()
        var configuration = ClientConfiguration()
        configuration.wallClock = .fixed(1_767_225_600_123)
        let client = FlagClient.scripted(
            .always("checkout", "b"), .off("dark"), .event("purchase"), .attribute("plan"), recording: sent,
            configuration: configuration)
        let ada = client.user("ada", attributes: ["plan": "gold", "age": 36])
        _ = ada.decide("checkout")
        _ = ada.decide("dark")
        try ada.track("purchase", tags: ["revenue": 4_250, "value": 2.5, "size": "m"])
        #expect(sent.impressions.map(\.flagKey) == ["checkout", "dark"])
        #expect(sent.impressions.map(\.variationKey) == ["b", "off"])
        #expect(sent.impressions.map(\.isEnabled) == [true, false])
        #expect(sent.impressions.map(\.ruleKey) == ["checkout", "dark"])
        #expect(sent.impressions.allSatisfy { $0.ruleType == "feature-test" && $0.userID == "ada" })
        #expect(sent.impressions.first?.attributes == ["plan": .string("gold")])
        let conversion = try #require(sent.conversions.first)
        #expect(conversion.eventKey == "purchase" && conversion.userID == "ada")
        #expect(conversion.revenue == 4_250 && conversion.value == 2.5)
        #expect(conversion.tags == ["revenue": .integer(4_250), "value": .double(2.5), "size": .string("m")])
        #expect(conversion.timestamp == 1_767_225_600_123)
        #expect(Set(sent.impressions.map(\.uuid) + [conversion.uuid]).count == 3)
        #expect(throws: TrackError.unknownEvent("refund")) { try ada.track("refund") }
    }

    @Test func recordsRemainAfterDelivery() async {
        let sent = RecordedEvents()
        let client = FlagClient.scripted(
            .always("checkout", "b"), recording: sent, configuration: .quiet { $0.transport = .memory })
        _ = client.user("ada").decide("checkout")
        await client.flush()
        #expect(sent.count == 0)
        #expect(sent.impressions.count == 1)
        sent.forget()
        #expect(sent.impressions.isEmpty)
    }

    @Test func laterLinesWin() {
        let client = FlagClient.scripted(
            .off("flag"), .always("flag", "a"), .when("ada", "flag", "x"), .when("ada", "flag", "y"))
        #expect(client.user("bob").decide("flag").variationKey == "a")
        #expect(client.user("ada").decide("flag").variationKey == "y")
    }

    @Test func scriptedClientsSupportAllFeatures() throws {
        let client = FlagClient.scripted(Script(.always("checkout", "a"), .when("eve", "checkout", "b")))
        #expect(client.forceVariation("b", inExperiment: "checkout", forUser: "ada"))
        #expect(client.user("ada").decide("checkout").variationKey == "b")
        var bob = client.user("bob")
        bob.forcedDecisions[DecisionContext(flag: "checkout")] = "b"
        #expect(bob.decide("checkout").variationKey == "b")
        var next = Script(.always("checkout", "c"))
        next.revision = "2"
        #expect(try client.update(to: next.datafile))
        #expect(client.user("eve").decide("checkout").variationKey == "c")
    }

    @Test func contradictionsAreIssues() {
        withKnownIssue {
            _ = Script(.always("f", "a", variables: ["v": 1]), .when("u", "f", "b", variables: ["v": "1"])).datafile
        }
        withKnownIssue { _ = Script(.always("f", "a", variables: ["v": [1, 2]])).datafile }
        withKnownIssue { _ = Script(.always("f", "a", variables: ["v": .double(.nan)])).datafile }
    }

    @Test func unusualKeysAreKept() {
        let key = "a\"b\\c\n\u{0}é🙂"
        let client = FlagClient.scripted(.always(key, key, variables: [key: .string(key)]), .when(key, key, "x"))
        let decision = client.user("ada").decide(key)
        #expect(decision.variationKey == key && decision.variables.string(key) == key)
        #expect(client.user(key).decide(key).variationKey == "x")
    }
}
