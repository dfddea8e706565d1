/// No response causes a loss, and repeated events are recognizable.
@Suite(.blocking) struct DeliveryTests {
    private let network: TestNetwork

    init() throws { network = try TestNetwork() }

    /// The first responses of a receiver.
    struct ServerFault: Sendable, CustomStringConvertible {
        let description: String
        let reply: Reply
        init(_ description: String, _ reply: Reply) { (self.description, self.reply) = (description, reply) }
    }

    private static let text = Array("0123456789".utf8)
    private static let quick = [
        ServerFault("500", .status(500)), ServerFault("503", .status(503, headers: ["Retry-After": "0"])),
        ServerFault("429", .status(429, headers: ["Retry-After": "0"])), ServerFault("413", .status(413)),
        ServerFault("400", .status(400, body: text)), ServerFault("307", .redirect(307, to: "/elsewhere/v1/events")),
        ServerFault("404", .status(404)), ServerFault("reset", .reset), ServerFault("closed", .close),
        ServerFault("garbage", .raw("garbage\r\n\r\n")),
        ServerFault("reset within the response", .body(text).stopping(after: 5, by: .reset)),
    ]
    private static let slow = [
        ServerFault("stall", .stall),
        ServerFault("stall within the response", .body(text).stopping(after: 5, by: .stall)),
        ServerFault("dripping", .body([UInt8](repeating: 0, count: 1_000)).dripping(every: .milliseconds(50))),
    ]

    /// Expects that all events arrived after the failures, and that repeated events are identical.
    private func expectAll(_ users: [String], after failures: Int) throws {
        let payloads = try network.payloads(Address.us)
        #expect(payloads.count > failures)
        #expect(Set(payloads.dropFirst(failures).flatMap(\.events).map(\.user)) == Set(users))
        var known: [String: SentEvent] = [:]
        for event in payloads.flatMap(\.events) {
            if let first = known.updateValue(event, forKey: event.uuid) { #expect(first.visitor == event.visitor) }
        }
        #expect(known.count == users.count)
    }

    @Test(arguments: quick + slow) func nothingIsLost(by fault: ServerFault) async throws {
        try network.reply(Address.us, fault.reply, times: 2)
        let store = MemoryEventStore()
        let client = try network.client {
            $0.eventStore = store
            // Long enough for a busy machine, where a late response causes another repetition.
            $0.events.requestDeadline =
                fault.description.contains("stall") || fault.description == "dripping"
                ? .milliseconds(400) : .seconds(10)
        }
        let users = (0..<7).map { "user \($0)" }
        for user in users { try client.user(user).track("purchase") }
        await client.flush()
        // Delivery continues without a further call.
        try await wait("an empty store") { store.count == 0 }
        try expectAll(users, after: 2)
        #expect(client.lostEvents.total == 0)
        #expect(try network.requests("https://elsewhere/v1/events").isEmpty)
    }

    @Test(arguments: quick) func theFacadeLosesNothing(by fault: ServerFault) async throws {
        try network.reply(Address.us, fault.reply, times: 2)
        let dispatcher = network.make { DefaultEventDispatcher(backingStore: .memory) }
        let client = try network.started(dispatcher: dispatcher)
        let users = (0..<7).map { "user \($0)" }
        for user in users { try client.track(eventKey: "purchase", userId: user) }
        try await wait("an empty queue") {
            dispatcher.flushEvents()
            return dispatcher.waitingCount == 0
        }
        try expectAll(users, after: 2)
    }

    @Test func anUnreliableNetworkLosesNothing() async throws {
        // A separate server, which counts accepted events.
        let server = try LoopbackServer()
        let network = TestNetwork(on: server)
        try server.countEvents()
        try server.fail(
            network.path(Address.us), fraction: 0.4, seed: 7,
            with: [.status(500), .status(429), .raw("garbage\r\n\r\n"), .redirect(307, to: "/elsewhere")])
        let store = MemoryEventStore()
        let client = try network.client {
            $0.eventStore = store
            $0.events.eventsPerRequest = 20
        }
        await concurrently(0..<4) { task in
            for number in 0..<100 { try? client.user("\(task) \(number)").track("purchase") }
            await client.flush()
        }
        try await wait("an empty store") { store.count == 0 }
        let counts = try server.acceptedEventCounts
        // No response was lost, so nothing was repeated.
        #expect(client.lostEvents.total == 0 && counts.count == 400 && counts.values.allSatisfy { $0 == 1 })
        #expect(try server.statistics.unreadableBodies == 0)
    }
}
