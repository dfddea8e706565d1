/// A datafile that its source does not confirm for too long is reported as stale, and still used.
@Suite struct StalenessTests {
    private let setup = OperationsSetup { $0.maximumDatafileAge = .seconds(150) }
    private let reported = Collected<Bool>()
    private var messages: [String] { setup.log.entries.filter { $0.message.contains("the datafile, ") }.map(\.message) }

    private func listen() {
        setup.client.addListener(to: .stalenessChanges) { [reported] in
            if case .stalenessChange(let isStale) = $0 { reported.add(isStale) }
        }
    }

    @Test func anOutageMakesTheDatafileStaleUntilItEnds() async throws {
        listen()
        try await setup.start()
        setup.server.fail(HTTPResponse(status: 503))
        try await setup.poll()
        try await setup.poll()
        #expect(!setup.client.status.isStale)
        setup.advance(by: 30)
        #expect(setup.client.status.isStale)
        try await wait("staleness is reported") { reported.all == [true] }
        #expect(
            messages == [
                "the datafile, revision 1, is stale: not confirmed for 150 s: no datafile could be downloaded: the "
                    + "datafile server responded with 503: a server error"
            ])
        #expect(setup.client.user("ada").decide("flag").variationKey == "variation 1")
        #expect("\(setup.client.status.datafile)".contains(", stale, "))

        setup.server.publish(UpdateTests.datafile("2"))
        setup.advance(by: 90)
        try await wait("the recovery is reported") { reported.all == [true, false] }
        #expect(!setup.client.status.isStale)
        #expect(messages.dropFirst() == ["the datafile, revision 2, is current again"])
        await setup.client.close()
    }

    @Test func unchangedDatafilesStayCurrent() async throws {
        listen()
        try await setup.start()
        for _ in 1...10 {
            try await setup.poll()
            #expect(!setup.client.status.isStale)
        }
        await setup.client.close()
        #expect(reported.all.isEmpty && messages.isEmpty)
    }

    @Test func anotherStartFromTheSameCopyDoesNotMakeItCurrent() async throws {
        let setup = OperationsSetup {
            $0.maximumDatafileAge = .seconds(150)
            $0.bundledDatafile = UpdateTests.datafile("0")
            $0.pollingInterval = nil
        }
        setup.server.fail(HTTPResponse(status: 503))
        try await setup.client.start()
        setup.advance(by: 149)
        #expect(!setup.client.status.isStale)
        try await setup.client.start()
        setup.advance(by: 1)
        #expect(setup.client.status.isStale)
        try setup.client.update(to: UpdateTests.datafile("0"))
        #expect(!setup.client.status.isStale)
    }

    @Test func readersOfStatusChangesSeeIt() async throws {
        let setup = OperationsSetup {
            $0.maximumDatafileAge = .seconds(150)
            $0.pollingInterval = nil
        }
        try await setup.start()
        var statuses = setup.client.statusChanges.makeAsyncIterator()
        #expect(await statuses.next()?.isStale == false)
        setup.advance(by: 150)
        #expect(await statuses.next()?.isStale == true)
        try await setup.client.refresh()
        #expect(await statuses.next()?.isStale == false)
    }

    @Test func withoutALimitNothingIsStale() async throws {
        let setup = OperationsSetup { $0.pollingInterval = nil }
        try await setup.start()
        setup.advance(by: 1_000_000)
        #expect(!setup.client.status.isStale)
        #expect(setup.client.status.datafile.age == .seconds(1_000_000))
        #expect(setup.clock.sleeperCount == 0)
    }

    // MARK: The timer

    @Test func confirmationsShareOneTimer() async throws {
        let clock = SleepCountingClock()
        let monitor = DatafileMonitor(
            maximumAge: .seconds(150), clock: clock, wallClock: FixedWallClock(0), log: .silent
        ) { [reported] in reported.add($0) }
        let project = try Project(datafile: UpdateTests.datafile("1"))
        for _ in 1...1_000 { monitor.installed(project, .downloaded) }
        try await wait("the timer sleeps") { clock.manual.sleeperCount == 1 }
        #expect(clock.sleeps.all == [.seconds(150)])
        clock.manual.advance(by: .seconds(100))
        for _ in 1...1_000 { monitor.requestEnded(.unchanged) }
        clock.manual.advance(by: .seconds(50))
        try await wait("the timer sleeps for the rest") { clock.sleeps.all == [.seconds(150), .seconds(100)] }
        #expect(reported.all.isEmpty)
        try await wait("it is asleep") { clock.manual.sleeperCount == 1 }
        clock.manual.advance(by: .seconds(100))
        try await wait("staleness is reported") { reported.all == [true] }
        #expect(clock.manual.sleeperCount == 0)
    }

    /// A confirmation can arrive while staleness is being reported.
    @Test func reportsArriveInTheOrderOfTheChanges() async throws {
        let clock = ManualClock()
        let recorded = Locked<DatafileMonitor?>(nil)
        let monitor = DatafileMonitor(
            maximumAge: .seconds(150), clock: clock, wallClock: FixedWallClock(0), log: setup.log
        ) { [reported] isStale in
            if isStale { recorded.withLock { $0 }?.requestEnded(.unchanged) }
            reported.add(isStale)
        }
        recorded.withLock { $0 = monitor }
        monitor.installed(try Project(datafile: UpdateTests.datafile("1")), .downloaded)
        try await wait("the timer sleeps") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(150))
        try await wait("both are reported") { reported.all.count == 2 }
        #expect(reported.all == [true, false])
        #expect(
            messages == [
                "the datafile, revision 1, is stale: not confirmed for 150 s",
                "the datafile, revision 1, is current again",
            ])
        recorded.withLock { $0 = nil }
    }

    @Test func aClosedClientReportsNothing() async throws {
        listen()
        try await setup.start()
        try await wait("polling and the timer sleep") { setup.clock.sleeperCount == 2 }
        await setup.client.close()
        try await wait("both have ended") { setup.clock.sleeperCount == 0 }
        setup.advance(by: 1_000)
        #expect(setup.client.status.isStale)
        try setup.client.update(to: UpdateTests.datafile("2"))
        #expect(!setup.client.status.isStale)
        #expect(setup.clock.sleeperCount == 0)
        await setup.client.close()
        #expect(reported.all.isEmpty && messages.isEmpty)
    }

    @Test func anotherStartWatchesAgain() async throws {
        listen()
        try await setup.start()
        await setup.client.close()
        setup.server.fail(HTTPResponse(status: 503))
        try? await setup.client.start()
        try await wait("polling and the timer sleep") { setup.clock.sleeperCount == 2 }
        setup.advance(by: 150)
        try await wait("staleness is reported") { reported.all == [true] }
        await setup.client.close()
    }
}

/// A clock that moves when advanced, and records for how long tasks sleep.
private struct SleepCountingClock: Clock {
    let manual = ManualClock()
    let sleeps = Collected<Duration>()
    var now: ManualClock.Instant { manual.now }
    var minimumResolution: Duration { manual.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        sleeps.add(now.duration(to: deadline))
        try await manual.sleep(until: deadline, tolerance: tolerance)
    }
}
