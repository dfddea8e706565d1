import TestSupport
import Testing
import TurnoutClient

@Suite struct UnfinishedWorkTests {
    private let work = UnfinishedWork()
    private let clock = ManualClock()

    @Test func withoutCallsThereIsNoWait() async {
        await work.wait(within: .seconds(1), on: clock)
        #expect(work.count == 0)
    }

    @Test func theWaitEndsWithTheCallsThatWereRunning() async throws {
        let ends = (0..<2).map { _ in work.begin() }
        let waiting = Task { await work.wait(within: .seconds(1), on: clock) }
        try await wait("the wait has begun") { clock.sleeperCount == 1 }
        let later = work.begin()
        #expect(work.count == 3)
        for end in ends { end() }
        await waiting.value
        #expect(work.count == 1)
        later()
        #expect(work.count == 0)
    }

    @Test func theWaitEndsAtItsLimit() async throws {
        let end = work.begin()
        let waiting = Task { await work.wait(within: .seconds(1), on: clock) }
        try await wait("the wait has begun") { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(1))
        await waiting.value
        #expect(work.count == 1)
        end()
    }
}
