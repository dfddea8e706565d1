/// Concurrent use of everything. Detects wrong results here, and data races under ThreadSanitizer with longer runs.
@Suite(.serialized, .ownThread) struct StressTests {
    /// Accepts every event and stores none.
    private final class CountingDispatcher: OPTEventDispatcher {
        let events = Counter()
        func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) { events.add() }
        func flushEvents() {}
    }

    @Test func decisionsAreConsistentWhileDatafilesChange() throws {
        let dispatcher = CountingDispatcher()
        let client = OptimizelyClient(
            sdkKey: "stress", logger: SilentLogger(), eventDispatcher: dispatcher, datafileHandler: NoDatafiles())
        let datafiles = (1...4).map { RevisionDatafile.data($0) }
        try client.start(datafile: datafiles[0], doFetchDatafileBackground: false)
        let shared = client.createUserContext(userId: "shared", attributes: ["plan": "gold"])
        let (wrong, decisions, received) = (Counter(), Counter(), Counter())
        _ = client.notificationCenter?.addDecisionNotificationListener { _, _, _, _ in received.add() }
        let end = Date(timeIntervalSinceNow: stressSeconds)
        onThreads(50) { thread in
            var turn = thread
            while Date.now < end {
                turn += 1
                let own = client.createUserContext(userId: "user_\(thread)", attributes: ["turn": turn])
                Self.act(turn, client, turn % 2 == 0 ? shared : own, datafiles, wrong)
                decisions.add()
            }
        }
        client.close()
        #expect(wrong.value == 0)
        #expect(decisions.value > 50)
        #expect(received.value > 0 && dispatcher.events.value > 0)
    }

    private static func act(
        _ turn: Int, _ client: OptimizelyClient, _ user: OptimizelyUserContext, _ datafiles: [Data], _ wrong: Counter
    ) {
        switch turn % 11 {
        case 0: try? client.start(datafile: datafiles[turn % datafiles.count], doFetchDatafileBackground: false)
        case 1: user.setAttribute(key: "a\(turn % 5)", value: turn)
        case 2:
            let context = OptimizelyDecisionContext(flagKey: "flag_0", ruleKey: "no such rule \(turn % 3)")
            _ = user.setForcedDecision(context: context, decision: OptimizelyForcedDecision(variationKey: "x"))
            _ = user.removeForcedDecision(context: context)
        case 3: try? user.trackEvent(eventKey: "purchase", eventTags: ["revenue": turn])
        case 4: check(user.decideAll().values, wrong)
        case 5: check(user.decide(keys: ["flag_1", "flag_2"]).values, wrong)
        case 6: user.qualifiedSegments = ["s\(turn % 3)"]
        case 7: _ = client.setForcedVariation(experimentKey: "rule_7", userId: "unknown", variationKey: nil)
        case 8:
            if (try? client.getOptimizelyConfig().featuresMap.count) != RevisionDatafile.flagKeys.count { wrong.add() }
        default: check([user.decide(key: RevisionDatafile.flagKeys[turn % 8], options: [.includeReasons])], wrong)
        }
    }

    /// Decisions made together must be of one revision, and so must each decision.
    private static func check(_ decisions: some Collection<OptimizelyDecision>, _ wrong: Counter) {
        let revisions = Set(decisions.map { $0.variationKey ?? "none" })
        let values = decisions.allSatisfy {
            let revision: Int? = $0.variables.getValue(jsonPath: "revision")
            return $0.enabled && $0.variationKey == "revision_\(revision ?? 0)"
        }
        if revisions.count != 1 || !values { wrong.add() }
    }

    @Test func clientsCanBeCreatedAndReleasedConcurrently() {
        let wrong = Counter()
        let datafile = RevisionDatafile.data(1)
        let end = Date(timeIntervalSinceNow: stressSeconds)
        onThreads(8) { thread in
            var turn = 0
            while Date.now < end {
                turn += 1
                let client = OptimizelyClient(
                    sdkKey: "key \((thread + turn) % 4)", logger: SilentLogger(), datafileHandler: NoDatafiles(),
                    settings: OptimizelySdkSettings(enableVuid: turn % 2 == 0))
                try? client.start(datafile: datafile, doFetchDatafileBackground: false)
                if !client.createUserContext(userId: "u").decide(key: "flag_3").enabled { wrong.add() }
            }
        }
        #expect(wrong.value == 0)
    }
}
