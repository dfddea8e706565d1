import TestSupport
import Testing
import TurnoutClient

/// The function `value(within:on:executor:endsWhenCancelled:of:late:)`.
@Suite struct DeadlineTests {
    private let gate = Gate()
    private let clock = ManualClock()
    private let late = Collected<Int>()

    private func slowValue(endsWhenCancelled: Bool = false) async -> Int? {
        await value(within: .seconds(1), on: clock, endsWhenCancelled: endsWhenCancelled) { [gate] in
            await gate.pass()
            return 1
        } late: { [late] in
            late.add($0)
        }
    }

    @Test func workInTimeHasItsValue() async {
        gate.open()
        #expect(await slowValue() == 1)
        #expect(late.count == 0)
    }

    @Test func lateWorkContinues() async throws {
        let waiting = Task { await slowValue() }
        try await wait("the work has begun") { gate.waitingCount == 1 && clock.sleeperCount == 1 }
        clock.advance(by: .seconds(1))
        #expect(await waiting.value == nil)
        gate.open()
        try await wait("the work has ended") { late.all == [1] }
    }

    @Test func withoutTimeTheWorkIsNotStarted() async {
        #expect(await value(within: .zero, on: clock) { 1 } == nil)
    }

    @Test func cancellationEndsOnlyWaitsThatAskForIt() async throws {
        let waiting = Task { await slowValue(endsWhenCancelled: true) }
        let uncancelled = Task { await slowValue() }
        try await wait("both have begun") { gate.waitingCount == 2 }
        waiting.cancel()
        uncancelled.cancel()
        #expect(await waiting.value == nil)
        gate.open()
        #expect(await uncancelled.value == 1)
    }
}
