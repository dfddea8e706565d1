/// A client starts with the best datafile available: the newest, the cached, the bundled.
@Suite struct StartTests {
    /// Returns fixed datafiles or throws.
    private struct FixedSource: DatafileSource {
        var newestDatafile: [UInt8]?
        var error: (any Error)?
        var keptDatafile: [UInt8]?

        func newest() async throws -> Datafile? {
            if let error { throw error }
            return try newestDatafile.map { bytes throws(DatafileError) in try Datafile(bytes) }
        }

        func cached() -> Datafile? { keptDatafile.flatMap { try? Datafile($0) } }
    }

    private func start(_ source: (any DatafileSource)?, bundled: String? = nil) async -> Result<FlagClient, StartError>
    {
        let client = FlagClient(
            .quiet {
                $0.datafiles = source
                $0.bundledDatafile = bundled.map { UpdateTests.datafile($0) }
                $0.projectID = "scripted"
            })
        do throws(StartError) {
            try await client.start()
            return .success(client)
        } catch {
            #expect(client.project == nil)
            return .failure(error)
        }
    }

    /// The error of a start as text, or nil if it succeeds.
    private func failure(_ source: (any DatafileSource)?) async -> String? {
        if case .failure(let error) = await start(source) { "\(error)" } else { nil }
    }

    @Test func theDownloadedDatafileTakesPrecedence() async throws {
        let source = FixedSource(newestDatafile: UpdateTests.datafile("3"), keptDatafile: UpdateTests.datafile("2"))
        #expect(try await start(source, bundled: "1").get().project?.revision == "3")
    }

    @Test(
        arguments: [
            FixedSource(error: TestError()), FixedSource(), FixedSource(newestDatafile: Array("nonsense".utf8)),
            FixedSource(newestDatafile: UpdateTests.datafile("3", project: "other")),
        ])
    private func withoutUsableNewestTheKeptOneIsUsed(source: FixedSource) async throws {
        var source = source
        source.keptDatafile = UpdateTests.datafile("2")
        #expect(try await start(source, bundled: "1").get().project?.revision == "2")
        source.keptDatafile = nil
        #expect(try await start(source, bundled: "1").get().project?.revision == "1")
        source.keptDatafile = UpdateTests.datafile("2", project: "other")
        #expect(try await start(source, bundled: "1").get().project?.revision == "1")
        #expect(await failure(source) != nil)
    }

    @Test func withoutASourceTheBundledOneIsUsed() async throws {
        #expect(try await start(nil, bundled: "1").get().project?.revision == "1")
        #expect(await failure(nil) == "no datafile is available: none was downloaded, cached or bundled")
    }

    @Test func theFirstFailureIsReported() async {
        let other = FixedSource(newestDatafile: UpdateTests.datafile("3", project: "other"))
        #expect(await failure(other) == "the datafile belongs to project other, not to the configured project")
        #expect(await failure(FixedSource(error: TestError())) == "no datafile could be downloaded: TestError")
    }

    @Test func startsLogWhichDatafileTheyUse() async throws {
        let unchanged = FixedSource(keptDatafile: UpdateTests.datafile("2"))
        #expect(await texts(unchanged) == ["info: the datafile has not changed; using the cached datafile, revision 2"])
        let failing = FixedSource(
            error: DatafileSourceError.status(503, retryAfter: .seconds(90)), keptDatafile: UpdateTests.datafile("2"))
        #expect(
            await texts(failing) == [
                "warning: no datafile could be downloaded: "
                    + "the datafile server responded with 503: a server error; retry after "
                    + "90 s; using the cached datafile, revision 2"
            ])
        #expect(await texts(nil) == ["info: no datafile source; using the bundled datafile, revision 1"])
    }

    private func texts(_ source: FixedSource?) async -> [String] {
        let log = MemoryLog(level: .info)
        let client = FlagClient(
            .quiet {
                $0.datafiles = source
                $0.bundledDatafile = UpdateTests.datafile("1")
                $0.log = log
            })
        try? await client.start()
        return log.entries.map { "\($0.level): \($0.message)" }.filter { !$0.contains("now using") }
    }

    @Test func pollingStopsIfNoRequestCanSucceed() async throws {
        let (clock, log) = (ManualClock(), MemoryLog(level: .warning))
        let transport = MemoryTransport()
        var options = HTTPDatafileOptions()
        options.address = "no address"
        let source = HTTPDatafileSource(sdkKey: "key", transport: transport, options: options)
        let client = FlagClient(
            .quiet {
                $0.datafiles = source
                $0.clock = clock
                $0.random = MidpointRandomSource()
                $0.pollingInterval = .seconds(60)
                $0.log = log
            })
        await #expect(throws: StartError.self) { try await client.start() }
        try await wait("polling sleeps") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(60))
        try await wait("polling ends") { log.entries.contains { $0.message.contains("polling has stopped") } }
        #expect(clock.sleeperCount == 0 && transport.requests.isEmpty)
        await client.close()
    }

    @Test func startsAreNotAnnounced() async throws {
        let source = MemoryDatafileSource(UpdateTests.datafile("1"))
        let client = FlagClient(.quiet { $0.datafiles = source })
        let received = Collected<Bool>()
        client.addListener { _ in received.add(true) }
        try await client.start()
        await client.close()
        #expect(received.count == 0)
    }

    @Test func startingAgainAfterAFailureWorks() async throws {
        let source = MemoryDatafileSource()
        let client = FlagClient(.quiet { $0.datafiles = source })
        await #expect(throws: StartError.self) { try await client.start() }
        source.publish(UpdateTests.datafile("1"))
        try await client.start()
        #expect(client.project?.revision == "1")
    }

    @Test func refreshingReturnsWhetherTheDatafileIsNew() async throws {
        let source = MemoryDatafileSource(UpdateTests.datafile("1"))
        let client = FlagClient(.quiet { $0.datafiles = source })
        try await client.start()
        #expect(try await !client.refresh())
        source.publish(UpdateTests.datafile("1"))
        #expect(try await !client.refresh())
        source.publish(UpdateTests.datafile("2"))
        #expect(try await client.refresh())
        #expect(client.project?.revision == "2")
        source.fail(with: TestError())
        await #expect(throws: StartError.self) { try await client.refresh() }
        await #expect(throws: StartError.self) { try await FlagClient(.quiet()).refresh() }
        source.publish(Array("nonsense".utf8))
        await #expect(throws: StartError.self) { try await client.refresh() }
        #expect(client.project?.revision == "2")
    }

    // MARK: Polling

    private func polling(_ source: MemoryDatafileSource, _ clock: ManualClock, _ log: MemoryLog) -> FlagClient {
        FlagClient(
            .quiet {
                $0.datafiles = source
                $0.clock = clock
                $0.random = MidpointRandomSource()
                $0.pollingInterval = .seconds(60)
                $0.log = log
            })
    }

    @Test func startingTwicePollsOnce() async throws {
        let (source, clock) = (MemoryDatafileSource(UpdateTests.datafile("1")), ManualClock())
        let client = polling(source, clock, MemoryLog())
        try await client.start()
        try await client.start()
        try await wait("one poller is left") { clock.sleeperCount == 1 }
        await client.close()
        try await wait("polling has ended") { clock.sleeperCount == 0 }
    }

    @Test func clientsClosedDuringTheirStartDoNotPoll() async throws {
        struct SlowSource: DatafileSource {
            let gate: Gate
            func newest() async throws -> Datafile? {
                await gate.pass()
                return try Datafile(ExampleShop.datafile)
            }
            func cached() -> Datafile? { nil }
        }
        let (gate, clock) = (Gate(), ManualClock())
        let client = FlagClient(
            .quiet {
                $0.datafiles = SlowSource(gate: gate)
                $0.clock = clock
                $0.pollingInterval = .seconds(60)
            })
        async let start: Void = client.start()
        try await wait("the source is called") { gate.waitingCount == 1 }
        client.stopPolling()
        gate.open()
        try await start
        try await wait("no task sleeps") { clock.sleeperCount == 0 }
    }

    @Test func extremeDurationsDoNotTrap() async throws {
        let client = try FlagClient(datafile: ExampleShop.datafile, .quiet { $0.events.interval = .seconds(Int64.max) })
        let ada = client.user("ada")
        #expect(await ada.decide("dark_mode", within: .seconds(Int64.max)).flag != nil)
        #expect(await ada.decide("loyalty_banner", within: .seconds(Int64.min)).flag != nil)
        await client.close(within: .seconds(Int64.max))
    }
}
