/// Callers can wait until a client has a datafile, and learn why it has none.
@Suite struct ReadinessTests {
    @Test func aReadyClientDoesNotWait() async throws {
        let client = try FlagClient(datafile: UpdateTests.datafile("1"), .quiet())
        try await client.waitUntilReady(within: .zero)
    }

    @Test func waitingEndsWithTheFirstDatafile() async throws {
        let setup = OperationsSetup()
        let waiters = (1...10).map { _ in Task { try await setup.client.waitUntilReady(within: .seconds(5)) } }
        try await wait("all wait") { setup.clock.sleeperCount == 10 }
        try setup.client.update(to: UpdateTests.datafile("1"))
        for waiter in waiters { try await waiter.value }
        try await wait("no timer is left") { setup.clock.sleeperCount == 0 }
    }

    @Test func theErrorSaysWhyAndWhatHappensNext() async throws {
        let setup = OperationsSetup()
        setup.server.fail(HTTPResponse(status: 503))
        await #expect(throws: StartError.self) { try await setup.client.start() }
        try await wait("polling sleeps") { setup.clock.sleeperCount == 1 }
        let waiter = Task { try await setup.client.waitUntilReady(within: .seconds(5)) }
        try await wait("the caller waits") { setup.clock.sleeperCount == 2 }
        setup.clock.advance(by: .seconds(5))
        let error = await #expect(throws: NotReadyError.self) { try await waiter.value }
        #expect(
            error?.description == "the client has no datafile after 5 s: no datafile could be downloaded: the datafile "
                + "server responded with 503: a server error; next request in 55 s")
        await setup.client.close()
    }

    @Test func anUnstartedClientIsNamedAsSuch() async throws {
        let error = await #expect(throws: NotReadyError.self) {
            try await FlagClient(.quiet()).waitUntilReady(within: .zero)
        }
        #expect(
            error?.description == "the client has no datafile after 0 s: no request has ended yet; call start() if the "
                + "client was not started")
    }

    @Test func cancellationEndsTheWait() async throws {
        let setup = OperationsSetup()
        let waiter = Task { try await setup.client.waitUntilReady(within: .seconds(5)) }
        try await wait("the caller waits") { setup.clock.sleeperCount == 1 }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        try await wait("no timer is left") { setup.clock.sleeperCount == 0 }
    }
}
