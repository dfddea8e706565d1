/// The status says what a client is doing.
@Suite struct StatusTests {
    private let setup = OperationsSetup()

    @Test func anUnstartedClientIsNotReady() {
        let status = setup.client.status
        #expect(!setup.client.isReady && !status.isReady && !status.isStale)
        #expect(status.revision == nil && status.datafile.origin == nil && status.datafile.age == nil)
        #expect("\(status)" == "not ready: no datafile\nevents: 0 waiting, 0 delivered, lost: none")
    }

    @Test func downloadsChecksAndChangesAreTimed() async throws {
        try await setup.start()
        try await setup.poll()
        var datafile = setup.client.status.datafile
        #expect(datafile.revision == "1" && datafile.origin == .downloaded)
        #expect(datafile.lastChange == .seconds(60) && datafile.lastCheck == .zero && datafile.age == .zero)
        #expect(datafile.changeTime == 1_700_000_000_000 && datafile.checkTime == 1_700_000_060_000)
        #expect(datafile.requests.changed == 1 && datafile.requests.unchanged == 1 && datafile.requests.failed == 0)

        setup.server.publish(UpdateTests.datafile("2"))
        try await setup.poll()
        try await wait("polling sleeps") { setup.client.status.datafile.nextPoll != nil }
        setup.advance(by: 12)
        datafile = setup.client.status.datafile
        #expect(datafile.revision == "2" && datafile.lastChange == .seconds(12) && datafile.nextPoll == .seconds(48))
        #expect("\(datafile)" == "revision 2, downloaded, checked 12 s ago, changed 12 s ago, next request in 48 s")
        await setup.client.close()
        #expect(setup.client.status.datafile.nextPoll == nil)
    }

    @Test func failedRequestsAreDescribedUntilOneSucceeds() async throws {
        try await setup.start()
        setup.server.fail(HTTPResponse(status: 503))
        try await setup.poll()
        let error = "no datafile could be downloaded: the datafile server responded with 503: a server error"
        #expect(setup.client.status.lastError == error)
        #expect("\(setup.client.status)".hasSuffix("\nerror: \(error)"))
        #expect(setup.client.status.datafile.requests.failed == 1)
        #expect(setup.client.status.datafile.lastCheck == .seconds(60))
        setup.server.publish(UpdateTests.datafile("2"))
        try await setup.poll()
        #expect(setup.client.status.errors.isEmpty)
        await setup.client.close()
    }

    @Test func theOriginOfTheDatafileIsKnown() async throws {
        let setup = OperationsSetup { $0.bundledDatafile = UpdateTests.datafile("0") }
        try setup.client.startFromCacheOrBundle(refreshing: false)
        #expect(setup.client.status.datafile.origin == .bundled)
        try setup.client.update(to: UpdateTests.datafile("5"))
        #expect(setup.client.status.datafile.origin == .passed)
        setup.server.publish(UpdateTests.datafile("6"))
        try await setup.client.refresh()
        #expect(setup.client.status.datafile.origin == .downloaded)
        await setup.client.close()

        let cache = MemoryDatafileCache()
        for origin in [DatafileStatus.Origin.downloaded, .cached] {
            let setup = OperationsSetup { $0.pollingInterval = nil }
            let server = setup.server
            let client = FlagClient(
                .quiet { $0.datafiles = .http(sdkKey: "key", transport: server.transport, cache: cache) })
            if origin == .downloaded { server.publish(UpdateTests.datafile("1")) }
            try await client.start()
            #expect(client.status.datafile.origin == origin)
        }
        #expect(try FlagClient(datafile: UpdateTests.datafile("1"), .quiet()).status.datafile.origin == .passed)
    }

    @Test func unusableDatafilesOfTheProgramAreDescribed() throws {
        let client = try FlagClient(datafile: UpdateTests.datafile("1"), .quiet())
        #expect(throws: StartError.self) { try client.update(to: Array("{}".utf8)) }
        #expect(client.status.lastError?.hasPrefix("the datafile cannot be used: ") == true)
        #expect(client.status.revision == "1")
        try client.update(to: UpdateTests.datafile("2"))
        #expect(client.status.lastError == nil)
    }

    @Test func eventsAreCounted() async throws {
        let isDown = Locked(true)
        let setup = EventSetup(limit: 3) {
            $0.events.eventsPerRequest = 100
        } respond: { _ in
            HTTPResponse(status: isDown.withLock { $0 } ? 503 : 204)
        }
        try setup.track(3)
        #expect(throws: TrackError.lost) { try setup.track(1) }
        #expect(setup.client.status.events.waiting == 3 && setup.client.status.events.lost[.noRoom] == 1)
        let flush = Task { await setup.client.flush() }
        try await wait("an attempt fails") { setup.client.status.events.failedRequests > 0 }
        let cause = "events could not be delivered: logx.optimizely.com responded with status 503"
        #expect(setup.client.status.lastError == cause)
        isDown.withLock { $0 = false }
        try await wait("the events are delivered") {
            setup.clock.advance(by: .seconds(300))
            return setup.client.status.events.delivered == 3
        }
        await flush.value
        let status = setup.client.status
        #expect(status.events.waiting == 0 && status.errors.isEmpty)
        #expect("\(status.events)" == "0 waiting, 3 delivered, lost: 1 no room")
    }

    @Test func failuresOfStoresAndListenersAreCounted() async throws {
        let latch = Latch()
        let client = try FlagClient(datafile: UpdateTests.datafile("1"), .quiet { $0.profiles = BrokenStore() })
        client.addListener(to: .decisions) { _ in latch.blockFirst() }
        for user in 1...3 { _ = client.user("user \(user)").decide("flag") }
        try await wait("a listener is stuck") { client.status.waitingNotifications == 4 }
        let status = client.status
        #expect(status.profileFailures.total > 0)
        #expect("\(status)".contains("\nprofile failures: lookups failed: 3\nnotifications: 4 waiting, 0 lost"))
        latch.open()
        await client.close()
        #expect(client.status.waitingNotifications == 0)
    }

    @Test func theStatusContainsNoPersonalData() async throws {
        try await setup.start()
        _ = setup.client.user("ada@example.com", attributes: ["email": "ada@example.com"]).decide("flag")
        #expect(!"\(setup.client.status)\(setup.client.metrics.prometheus())".contains("ada@"))
        await setup.client.close()
    }

    // MARK: Readiness
    // Callers can wait until a client has a datafile, and learn why it has none.

    @Test func aReadyClientDoesNotWait() async throws {
        let client = try FlagClient(datafile: UpdateTests.datafile("1"), .quiet())
        try await client.waitUntilReady(within: .zero)
    }

    @Test func waitingEndsWithTheFirstDatafile() async throws {
        let waiters = (1...10).map { _ in Task { try await setup.client.waitUntilReady(within: .seconds(5)) } }
        try await wait("all wait") { setup.clock.sleeperCount == 10 }
        try setup.client.update(to: UpdateTests.datafile("1"))
        for waiter in waiters { try await waiter.value }
        try await wait("no timer is left") { setup.clock.sleeperCount == 0 }
    }

    @Test func theErrorSaysWhyAndWhatHappensNext() async throws {
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
        let waiter = Task { try await setup.client.waitUntilReady(within: .seconds(5)) }
        try await wait("the caller waits") { setup.clock.sleeperCount == 1 }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        try await wait("no timer is left") { setup.clock.sleeperCount == 0 }
    }

    // MARK: Status changes
    // Readers of status changes see the latest status after each change.

    @Test func changesOfTheDatafileAndErrorsAreSeen() async throws {
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

/// A store that fails.
private struct BrokenStore: ProfileStore {
    func profile(of userID: String) throws -> UserProfile { throw TestError() }
    func save(_ assignments: [String: String], for userID: String) throws { throw TestError() }
}
