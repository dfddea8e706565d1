@Suite("Sending events", .ownThread)
struct SendingTests {
    @Test("can be overridden by a subclass")
    func override() {
        let dispatcher = RecordingDefaultDispatcher()
        dispatcher.log = .silent
        dispatcher.failures.withLock { $0 = 2 }
        for visitor in ["1", "2"] { dispatcher.dispatchEvent(event: event(visitor), completionHandler: nil) }
        dispatcher.close()
        #expect(dispatcher.sentBodies == Array(repeating: "{\"visitors\":[1,2]}", count: 3))
        #expect(dispatcher.waitingCount == 0)
    }

    @Test("is announced before each attempt")
    func announcements() {
        let received = Journal()
        let dispatcher = RecordingDefaultDispatcher()
        dispatcher.log = .silent
        let token = NotificationCenter.default.addObserver(
            forName: .willSendOptimizelyEvents, object: nil, queue: nil
        ) { notification in
            guard let event = notification.object as? EventForDispatch, event.body == Data("{\"own\":1}".utf8) else {
                return
            }
            received.add("notification")
        }
        defer { NotificationCenter.default.removeObserver(token) }
        dispatcher.failures.withLock { $0 = 1 }
        dispatcher.dispatchEvent(event: EventForDispatch(body: Data("{\"own\":1}".utf8)), completionHandler: nil)
        dispatcher.close()
        #expect(received.lines == ["notification", "notification"])
    }

    @Test("may close the dispatcher without deadlock")
    func closingInside() {
        final class Closing: RecordingDefaultDispatcher {
            override func sendEvent(event: EventForDispatch, completionHandler: @escaping DispatchCompletionHandler) {
                close()
                super.sendEvent(event: event, completionHandler: completionHandler)
            }
        }
        let dispatcher = Closing()
        dispatcher.dispatchEvent(event: event("1"), completionHandler: nil)
        let begin = ContinuousClock.now
        dispatcher.close()
        #expect(ContinuousClock.now - begin < .seconds(9), "a deadlock would take the limit of ten seconds")
        #expect(dispatcher.waitingCount == 0)
    }

    @Test("does not retain the dispatcher, which still sends after it was closed")
    func lifetime() async throws {
        weak let abandoned: RecordingDefaultDispatcher?
        do {
            let dispatcher = RecordingDefaultDispatcher()
            for _ in 1...2 {
                dispatcher.dispatchEvent(event: event("1"), completionHandler: nil)
                dispatcher.close()
            }
            #expect(dispatcher.sentBodies.count == 2)
            abandoned = dispatcher
        }
        try await wait("its release") { abandoned == nil }
    }

    @Test("fails without a network, and loses nothing")
    func noNetwork() {
        let dispatcher = DefaultEventDispatcher()
        dispatcher.log = .silent
        dispatcher.dispatchEvent(event: event("1"), completionHandler: nil)
        dispatcher.close()
        #expect(dispatcher.waitingCount == 1)
        var isFailure = false
        dispatcher.sendEvent(event: event("2")) { if case .failure = $0 { isFailure = true } }
        #expect(isFailure)
    }
}
