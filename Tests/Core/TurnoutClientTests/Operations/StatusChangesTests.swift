/// Readers of status changes see the latest status after each change.
@Suite struct StatusChangesTests {
    @Test func changesOfTheDatafileAndErrorsAreSeen() async throws {
        let setup = OperationsSetup()
        var statuses = setup.client.statusChanges.makeAsyncIterator()
        #expect(await statuses.next()?.isReady == false)
        try await setup.start()
        #expect(await statuses.next()?.revision == "1")
        setup.server.fail(HTTPResponse(status: 503))
        try await setup.poll()
        #expect(await statuses.next()?.lastError != nil)
        setup.server.publish(UpdateTests.datafile("2"))
        try await setup.poll()
        let last = await statuses.next()
        #expect(last?.revision == "2" && last?.lastError == nil)
        await setup.client.close()
    }

    @Test func eventsAndUnchangedPollsAreNoChanges() async throws {
        let setup = OperationsSetup { $0.transport = MemoryTransport() }
        try await setup.start()
        var statuses = setup.client.statusChanges.makeAsyncIterator()
        #expect(await statuses.next()?.revision == "1")
        try await setup.poll()
        for user in 0..<20 { _ = setup.client.user("\(user)").decide("flag") }
        setup.server.publish(UpdateTests.datafile("2"))
        try await setup.poll()
        #expect(await statuses.next()?.revision == "2")
        await setup.client.close()
    }

    @Test func aSlowReaderSeesTheLatestStatusOnly() async throws {
        let client = FlagClient(.quiet())
        var statuses = client.statusChanges.makeAsyncIterator()
        for revision in 1...100 { try client.update(to: UpdateTests.datafile("\(revision)")) }
        #expect(await statuses.next()?.revision == "100")
    }

    @Test func theSequenceEndsWithTheClient() async throws {
        var client: FlagClient? = FlagClient(.quiet())
        let changes = try #require(client).statusChanges
        client = nil
        for await _ in changes { Issue.record("the client is deallocated") }
    }

    @Test func aWaitingReaderEndsWithTheClient() async throws {
        weak var released: FlagClient?
        let reader: Task<Int, Never>
        let hasRead = Locked(false)
        do {
            let client = FlagClient(.quiet())
            released = client
            let changes = client.statusChanges
            reader = Task {
                var count = 0
                for await _ in changes {
                    count += 1
                    hasRead.withLock { $0 = true }
                }
                return count
            }
            try await wait("the first status is read") { hasRead.withLock { $0 } }
        }
        #expect(await reader.value == 1)
        #expect(released == nil)
    }
}
