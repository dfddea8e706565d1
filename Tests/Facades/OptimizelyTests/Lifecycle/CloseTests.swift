@Suite(.ownThread) struct CloseTests {
    @Test func closingTwiceIsHarmless() throws {
        let setup = try TestSetup()
        for _ in 0..<3 { setup.client.close() }
        #expect(setup.handler.journal.count(of: "stop updates") == 3 && setup.journal.count(of: "close") == 3)
        try TestSetup(nil).client.close()
    }

    @Test func queuedEventsAreDispatchedBeforeClosing() throws {
        let setup = try TestSetup { _ in usleep(500) }
        for _ in 0..<50 { try setup.client.track(eventKey: "purchase", userId: "u") }
        setup.client.close()
        #expect(setup.journal.lines == Array(repeating: "event", count: 50) + ["close"])
    }

    @Test func aClosedClientDecides() throws {
        let setup = try TestSetup()
        setup.client.close()
        #expect(setup.user().decide(key: "tested").enabled && setup.revision == "7")
        try setup.client.track(eventKey: "purchase", userId: "u")
        setup.client.close()
        #expect(setup.dispatcher.events.count == 2)
        try setup.client.start(datafile: ShopDatafile.revision("8"), doFetchDatafileBackground: false)
        #expect(setup.revision == "8")
    }

    @Test func aClosedClientDoesNotPoll() throws {
        let setup = try TestSetup(interval: 600)
        setup.client.close()
        #expect(setup.handler.journal.lines == ["interval 600", "start updates", "stop updates"])
        setup.handler.poll(ShopDatafile.revision("8"))
        #expect(setup.revision == "7")
    }

    @Test func aListenerMayClose() throws {
        let setup = try TestSetup()
        let received = Counter()
        _ = setup.center.addTrackNotificationListener { _, _, _, _, _ in
            setup.client.close()
            received.add()
        }
        let begin = ContinuousClock.now
        for _ in 0..<3 { try setup.client.track(eventKey: "purchase", userId: "u") }
        setup.client.close()
        #expect(received.value == 3 && setup.dispatcher.events.count == 3)
        #expect(ContinuousClock.now - begin < .seconds(9), "a deadlock would take the limit of ten seconds")
    }

    /// The network is stuck and, on request, a listener, too.
    @Test(arguments: [false, true]) func allStepsShareOneLimit(hasStuckListener: Bool) throws {
        let transport = MemoryTransport { _ in
            try await Task.sleep(for: .seconds(600))
            return HTTPResponse(status: 204)
        }
        var environment = HostEnvironment()
        environment.transport = transport
        let client = HostEnvironment.$override.withValue(environment) {
            OptimizelyClient(
                sdkKey: UUID().uuidString, logger: RecordingMessages(),
                eventDispatcher: DefaultEventDispatcher(backingStore: .memory), datafileHandler: ScriptedHandler())
        }
        let platform = #""integrations": [{"key": "odp", "host": "https://platform.test", "publicKey": "k"}],"#
        try client.start(datafile: ShopDatafile(more: platform).data, doFetchDatafileBackground: false)
        let end = DispatchSemaphore(value: 0)
        _ = client.notificationCenter?.addTrackNotificationListener { _, _, _, _, _ in
            if hasStuckListener { end.wait() }
        }
        try client.track(eventKey: "purchase", userId: "ada")
        try client.sendOdpEvent(action: "seen", identifiers: ["email": "ada"])
        let begin = ContinuousClock.now
        client.close(within: .seconds(4))
        let elapsed = ContinuousClock.now - begin
        end.signal()
        // Two steps in sequence would take eight seconds.
        #expect(elapsed > .milliseconds(3_900) && elapsed < .milliseconds(7_900))
        #expect((client.odpManager.eventManager?.count ?? 0) > 0)
        // Both were tried, although everything else was stuck.
        try waitBlocking("two requests") { transport.requests.count >= 2 }
        let addresses = Set(transport.requests.map(\.url))
        #expect(addresses.count == 2 && addresses.contains("https://platform.test/v3/events"))
    }

    @Test func aDispatcherThatHangsInCloseDoesNotBlockTheCaller() throws {
        let gate = DispatchSemaphore(value: 0)
        let logger = RecordingMessages()
        let client = OptimizelyClient(
            sdkKey: UUID().uuidString, logger: logger, eventDispatcher: StuckDispatcher(gate),
            datafileHandler: ScriptedHandler())
        try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
        let elapsed = ContinuousClock().measure { client.close(within: .milliseconds(300)) }
        #expect(elapsed >= .milliseconds(250) && elapsed < .seconds(30))
        #expect(logger.has(.warning, "close: the event dispatcher's close() has not returned within"))
        gate.signal()
    }

    @Test func aStuckListenerIsReported() throws {
        let setup = try TestSetup()
        let end = DispatchSemaphore(value: 0)
        _ = setup.center.addTrackNotificationListener { _, _, _, _, _ in end.wait() }
        try setup.client.track(eventKey: "purchase", userId: "u")
        setup.client.close(within: .milliseconds(300))
        end.signal()
        #expect(setup.logger.has(.warning, "close: a listener has not returned within 150 ms"))
        setup.client.close()
    }

    @Test func manyThreadsMayClose() throws {
        let setup = try TestSetup()
        DispatchQueue.concurrentPerform(iterations: 20) { index in
            try? setup.client.track(eventKey: "purchase", userId: "u\(index)")
            setup.client.close()
        }
        #expect(setup.dispatcher.events.count == 20)
    }

    @Test func aClosedClientIsReleased() throws {
        weak var client: OptimizelyClient?
        weak var dispatcher: RecordingDispatcher?
        weak var handler: ScriptedHandler?
        weak var logger: RecordingMessages?
        weak var profiles: RecordingProfiles?
        weak var center: DefaultNotificationCenter?
        do {
            let setup = try TestSetup(interval: 600)
            (client, dispatcher, handler) = (setup.client, setup.dispatcher, setup.handler)
            (logger, profiles, center) = (setup.logger, setup.profiles, setup.center as? DefaultNotificationCenter)
            _ = setup.center.addTrackNotificationListener { _, _, _, _, _ in }
            try setup.user().trackEvent(eventKey: "purchase")
            _ = setup.user().decideAll()
            #expect(setup.client.setForcedVariation(experimentKey: "ab", userId: "u", variationKey: "on"))
            setup.client.close()
            #expect(center != nil)
        }
        #expect(client == nil && dispatcher == nil && handler == nil)
        // The listener queue and the profile flush release theirs on their own threads.
        try waitBlocking("the release of the log and the profiles") { logger == nil && profiles == nil }
        #expect(center == nil)
    }

    @Test func aPollingClientCanBeReleasedWithoutClosing() throws {
        weak var client: OptimizelyClient?
        let handler = ScriptedHandler()
        do {
            let setup = try TestSetup(handler: handler, interval: 600)
            client = setup.client
        }
        #expect(client == nil)
        handler.poll(ShopDatafile.revision("8"))
    }

    @Test func contextsDoNotRetainTheClient() throws {
        weak var client: OptimizelyClient?
        let user: OptimizelyUserContext
        do {
            let setup = try TestSetup()
            client = setup.client
            user = setup.user()
            #expect(user.decide(key: "tested").enabled)
        }
        #expect(client == nil && !user.decide(key: "tested").enabled)
    }
}

/// A dispatcher whose `close` blocks until a test signals.
private final class StuckDispatcher: OPTEventDispatcher {
    private let gate: DispatchSemaphore

    init(_ gate: DispatchSemaphore) { self.gate = gate }
    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {}
    func flushEvents() {}
    func close() { gate.wait() }
}
