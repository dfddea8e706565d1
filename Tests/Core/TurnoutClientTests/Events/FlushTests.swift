/// A flush returns after every event was tried, even if another delivery is running.
@Suite(.timeLimit(.minutes(1))) struct FlushTests {
    /// Holds back responses until the gate is opened.
    private let gate = Gate()

    /// Gives other tasks time to fail.
    private func others() async throws { try await Task.sleep(for: .milliseconds(30)) }

    @Test func aFlushRetriesABlockedReceiver() async throws {
        var script = Script(.event("purchase"))
        let setup = EventSetup(script) {
            $0.events.attempts = 1
        } respond: { [gate] request in
            guard request.url.contains("//eu.") else { return HTTPResponse(status: 503) }
            await gate.pass()
            return HTTPResponse(status: 204)
        }
        try setup.track(1)
        (script.revision, script.region) = ("2", .eu)
        try setup.client.update(to: script.datafile)
        try setup.track(1)
        let first = Task { await setup.client.flush() }
        try await wait("one is refused, the other is in flight") { gate.waitingCount == 1 }
        setup.transport.respond { _ in HTTPResponse(status: 204) }
        let second = Task { await setup.client.flush() }
        try await others()
        gate.open()
        await second.value
        #expect(setup.store.count == 0)
        await first.value
        #expect(setup.transport.requests.count == 3)
    }

    @Test func aFlushWaitsForAnotherClientsDelivery() async throws {
        let one = EventSetup(respond: { [gate] _ in
            await gate.pass()
            return HTTPResponse(status: 204)
        })
        let other = EventSetup {
            $0.eventStore = one.store
            $0.clock = ContinuousClock()
            $0.events.firstDelay = .milliseconds(5)
        }
        try one.track(1)
        let first = Task { await one.client.flush() }
        try await wait("it has begun") { gate.waitingCount == 1 }
        try other.track(2)
        let flushed = Collected<Int>()
        let second = Task {
            await other.client.flush()
            flushed.add(one.store.count)
        }
        try await others()
        #expect(flushed.all.isEmpty)
        gate.open()
        await second.value
        #expect(flushed.all == [0])
        await first.value
    }

    @Test func aFlushDoesNotWaitForAStuckDelivery() async throws {
        let setup = EventSetup {
            $0.clock = ContinuousClock()
            $0.events.requestDeadline = .milliseconds(20)
            $0.events.firstDelay = .milliseconds(5)
        }
        #expect(setup.store.beginDelivery())
        await setup.client.flush()
        try setup.track(1)
        await setup.client.flush()
        #expect(setup.store.count == 1 && setup.transport.requests.isEmpty)
    }
}
