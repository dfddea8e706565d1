/// Users can be forced into variations, for one decision or for the life of the client.
@Suite struct ForcingTests {
    private static let script = Script(
        .always("checkout", "a"), .when("unknown", "checkout", "b"), .always("search", "x"),
        .when("unknown", "search", "y"))

    private static func script(revision: String) -> [UInt8] {
        var script = script
        script.revision = revision
        return script.datafile
    }

    @Test func forcedDecisionsBelongToTheContext() {
        let sent = RecordedEvents()
        let client = FlagClient.scripted(Self.script, recording: sent)
        var ada = client.user("ada")
        ada.forcedDecisions[DecisionContext(flag: "checkout")] = "b"
        ada.forcedDecisions[DecisionContext(flag: "search", rule: "search")] = "y"
        #expect(ada.decide("checkout").stage == .forcedDecision)
        #expect(ada.decide("checkout").variationKey == "b")
        #expect(ada.decide("search").stage == .forcedRule)
        #expect(ada.decide("search").variationKey == "y")
        #expect(sent.impressions.map(\.variationKey) == ["b", "b", "y", "y"])
        #expect(client.user("ada").decide("checkout").variationKey == "a")
    }

    @Test func forcedVariationsBelongToTheClient() async {
        let client = FlagClient.scripted(Self.script)
        #expect(client.forceVariation(" b\t", inExperiment: "checkout", forUser: "ada"))
        #expect(client.forcedVariation(inExperiment: "checkout", forUser: "ada") == "b")
        #expect(client.user("ada").decide("checkout").stage == .forcedVariation)
        #expect(await client.user("ada").decide("checkout", within: .seconds(30)).variationKey == "b")
        #expect(client.user("ada").decideAll()["checkout"]?.variationKey == "b")
        #expect(client.user("bob").decide("checkout").variationKey == "a")
        #expect(client.forceVariation(nil, inExperiment: "checkout", forUser: "ada"))
        #expect(client.forcedVariation(inExperiment: "checkout", forUser: "ada") == nil)
        #expect(client.user("ada").decide("checkout").variationKey == "a")
    }

    @Test func unknownVariationsCannotBeForced() {
        let client = FlagClient.scripted(Self.script)
        #expect(!client.forceVariation("b", inExperiment: "unknown", forUser: "ada"))
        #expect(!client.forceVariation("unknown", inExperiment: "checkout", forUser: "ada"))
        #expect(!client.forceVariation("", inExperiment: "checkout", forUser: "ada"))
        #expect(!client.forceVariation(nil, inExperiment: "unknown", forUser: "ada"))
        #expect(client.forceVariation(nil, inExperiment: "checkout", forUser: "ada"))
        #expect(client.user("ada").decide("checkout").variationKey == "a")
    }

    @Test func forcedVariationsSurviveUpdates() throws {
        let client = FlagClient.scripted(Self.script)
        client.forceVariation("b", inExperiment: "checkout", forUser: "ada")
        #expect(try client.update(to: Self.script(revision: "2")))
        #expect(client.user("ada").decide("checkout").variationKey == "b")
        client.forceVariation("y", inExperiment: "search", forUser: "ada")
        #expect(try client.update(to: Self.script(revision: "3")))
        #expect(client.forcedVariation(inExperiment: "search", forUser: "ada") == "y")
    }

    @Test func forcedVariationsAreLostWithANewStart() async throws {
        let source = MemoryDatafileSource(Self.script(revision: "1"))
        let client = FlagClient(.quiet { $0.datafiles = source })
        try await client.start()
        client.forceVariation("b", inExperiment: "checkout", forUser: "ada")
        source.publish(Self.script(revision: "1"))
        try await client.start()
        #expect(client.forcedVariation(inExperiment: "checkout", forUser: "ada") == nil)
        #expect(client.user("ada").decide("checkout").variationKey == "a")
    }

    @Test func noForcedVariationIsLostAmongManyTasks() async throws {
        let client = FlagClient.scripted(Self.script)
        try await withThrowingTaskGroup { group in
            group.addTask { for number in 2..<60 { try client.update(to: Self.script(revision: "\(number)")) } }
            for task in 0..<6 {
                group.addTask {
                    for number in 0..<200 {
                        let user = "user \(task) \(number)"
                        #expect(client.forceVariation("b", inExperiment: "checkout", forUser: user))
                        #expect(client.forceVariation("y", inExperiment: "search", forUser: user))
                        #expect(client.user(user).decide("checkout").variationKey == "b")
                    }
                }
            }
            try await group.waitForAll()
        }
        for user in (0..<6).flatMap({ task in (0..<200).map { "user \(task) \($0)" } }) {
            #expect(client.user(user).decide("search").variationKey == "y")
        }
    }
}
