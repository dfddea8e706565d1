/// Time advances only on request.
@Suite struct ManualClockTests {
    private let clock = ManualClock()

    @Test func timeAdvancesOnlyOnRequest() {
        let start = clock.now
        #expect(clock.now == start)
        clock.advance(by: .seconds(90))
        #expect(start.duration(to: clock.now) == .seconds(90))
        #expect(start.advanced(by: .seconds(90)) == clock.now)
    }

    @Test func sleepersWakeAtTheirDeadlines() async throws {
        let woken = Collected<Int>()
        let tasks = [3, 1, 2].map { seconds in
            Task {
                try await clock.sleep(for: .seconds(seconds))
                woken.add(seconds)
            }
        }
        try await wait("all sleep") { clock.sleeperCount == 3 }
        for second in 1...3 {
            clock.advance(by: .milliseconds(999))
            #expect(woken.count == second - 1)
            clock.advance(by: .milliseconds(1))
            try await wait("one wakes") { woken.count == second }
        }
        #expect(woken.all == [1, 2, 3])
        for task in tasks { try await task.value }
    }

    @Test func sleepingUntilAPastInstantReturnsAtOnce() async throws {
        try await clock.sleep(for: .zero)
        try await clock.sleep(for: .seconds(-1))
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancelledSleepersAreRemoved() async throws {
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        try await wait("it sleeps") { clock.sleeperCount == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
        clock.advance(by: .seconds(2))
    }

    /// A canceled sleep of zero length ends either way, and leaves nothing behind.
    @Test func cancellationMayRaceWithTheDeadline() async {
        for _ in 0..<200 {
            let task = Task { try await clock.sleep(for: .seconds(1)) }
            async let advanced: Void = clock.advance(by: .seconds(1))
            task.cancel()
            await advanced
            _ = await task.result
        }
        #expect(clock.sleeperCount == 0)
    }
}
