/// What clients and dispatchers share, and what they do not.
@Suite(.ownThread, .timeLimit(.minutes(1))) struct ClientDeliveryTests {
    private func dispatcher(
        _ transport: MemoryTransport, log: MemoryLog = .memory, size: Int = 10_000, batch: Int = 10
    ) -> DefaultEventDispatcher {
        let dispatcher = DefaultEventDispatcher(batchSize: batch, backingStore: .memory, maxQueueSize: size)
        dispatcher.transport = transport
        dispatcher.log = log
        return dispatcher
    }

    private func batch(_ user: String, account: String = "A", time: Int = 1, isReversed: Bool = false) -> Data {
        let visitors = #""visitors": [{"visitor_id":"\#(user)","snapshots":[{"events":[{"timestamp":\#(time)}]}]}]"#
        let owner = #""account_id":"\#(account)", "project_id" :"P""#
        return Data((isReversed ? "{\(visitors), \(owner)}" : "{\(owner),\(visitors)}").utf8)
    }

    private func users(_ transport: MemoryTransport) throws -> [[String]] {
        try transport.requests.map { request in
            guard case .array(let visitors)? = try JSONValue(parsing: request.body)["visitors"] else { return [] }
            return visitors.compactMap { if case .string(let id)? = $0["visitor_id"] { id } else { nil } }
        }
    }

    @Test func listenersReceiveEventsOfTheirKeyOnly() throws {
        let transport = MemoryTransport()
        let shared = dispatcher(transport)
        let journals = [Journal(), Journal()]
        let clients = try journals.map { journal in
            let client = OptimizelyClient(
                sdkKey: UUID().uuidString, eventDispatcher: shared, datafileHandler: ScriptedHandler())
            try client.start(datafile: ShopDatafile.data)
            _ = client.notificationCenter?.addLogEventNotificationListener { _, event in
                journal.add(String(describing: event))
            }
            return client
        }
        try clients[0].track(eventKey: "purchase", userId: "ada")
        try clients[1].track(eventKey: "purchase", userId: "bob")
        shared.close()
        #expect(try Set(users(transport)) == [["ada"], ["bob"]])
        #expect(journals[0].lines.count == 1 && journals[0].lines[0].contains("ada"))
        #expect(journals[1].lines.count == 1 && journals[1].lines[0].contains("bob"))
    }

    @Test func batchesOfCallersAreMerged() throws {
        let transport = MemoryTransport()
        let dispatcher = dispatcher(transport)
        let url = URL(string: "https://events.test/in")
        for (user, account, isReversed) in [("a", "A", false), ("b", "A", true), ("c", "A", false), ("d", "B", false)] {
            dispatcher.dispatchEvent(
                event: EventForDispatch(url: url, body: batch(user, account: account, isReversed: isReversed)),
                completionHandler: nil)
        }
        dispatcher.dispatchEvent(
            event: EventForDispatch(url: url, body: Data("{\"n\":1}".utf8)), completionHandler: nil)
        dispatcher.close()
        #expect(try users(transport).sorted { $0.joined() < $1.joined() } == [[], ["a", "b", "c"], ["d"]])
        #expect(dispatcher.waitingCount == 0)
    }

    @Test func oldEventsAreDiscardedIfConfigured() throws {
        let (transport, log) = (MemoryTransport(), MemoryLog())
        let dispatcher = dispatcher(transport, log: log)
        dispatcher.maximumAge = 3_600
        #expect(dispatcher.maximumAge == 3_600)
        let now = Int(Date().timeIntervalSince1970 * 1_000)
        for (user, time) in [("old", now - 7_200_000), ("new", now)] {
            dispatcher.dispatchEvent(event: EventForDispatch(body: batch(user, time: time)), completionHandler: nil)
        }
        dispatcher.close()
        #expect(try users(transport) == [["new"]])
        #expect(log.entries.contains { $0.message == "events given up since the last delivery: 1 too old" })
    }

    @Test func clientsWithoutADispatcherShareOne() {
        let storage = CountingStorage()
        HostEnvironment.$override.withValue(nil) {
            HostEnvironment.standard.withLock { $0.storage = storage }
            defer { HostEnvironment.standard.withLock { $0 = HostEnvironment() } }
            let clients = (0..<4).map { _ in
                OptimizelyClient(sdkKey: UUID().uuidString, datafileHandler: ScriptedHandler())
            }
            #expect(storage.count == 1)
            withExtendedLifetime(clients) {}
        }
    }
}

/// Counts the queues that are requested.
private final class CountingStorage: ServiceStorage {
    private let kept = MemoryStorage()
    private let counter = Counter()

    var count: Int { counter.value }
    func events(named name: String, limit: Int) -> any EventStore {
        counter.add()
        return kept.events(named: name, limit: limit)
    }
    func profiles() -> any EditableProfileStore { kept.profiles() }
    func vuid() -> any VuidStore { kept.vuid() }
}
