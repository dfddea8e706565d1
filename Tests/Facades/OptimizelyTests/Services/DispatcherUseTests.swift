/// How clients use a custom event dispatcher and datafile handler.
@Suite(.ownThread) struct DispatcherUseTests {
    @Test func aSlowDispatcherDoesNotDelayDecisions() throws {
        let decided = Latch()
        let setup = try TestSetup { _ in decided.pass() }
        try setup.client.track(eventKey: "purchase", userId: "u")
        #expect(setup.user().decide(key: "tested").enabled)
        decided.open()
        setup.settle()
        #expect(setup.dispatcher.events.count == 2)
    }

    @Test func eventsAreDispatchedOneAtATime() throws {
        let (running, overlaps) = (Counter(), Counter())
        let setup = try TestSetup { _ in
            running.add()
            usleep(200)
            if running.value != 1 { overlaps.add() }
            running.add(-1)
        }
        DispatchQueue.concurrentPerform(iterations: 50) { _ in
            try? setup.client.track(eventKey: "purchase", userId: "u")
        }
        setup.settle()
        #expect(overlaps.value == 0 && setup.dispatcher.events.count == 50)
    }

    @Test func aDispatcherMayUseTheClient() throws {
        let client = Later()
        let setup = try TestSetup { event in
            guard let client = client.client, !String(decoding: event.body, as: UTF8.self).contains("inner") else {
                return
            }
            try? client.track(eventKey: "purchase", userId: "inner")
            #expect(client.createUserContext(userId: "inner").decide(key: "tested").enabled)
            client.close()
        }
        client.client = setup.client
        try setup.client.track(eventKey: "purchase", userId: "u")
        setup.settle()
        setup.settle()
        #expect(setup.dispatcher.events.count == 3)
    }

    @Test func closeOfADispatcherIsOptional() throws {
        let dispatcher = OldDispatcher()
        let client = OptimizelyClient(
            sdkKey: UUID().uuidString, eventDispatcher: dispatcher, datafileHandler: ScriptedHandler())
        try client.start(datafile: ShopDatafile.data)
        try client.track(eventKey: "purchase", userId: "u")
        client.close()
        #expect(dispatcher.journal.lines == ["event"])
    }

    @Test func aDispatcherMayBeAStruct() throws {
        let journal = Journal()
        let client = OptimizelyClient(
            sdkKey: UUID().uuidString, eventDispatcher: ValueDispatcher(journal: journal),
            datafileHandler: ScriptedHandler())
        try client.start(datafile: ShopDatafile.data)
        try client.track(eventKey: "purchase", userId: "u")
        client.close()
        #expect(journal.lines == ["event"])
    }

    // MARK: Handlers

    @Test func aSlowHandlerDoesNotDelayOthers() throws {
        let decided = Latch()
        let setup = try TestSetup(
            handler: ScriptedHandler { completion in
                decided.pass()
                completion(.success(ShopDatafile.revision("9")))
            })
        let done = DispatchSemaphore(value: 0)
        let client = setup.client
        DispatchQueue.global().async { client.start { _ in done.signal() } }
        #expect(setup.user().decide(key: "tested").enabled)
        decided.open()
        #expect(done.wait(timeout: .now() + 30) == .success)
        #expect(setup.revision == "9")
    }

    @Test func aHandlerMayUseTheClientDuringACall() throws {
        let client = Later()
        let handler = ScriptedHandler { completion in
            client.client?.close()
            client.client?.datafileHandler = nil
            #expect(client.client?.isFeatureEnabled(featureKey: "tested", userId: "u") == false)
            completion(.success(ShopDatafile.data))
        }
        let setup = try TestSetup(nil, handler: handler)
        client.client = setup.client
        setup.client.start()
        #expect(setup.revision == "7" && setup.client.datafileHandler == nil)
    }

    @Test func aReplacedHandlerMayUseTheClientInDeinit() throws {
        let setup = try TestSetup()
        let client = setup.client
        let seen = Counter()
        setup.client.datafileHandler = DeinitReportingHandler { if client.datafileHandler != nil { seen.add() } }
        setup.client.datafileHandler = ScriptedHandler()
        #expect(seen.value == 1)
    }
}

/// A client that is set after its service was created.
private final class Later: @unchecked Sendable { weak var client: OptimizelyClient? }

/// A dispatcher written before `close()` existed.
private class OldDispatcher: OPTEventDispatcher {
    let journal = Journal()
    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) { journal.add("event") }
    func flushEvents() {}
}

private struct ValueDispatcher: OPTEventDispatcher {
    let journal: Journal
    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) { journal.add("event") }
    func flushEvents() {}
}

private final class DeinitReportingHandler: NoDatafiles {
    private let tell: () -> Void
    init(_ tell: @escaping () -> Void) {
        self.tell = tell
        super.init()
    }
    required init() { tell = {} }
    deinit { tell() }
}
