@Suite struct SystemTimersTests {
    @Test func timersArePreparedOnce() {
        #expect(SystemTimers.prepare())
        #expect(SystemTimers.prepare())
    }

    @Test func pausesEndByTheSystemsClocks() async throws {
        for clock: any Clock<Duration> in [ContinuousClock(), SuspendingClock()] {
            let elapsed = clock.stopwatch()
            try await clock.pause(for: .milliseconds(1))
            #expect(elapsed() >= .milliseconds(1))
        }
    }

    @Test func aCanceledPauseEndsAtOnce() async {
        let pause = Task { try await ContinuousClock().pause(for: .seconds(3_600)) }
        pause.cancel()
        await #expect(throws: CancellationError.self) { try await pause.value }
    }

    @Test func pausesAreAtMostAYear() async throws {
        let clock = ManualClock()
        let pause = Task { try await clock.pause(for: .seconds(Int64.max)) }
        try await wait("the pause") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(366 * 86_400))
        try await pause.value
    }
}
