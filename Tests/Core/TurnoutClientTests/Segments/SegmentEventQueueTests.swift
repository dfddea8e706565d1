@Suite(.timeLimit(.minutes(1))) struct SegmentEventQueueTests {
    private let old = OdpService(host: "https://old.test", key: "old-key")
    private let new = OdpService(host: "https://new.test", key: "new-key")
    private let transport = MemoryTransport { _ in HTTPResponse(status: 202) }
    private let clock = ManualClock()
    private let log = MemoryLog()

    private var services: EventServices {
        var services = EventServices()
        services.clock = clock
        services.random = EvenChance()
        services.log = log
        return services
    }

    private func queue(isConnected: Bool = true) -> SegmentEventQueue {
        let queue = SegmentEventQueue()
        queue.connect(isConnected ? transport : nil, services)
        return queue
    }

    private func event(_ number: Int) throws -> SegmentEvent {
        try SegmentEvent(type: nil, action: "a\(number)", identifiers: ["fs_user_id": "ada"], data: [:])
    }

    private func fill(_ queue: SegmentEventQueue, _ numbers: Range<Int>) throws {
        for number in numbers { queue.accept(try event(number)) }
    }

    /// The actions in a request.
    private static func actions(_ request: HTTPRequest) -> [String] {
        guard case .array(let events)? = try? JSONValue(parsing: request.body) else { return [] }
        return events.compactMap { if case .string(let action)? = $0["action"] { action } else { nil } }
    }

    private func actions(_ transport: MemoryTransport) -> [[String]] { transport.requests.map(Self.actions) }

    private func names(_ numbers: Range<Int>) -> [String] { numbers.map { "a\($0)" } }

    @Test func requestsCarryTenEventsInOrder() async throws {
        let queue = queue()
        try fill(queue, 0..<25)
        queue.update(to: .service(new))
        await queue.flush()
        #expect(actions(transport) == [names(0..<10), names(10..<20), names(20..<25)])
    }

    @Test func eventsBeyondOneHundredAreDiscarded() async throws {
        let queue = queue()
        try fill(queue, 0..<103)
        #expect(queue.count == 100)
        #expect(queue.losses[.noRoom] == 3)
        #expect(log.entries.filter { $0.level == .error }.count == 2)
        queue.update(to: .service(new))
        await queue.flush()
        #expect(actions(transport).flatMap { $0 } == names(0..<100))
    }

    @Test func eventsRefusedByAnEarlierServiceAreDiscarded() async throws {
        transport.respond { $0.url.contains("old") ? HTTPResponse(status: 403) : HTTPResponse(status: 202) }
        let queue = queue(isConnected: false)
        queue.update(to: .service(old))
        try fill(queue, 0..<1)
        queue.update(to: .service(new))
        try fill(queue, 1..<2)
        await queue.flush()
        queue.connect(transport, services)
        await queue.flush()
        #expect(actions(transport).contains(["a0"]))
        #expect(actions(transport).contains(["a1"]))
        #expect(queue.count == 0 && queue.losses[.refused] == 1)
    }

    @Test(arguments: [307, 401, 403, 404]) func wrongAddressOrKeyIsNotRetriedAtOnce(status: Int) async throws {
        transport.respond { _ in HTTPResponse(status: status) }
        let queue = queue(isConnected: false)
        queue.update(to: .service(new))
        try fill(queue, 0..<2)
        await queue.flush()
        queue.connect(transport, services)
        await queue.flush()
        #expect(!log.entries.contains { $0.message.contains("attempt 2") })
        // The next attempt is minutes ahead.
        clock.advance(by: .seconds(60))
        #expect(transport.requests.count == 1)
        #expect(queue.count == 2)
    }

    @Test func closingWaitsForRequestsOfTheEarlierTransport() async throws {
        let gate = Gate()
        transport.respond { _ in
            await gate.pass()
            return HTTPResponse(status: 202)
        }
        let queue = queue(isConnected: false)
        queue.connect(transport, deadline: waitLimit, EventServices())
        queue.update(to: .service(new))
        try fill(queue, 0..<1)
        try await wait("it has begun") { gate.waitingCount == 1 }
        let next = MemoryTransport { _ in HTTPResponse(status: 202) }
        queue.connect(next, deadline: waitLimit, EventServices())
        try fill(queue, 1..<3)
        let close = Task { await queue.close(within: waitLimit) }
        try await Task.sleep(for: .milliseconds(30))
        gate.open()
        await close.value
        #expect(queue.count == 0)
        #expect((actions(transport) + actions(next)).flatMap { $0 } == names(0..<3))
    }

    @Test func closingWithoutADatafileWarnsAboutQueuedEvents() async throws {
        let queue = queue()
        await queue.close(within: .seconds(10))
        #expect(log.entries.isEmpty)
        try fill(queue, 0..<2)
        await queue.close(within: .seconds(10))
        #expect(
            log.entries.map(\.message) == [
                "closed before the first datafile, which names the data platform: 2 segment events in memory end with "
                    + "the process"
            ])
        #expect(queue.losses.total == 0, "the queue continues")
        queue.update(to: .service(new))
        await queue.flush()
        #expect(actions(transport) == [names(0..<2)])
    }

    @Test func callersDoNotWaitForTheStoreToOpen() async throws {
        let (opening, opened) = (Latch(), Gate())
        let queue = SegmentEventQueue {
            opened.open()
            opening.pass()
            return .memory
        }
        queue.connect(transport, services)
        let isUpdated = Gate()
        BlockingCall.start { [new] in
            queue.update(to: .service(new))
            isUpdated.open()
        }
        await opened.pass()
        try fill(queue, 0..<2)
        #expect(queue.count == 2 && queue.losses.total == 0)
        opening.open()
        await isUpdated.pass()
        await queue.flush()
        #expect(actions(transport) == [names(0..<2)])
    }
}
