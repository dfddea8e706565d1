/// A client polls at the configured interval, and less often after failures.
@Suite struct PollingTests {
    // MARK: The schedule

    private func schedule(_ seconds: Int, floor: Int = 30, _ random: any RandomSource = MidpointRandomSource())
        -> PollingSchedule
    {
        PollingSchedule(interval: .seconds(seconds), floor: .seconds(floor), random: random)
    }

    @Test func intervalsVaryByTenPercent() {
        let schedule = schedule(300, .seeded(7))
        let delays = (0..<1_000).map { _ in schedule.delay() }
        #expect(delays.allSatisfy { $0 >= .seconds(270) && $0 <= .seconds(330) })
        #expect(delays.contains { $0 < .seconds(275) } && delays.contains { $0 > .seconds(325) })
    }

    @Test func intervalsDoNotFallBelowTheFloor() {
        for seconds in [1, 29, 30, 32] {
            let schedule = schedule(seconds, .seeded(7))
            let delays = (0..<1_000).map { _ in schedule.delay() }
            #expect(delays.allSatisfy { $0 >= .seconds(30) && $0 <= .seconds(36) })
        }
    }

    @Test func failuresDoubleTheIntervalUpToAnHour() {
        var schedule = schedule(300)
        let delays = (0..<60).map { _ in
            schedule.failed(retryAfter: nil)
            return schedule.delay()
        }
        #expect(delays.prefix(4) == [.seconds(300), .seconds(600), .seconds(1_200), .seconds(2_400)])
        #expect(delays.dropFirst(4).allSatisfy { $0 == .seconds(3_600) })
        schedule.succeeded()
        #expect(schedule.delay() == .seconds(300))
    }

    @Test func requestsAreAtMostFiveMinutesApartWithoutADatafile() {
        var schedule = schedule(60)
        let delays = (0..<20).map { _ in
            schedule.failed(retryAfter: nil, hasDatafile: false)
            return schedule.delay()
        }
        #expect(delays.prefix(3) == [.seconds(60), .seconds(120), .seconds(240)])
        #expect(delays.dropFirst(3).allSatisfy { $0 == .seconds(300) })
        schedule.failed(retryAfter: nil)
        #expect(schedule.delay() == .seconds(3_600))
    }

    @Test func longIntervalsAreNotShortened() {
        var schedule = schedule(86_400)
        schedule.failed(retryAfter: nil)
        #expect(schedule.delay() == .seconds(86_400))
        #expect(
            PollingSchedule(interval: .seconds(Int64.max), floor: .zero, random: MidpointRandomSource()).delay()
                > .seconds(1))
    }

    @Test func pollingHonorsRetryAfter() {
        var schedule = schedule(300, .seeded(7))
        schedule.failed(retryAfter: .seconds(7_200))
        #expect(schedule.delay() == .seconds(7_200))
        schedule.failed(retryAfter: .seconds(1))
        #expect(schedule.delay() >= .seconds(540))
        schedule.succeeded()
        #expect(schedule.delay() <= .seconds(330))
    }

    private func schedule(_ seconds: Int, _ random: any RandomSource) -> PollingSchedule {
        schedule(seconds, floor: 30, random)
    }

    // MARK: The client

    private let server = DatafileServer()
    private let clock = ManualClock()
    private let log = MemoryLog()

    private func client(every interval: Duration, floor: Duration = .seconds(30)) -> FlagClient {
        FlagClient(
            .quiet {
                $0.datafiles = .http(sdkKey: "key", transport: server.transport)
                $0.clock = clock
                $0.random = MidpointRandomSource()
                $0.pollingInterval = interval
                $0.minimumPollingInterval = floor
                $0.log = log
            })
    }

    private var warnings: [String] { log.entries.filter { $0.level == .warning }.map(\.message) }

    /// Expects that the client polls once, exactly after a time.
    private func tick(after time: Duration) async throws {
        let count = server.requests.count
        try await wait("polling sleeps") { clock.sleeperCount == 1 }
        clock.advance(by: time - .milliseconds(1))
        try? await Task.sleep(for: .milliseconds(5))
        #expect(server.requests.count == count && clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        try await wait("a request arrives") { server.requests.count == count + 1 && clock.sleeperCount == 1 }
    }

    @Test func shortIntervalsAreClamped() async throws {
        server.publish(UpdateTests.datafile("1"))
        let client = client(every: .seconds(1))
        #expect(warnings == ["polling interval 1 s is below the minimum; using 30 s"])
        try await client.start()
        for _ in 1...2 { try await tick(after: .seconds(30)) }
        await client.close()
    }

    @Test func theFloorCanBeLoweredForOwnServers() async throws {
        server.publish(UpdateTests.datafile("1"))
        let client = client(every: .seconds(1), floor: .zero)
        try await client.start()
        try await tick(after: .seconds(1))
        #expect(warnings.isEmpty)
        await client.close()
    }

    @Test func brokenDatafilesKeepTheLastGoodOne() async throws {
        server.publish(UpdateTests.datafile("1"))
        let client = client(every: .seconds(60))
        try await client.start()
        let texts = ["{}", #"{"version": "5"}"#, #"{"version": "4", "revi"#]
        for (text, wait) in zip(texts, [60, 60, 120]) {
            server.publish(text)
            try await tick(after: .seconds(wait))
            #expect(client.project?.revision == "1")
        }
        #expect(warnings.count == 3)
        for (warning, next) in zip(warnings, [60, 120, 240]) {
            #expect(warning.hasPrefix("no datafile could be downloaded: the downloaded datafile cannot be used: "))
            #expect(warning.hasSuffix("; next request in \(next) s"))
        }
        #expect(warnings.dropFirst().first?.contains("version \"5\" is not supported") == true)
        server.publish(UpdateTests.datafile("2"))
        try await tick(after: .seconds(240))
        #expect(client.project?.revision == "2")
        try await tick(after: .seconds(60))
        await client.close()
    }

    @Test func pollingPausesForBusyServers() async throws {
        server.publish(UpdateTests.datafile("1"))
        let client = client(every: .seconds(60))
        try await client.start()
        server.fail(HTTPResponse(status: 503, headers: ["retry-after": "900"]))
        try await tick(after: .seconds(60))
        try await tick(after: .seconds(900))
        server.publish(UpdateTests.datafile("2"))
        try await tick(after: .seconds(900))
        #expect(client.project?.revision == "2")
        try await tick(after: .seconds(60))
        await client.close()
    }

    @Test func aSuspensionIsFollowedByOneRequest() async throws {
        server.publish(UpdateTests.datafile("1"))
        let client = client(every: .seconds(60))
        try await client.start()
        try await wait("polling sleeps") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(86_400))
        try await wait("a request arrives") { server.requests.count == 2 && clock.sleeperCount == 1 }
        try await tick(after: .seconds(60))
        #expect(server.requests.count == 3)
        await client.close()
    }

    @Test func aRequestInFlightDoesNotRetainTheClient() async throws {
        let gate = Gate()
        let transport = MemoryTransport { _ in
            await gate.pass()
            return HTTPResponse(status: 200, body: UpdateTests.datafile("1"))
        }
        weak var released: FlagClient?
        do {
            let client = FlagClient(
                .quiet {
                    $0.datafiles = .http(sdkKey: "key", transport: transport)
                    $0.bundledDatafile = UpdateTests.datafile("0")
                })
            released = client
            try client.startFromCacheOrBundle()
            try await wait("a request arrives") { gate.waitingCount == 1 }
        }
        try await wait("the client is released") { released == nil }
        gate.open()
    }
}
