import Optimizely
#if SQLite
    import TurnoutSQLite
#endif

/// The dispatchers of the library.
@Suite struct DispatcherTests {
    private let clock = ManualClock()
    private var setup = TestSetup()

    init() { setup.environment.clock = clock }

    private func dispatcher(_ change: (OPTLYEventDispatcherBuilder) -> Void = { _ in }) throws
        -> OPTLYEventDispatcherDefault
    {
        try required(setup.make { OPTLYEventDispatcherDefault(builder: .init { $0.map(change) }) })
    }

    /// Advances the clock until a condition is true.
    private func pass(until isTrue: () -> Bool) async throws {
        try await wait("pauses") {
            if clock.sleeperCount > 0 { clock.advance(by: .seconds(1)) }
            return isTrue()
        }
    }

    @Test("A-42") func eventsStoredOfflineAreSentLaterOldestFirst() async throws {
        setup.servers.setOffline(true)
        let dispatcher = try dispatcher()
        for number in 0..<50 {
            dispatcher.dispatchImpressionEvent(["n": number])
            dispatcher.dispatchConversionEvent(["n": 100 + number])
        }
        try await pass { setup.servers.posts.count >= 6 && clock.sleeperCount == 2 }
        setup.servers.setOffline(false)
        func arrived(_ isConversion: Bool) -> [String] {
            setup.servers.arrived.filter { ($0.count > 8) == isConversion }
        }
        // At most 20 events of each kind per flush. Then each lane sleeps, and a requested flush continues at once.
        for count in [20, 40, 50] {
            dispatcher.flushEvents()
            try await wait("a flush") { arrived(false).count >= count && arrived(true).count >= count }
            // Both lanes pause. The time limits of flushes are sleeps, too, while the lanes still send.
            try await wait("pauses") {
                count == 50 || clock.sleeperCount >= 2 && !clock.remainingSleeps.contains(.seconds(10))
            }
            #expect(arrived(false).count == count && arrived(true).count == count)
        }
        #expect(arrived(false) == (0..<50).map { #"{"n":\#($0)}"# })
        #expect(arrived(true) == (0..<50).map { #"{"n":\#(100 + $0)}"# })
        #expect(setup.servers.posts.allSatisfy { $0.url == "https://logx.optimizely.com/v1/events" })
    }

    @Test func remainingEventsAreSentWithoutAnotherCall() async throws {
        let dispatcher = try dispatcher()
        for number in 0..<30 { dispatcher.dispatchImpressionEvent(["n": number]) }
        try await pass { setup.servers.arrived.count == 30 }
        #expect(setup.servers.arrived == (0..<30).map { #"{"n":\#($0)}"# })
    }

    @Test func equalEventsCompleteSeparately() async throws {
        let dispatcher = try dispatcher()
        let ends = Collected<String>()
        dispatcher.dispatchImpressionEvent(["n": 1]) { _, _, error in ends.add("first \(error == nil)") }
        dispatcher.dispatchImpressionEvent(["n": 1]) { _, _, error in ends.add("second \(error == nil)") }
        try await pass { setup.servers.arrived.count == 2 && ends.count == 2 }
        #expect(ends.all.sorted() == ["first true", "second true"])
    }

    @Test func eachHandlerIsCalledOnceDuringAnOutage() async throws {
        setup.servers.setOffline(true)
        let dispatcher = try dispatcher()
        let ends = Collected<Int>()
        for number in 0..<5 {
            dispatcher.dispatchImpressionEvent(["n": number]) { _, _, error in ends.add(error == nil ? -1 : number) }
        }
        try await pass { ends.count == 5 }
        #expect(ends.all.sorted() == [0, 1, 2, 3, 4] && setup.servers.posts.count <= 4)
        setup.servers.setOffline(false)
        try await pass { setup.servers.arrived.count == 5 }
        #expect(ends.count == 5, "each handler is called once")
    }

    @Test func handlersAreCalledWhenTheDispatcherIsReleased() async throws {
        setup.servers.setOffline(true)
        let ends = Collected<Int>()
        do {
            let dispatcher = try dispatcher()
            for number in 0..<3 {
                dispatcher.dispatchConversionEvent(["n": number]) { _, _, error in
                    ends.add(error == nil ? -1 : number)
                }
            }
        }
        try await pass { ends.count == 3 }
        #expect(ends.all.sorted() == [0, 1, 2])
    }

    @Test("A-43") func aFullStoreLosesItsOldestTenth() async throws {
        let store = RollingStoreProbe()
        var setup = setup
        setup.environment.transport = nil
        setup.environment.storage = store
        let dispatcher = try required(setup.make { OPTLYEventDispatcherDefault { _ in } })
        #expect(dispatcher.maxNumberOfEventsToSave == 1_000)
        let lost = Collected<Int>()
        for number in 0..<1_001 {
            dispatcher.dispatchConversionEvent(["n": number]) { _, _, _ in lost.add(number) }
        }
        let kept = try store.kept("objective-c conversions")
        #expect(kept.count == 901 && kept.first == #"{"n":100}"# && kept.last == #"{"n":1000}"#)
        try await wait("the handlers of the oldest events") { Set(0..<100).isSubset(of: lost.all) }
    }

    #if SQLite
        @Test func noCallerWaitsForALockedFileWhenTheQueueIsFull() async throws {
            let directory = TemporaryDirectory()
            let storage = try SQLiteStorage(directory: directory.path, log: directory.log)
            var setup = setup
            setup.environment.transport = nil
            setup.environment.storage = storage
            let dispatcher = try required(setup.make { OPTLYEventDispatcherDefault { _ in } })
            for number in 0..<1_000 { dispatcher.dispatchConversionEvent(["n": number], callback: nil) }
            try storage.synchronize()
            let other = try SQLiteConnection(path: directory.path + "/turnout.sqlite")
            try other.run("BEGIN EXCLUSIVE; UPDATE totals SET name = name")
            var longest = Duration.zero
            for number in 1_000..<1_500 {
                let time = ContinuousClock().measure {
                    dispatcher.dispatchConversionEvent(["n": number], callback: nil)
                }
                longest = max(longest, time)
            }
            try other.run("ROLLBACK")
            #expect(longest < .seconds(4), "a thread that waited for the lock would wait for five seconds")
            let store = storage.events(named: "objective-c conversions")
            try await wait("the oldest events are dropped") {
                dispatcher.dispatchConversionEvent(["n": 1_500], callback: nil)
                return store.count < 1_000
            }
        }
    #endif

    @Test func aServerThatFailsLosesNothing() async throws {
        setup.servers.fail(500)
        let dispatcher = try dispatcher()
        let codes = Collected<Int>()
        dispatcher.dispatchImpressionEvent(["n": 1]) { _, _, error in codes.add((error as NSError?)?.code ?? 0) }
        try await pass { codes.count == 1 }
        #expect(codes.all == [12] && setup.servers.posts.count >= 3)
        setup.servers.fail(nil)
        try await pass { setup.servers.arrived == [#"{"n":1}"#] }
        dispatcher.dispatchImpressionEvent(["n": 2]) { data, response, error in
            codes.add(error == nil && data != nil ? (response as? HTTPURLResponse)?.statusCode ?? 0 : -1)
        }
        try await wait("the completion") { codes.all == [12, 204] }
        #expect(setup.servers.arrived.count == 2)
    }

    @Test func eventsOfEuropeanProjectsAreSentToEurope() async throws {
        try dispatcher().dispatchImpressionEvent(["region": "EU"])
        try await wait("a request") { setup.servers.posts.count == 1 }
        #expect(setup.servers.posts[0].url == "https://eu.logx.optimizely.com/v1/events")
    }

    /// In a separate process, since endpoints are process-wide.
    @Test func endpointsOfTheModuleOptimizelyApply() async {
        await #expect(processExitsWith: .success) {
            EventForDispatch.eventEndpoint = "https://events.test/us"
            EventForDispatch.euEventEndpoint = "https://events.test/eu"
            let setup = TestSetup()
            let basic = setup.make { OPTLYEventDispatcherBasic() }
            let queued = try required(setup.make { OPTLYEventDispatcherDefault { _ in } })
            for dispatcher in [basic, queued] as [any OPTLYEventDispatcher] {
                dispatcher.dispatchImpressionEvent(["n": 1])
                dispatcher.dispatchConversionEvent(["region": "EU"])
            }
            try await wait("requests") { setup.servers.posts.count == 4 }
            let addresses = setup.servers.posts.map(\.url).sorted()
            precondition(addresses == ["eu", "eu", "us", "us"].map { "https://events.test/\($0)" })
        }
    }

    /// In a separate process, since endpoints are process-wide.
    @Test func theLogNamesTheHostOfTheRequest() async {
        await #expect(processExitsWith: .success) {
            EventForDispatch.eventEndpoint = "https://events.test/us"
            let setup = TestSetup()
            setup.servers.fail(404)
            let dispatcher = try required(setup.make { OPTLYEventDispatcherDefault { $0?.logger = setup.logger } })
            dispatcher.dispatchImpressionEvent(["n": 1])
            let line = "events.test does not accept events"
            try await wait("a line") { setup.logger.texts(.error).contains { $0.contains(line) } }
        }
    }

    @Test func theBasicDispatcherTriesOnce() async throws {
        setup.servers.setOffline(true)
        let dispatcher = setup.make { OPTLYEventDispatcherBasic() }
        let codes = Collected<Int>()
        dispatcher.dispatchConversionEvent(["n": 1]) { _, _, error in codes.add((error as NSError?)?.code ?? 0) }
        try await wait("the end") { codes.all == [12] }
        setup.servers.setOffline(false)
        dispatcher.dispatchImpressionEvent(["n": 2]) { _, _, error in codes.add((error as NSError?)?.code ?? 0) }
        try await wait("the end") { codes.all == [12, 0] }
        #expect(setup.servers.arrived == [#"{"n":2}"#])
        dispatcher.dispatchImpressionEvent([1: 2]) { _, _, error in codes.add((error as NSError?)?.code ?? 0) }
        #expect(codes.all == [12, 0, 9])
    }

    @Test func invalidSettingsAreReplaced() throws {
        let dispatcher = try dispatcher {
            $0.eventDispatcherDispatchInterval = -1
            $0.maxNumberOfEventsToSave = -1
            $0.logger = setup.logger
        }
        #expect(dispatcher.eventDispatcherDispatchInterval == 0 && dispatcher.maxNumberOfEventsToSave == 1_000)
        #expect(
            setup.logger.texts(.warning) == [
                "eventDispatcherDispatchInterval is less than 0; using 0, which is five minutes"
            ])
        OPTLYEventDispatcherNoOp().dispatchImpressionEvent([:])
    }
}
