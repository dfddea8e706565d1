/// A client that runs in a task starts, polls, and closes when the task is canceled.
@Suite struct RunTests {
    @Test func aCancelledRunDeliversTheLastEvents() async throws {
        let transport = MemoryTransport()
        let setup = OperationsSetup { $0.transport = transport }
        setup.server.publish(UpdateTests.datafile("1"))
        let run = Task { try await setup.client.run() }
        try await wait("the client is ready") { setup.client.isReady }
        setup.server.publish(UpdateTests.datafile("2"))
        try await setup.poll()
        #expect(setup.client.status.revision == "2")
        _ = setup.client.user("ada").decide("flag")
        #expect(setup.client.status.events.waiting == 1)
        run.cancel()
        try await run.value
        #expect(transport.requests.count == 1 && setup.client.status.events.waiting == 0)
        #expect(setup.client.status.datafile.nextPoll == nil)
    }

    @Test func anOutageAtTheStartDoesNotEndTheRun() async throws {
        let setup = OperationsSetup()
        setup.server.fail(HTTPResponse(status: 503))
        let run = Task { try await setup.client.run() }
        try await wait("polling sleeps") { setup.clock.sleeperCount == 1 }
        #expect(
            setup.log.entries.map(\.message).contains(
                "no datafile could be downloaded: the datafile server responded with 503: a server error; "
                    + "polling continues"))
        setup.server.publish(UpdateTests.datafile("1"))
        setup.advance(by: 60)
        try await setup.client.waitUntilReady()
        run.cancel()
        try await run.value
    }

    @Test func aRunThatCannotRecoverThrows() async throws {
        let withoutPolling = OperationsSetup { $0.pollingInterval = nil }
        await #expect(throws: StartError.self) { try await withoutPolling.client.run() }
        let withoutKey = OperationsSetup { $0.datafiles = .http(sdkKey: "", transport: MemoryTransport()) }
        await #expect(throws: StartError.self) { try await withoutKey.client.run() }
        await #expect(throws: StartError.self) { try await FlagClient(.quiet()).run() }
    }

    @Test func aClientWithAPassedDatafileRunsWithoutASource() async throws {
        let client = try FlagClient(datafile: UpdateTests.datafile("1"), .quiet())
        let run = Task { try await client.run() }
        run.cancel()
        try await run.value
    }

    @Test func theLimitOfTheEndIsObserved() async throws {
        let gate = Gate()
        let transport = MemoryTransport { _ in
            await gate.pass()
            return HTTPResponse(status: 204)
        }
        let setup = OperationsSetup { $0.transport = transport }
        try await setup.start()
        _ = setup.client.user("ada").decide("flag")
        let run = Task { try await setup.client.run(closingWithin: .seconds(3)) }
        run.cancel()
        try await wait("the last events are sent") { gate.waitingCount == 1 }
        try await wait("the run ends after its limit") {
            setup.clock.advance(by: .seconds(1))
            return setup.log.entries.contains { $0.message.hasPrefix("closed with 1 event undelivered") }
        }
        try await run.value
        gate.open()
    }
}
