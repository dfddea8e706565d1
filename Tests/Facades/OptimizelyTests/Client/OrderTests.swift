/// The order of calls to dispatchers and listeners.
@Suite(.ownThread) struct OrderTests {
    private let setup: TestSetup
    private var lines: [String] {
        setup.settle()
        return setup.journal.lines.dropLast(where: { $0 == "close" })
    }

    init() throws {
        setup = try TestSetup()
        let journal = setup.journal
        _ = setup.center.addDecisionNotificationListener { type, _, _, info in
            journal.add("\(type) \(info["flagKey"] ?? info["featureKey"] ?? info["experimentKey"] ?? "")")
        }
        _ = setup.center.addActivateNotificationListener { experiment, _, _, _, _ in
            journal.add("activate \(experiment["key"] ?? "")")
        }
        _ = setup.center.addTrackNotificationListener { key, _, _, _, _ in journal.add("track \(key)") }
    }

    @Test func activate() throws {
        _ = try setup.client.activate(experimentKey: "ab", userId: "u")
        #expect(lines == ["ab-test ab", "event", "activate ab"])
    }

    @Test func isFeatureEnabled() {
        _ = setup.client.isFeatureEnabled(featureKey: "tested", userId: "u")
        #expect(lines == ["event", "activate tested_rule", "feature tested"])
    }

    @Test func decide() {
        _ = setup.user().decide(key: "tested")
        #expect(lines == ["event", "activate tested_rule", "flag tested"])
    }

    private let forKeys = [
        "event", "activate tested_rule", "flag tested", "flag rolled", "event", "flag held", "event",
        "activate tested_rule", "flag tested",
    ]

    @Test func decideForKeys() {
        _ = setup.user().decide(keys: ["tested", "x", "rolled", "held", "tested"])
        #expect(lines == forKeys)
    }

    @Test func decideAsyncForKeys() async {
        _ = await setup.user().decideAsync(keys: ["tested", "x", "rolled", "held", "tested"])
        #expect(lines == forKeys)
    }

    @Test func decideAll() {
        _ = setup.user().decideAll()
        #expect(
            lines == [
                "event", "activate tested_rule", "flag tested", "flag rolled", "flag empty", "event", "flag held",
                "flag bandit", "flag broken", "flag endless",
            ])
    }

    @Test func track() throws {
        try setup.client.track(eventKey: "purchase", userId: "u")
        #expect(lines == ["event", "track purchase"])
    }

    @Test func callsOfOneThreadStayInOrder() throws {
        for _ in 0..<100 {
            try setup.client.track(eventKey: "purchase", userId: "u")
            _ = setup.user().decide(key: "tested")
        }
        let once = ["event", "track purchase", "event", "activate tested_rule", "flag tested"]
        #expect(lines == Array(repeating: once, count: 100).flatMap { $0 })
    }
}

extension [String] {
    fileprivate func dropLast(where isUnwanted: (String) -> Bool) -> [String] {
        guard let last, isUnwanted(last) else { return self }
        return dropLast()
    }
}
