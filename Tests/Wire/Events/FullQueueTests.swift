import TurnoutSQLite

/// A long outage of the receiver does not exhaust memory, and all losses are reported.
@Suite(.blocking) struct FullQueueTests {
    private let limit = 10_000
    private let more = 200
    /// A separate server, for large bodies.
    private let server: LoopbackServer
    private let network: TestNetwork

    init() throws {
        server = try LoopbackServer()
        network = TestNetwork(on: server)
    }

    /// The user ids in a body, without parsing all of it.
    private func users(_ text: String) -> [Int] {
        text.split(separator: #""visitor_id":""#).dropFirst().compactMap { Int($0.prefix { $0 != "\"" }) }
    }

    enum Place: CaseIterable {
        case memory
        case file
    }

    /// A store with its default limit.
    private func store(in place: Place, _ overflow: EventOverflow) throws -> any EventStore {
        switch place {
        case .memory: return MemoryEventStore(overflow: overflow)
        case .file:
            var options = SQLiteOptions()
            options.overflow = overflow
            let directory = network.directory.path + "/events"
            return try SQLiteStorage(directory: directory, options, log: network.directory.log).events
        }
    }

    @Test(arguments: Place.allCases, [EventOverflow.refuseNewest, .dropOldest])
    func aFullQueueDropsEventsAsConfiguredAndReportsIt(place: Place, overflow: EventOverflow) async throws {
        let (store, log) = (try self.store(in: place, overflow), MemoryLog(level: .warning))
        let client = try network.client {
            $0.eventStore = store
            $0.log = log
            $0.events.eventsPerRequest = limit
            // Nothing is sent before all events are queued.
            $0.events.longestDelay = .seconds(3_600)
            $0.events.firstDelay = .seconds(3_600)
        }
        try network.always(Address.us, .status(503))
        var refused: [Int] = []
        for number in 0..<limit + more {
            do { try client.user("\(number)").track("purchase") } catch { refused.append(number) }
        }
        try store.synchronize()
        let isRefusing = overflow == .refuseNewest
        #expect(refused == (isRefusing ? Array(limit..<limit + more) : []))
        #expect(store.count == limit)
        #expect(client.lostEvents[.noRoom] == more && client.lostEvents.total == more)

        try network.always(Address.us, nil)
        try await wait("an empty store") {
            await client.flush()
            return store.count == 0
        }
        let arrived = try network.requests(Address.us).flatMap { users($0.text) }
        let kept = isRefusing ? 0..<limit : more..<limit + more
        #expect(Set(arrived).isSuperset(of: kept) && arrived.count <= 2 * limit)
        #expect(Set(arrived).isSubset(of: isRefusing ? 0..<limit : 0..<limit + more))
        let report = "events given up since the last delivery: \(more) no room"
        #expect(log.entries.filter { $0.message == report }.count == 1)
        #expect(client.lostEvents.total == more, "kept, not reset")
    }

    @Test func theFacadeReportsDroppedEvents() async throws {
        try network.always(Address.us, .status(503))
        let dispatcher = network.make { DefaultEventDispatcher(backingStore: .memory, maxQueueSize: 100) }
        let logger = QuietLogger()
        let client = try network.started(logger: logger, dispatcher: dispatcher)
        for number in 0..<110 { try? client.track(eventKey: "purchase", userId: "\(number)") }
        #expect(dispatcher.waitingCount == 100)
        let refusals = Collected<String>()
        dispatcher.dispatchEvent(event: EventForDispatch(body: Data("{}".utf8))) { result in
            if case .failure(let error) = result { refusals.add("\(error)") }
        }
        #expect(refusals.all.count == 1 && refusals.all[0].contains("no room"))
        try network.always(Address.us, nil)
        try await wait("an empty queue") {
            dispatcher.flushEvents()
            return dispatcher.waitingCount == 0
        }
        let users = try Set(network.events().map(\.user))
        #expect(users == Set((0..<100).map(String.init)))
        try await wait("a report") {
            logger.entries.contains { $0.message.hasSuffix(": events given up since the last delivery: 11 no room") }
        }
    }
}
