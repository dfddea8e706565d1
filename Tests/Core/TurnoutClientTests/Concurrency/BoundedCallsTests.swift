import TestSupport
import Testing
import TurnoutClient

@Suite struct BoundedCallsTests {
    private let calls = BoundedCalls(limit: 1)
    private let latch = Latch()
    private let made = Collected<Int>()

    @Test func callersReceiveTheValueOrTheError() async throws {
        let value = try await blocking { [calls] in try calls.value(within: waitLimit) { 7 } }
        #expect(value == 7)
        await #expect(throws: TestError()) {
            try await blocking { [calls] in
                try calls.value(within: waitLimit) { () throws -> Int in throw TestError() }
            }
        }
    }

    @Test func furtherCallsFailAtOnceWhenAllAreLate() async throws {
        await #expect(throws: BoundedCalls.Failure.timedOut) {
            try await blocking { [calls, latch] in
                try calls.outcome(within: .milliseconds(1)) { latch.pass() }
            }
        }
        #expect(throws: BoundedCalls.Failure.rejected) { try calls.begin { [made] in made.add(1) } }
        latch.open()
        try await wait("the pool works again") {
            (try? await blocking { [calls] in try calls.value(within: waitLimit) { true } }) == true
        }
        #expect(made.count == 0)
    }

    @Test func aQueuedCallRunsOnlyIfItsCallerStillWantsIt() async throws {
        _ = try calls.begin { [latch] in latch.pass() }
        await #expect(throws: BoundedCalls.Failure.timedOut) {
            try await blocking { [calls, made] in try calls.outcome(within: .milliseconds(1)) { made.add(1) } }
        }
        let number = try calls.begin { [made] in made.add(2) }
        calls.giveUp(number, runsAnyway: true)
        _ = try calls.begin { [made] in made.add(3) }
        latch.open()
        try await wait("both calls are made") { made.all == [2, 3] }
    }

    @Test func aQueuedCallThatIsLateStaysLateWhenItRuns() async throws {
        let second = Latch()
        _ = try calls.begin { [latch] in latch.pass() }
        let number = try calls.begin { [made] in
            made.add(1)
            second.pass()
        }
        calls.giveUp(number, runsAnyway: true)
        latch.open()
        try await wait("the second call runs") { made.count == 1 }
        #expect(throws: BoundedCalls.Failure.rejected) { try calls.begin {} }
        second.open()
    }

    @Test func aLateCallThatReturnsLetsOthersQueue() async throws {
        let number = try calls.begin { [latch] in latch.pass() }
        calls.giveUp(number, runsAnyway: true)
        #expect(throws: BoundedCalls.Failure.rejected) { try calls.begin {} }
        calls.responded(number)
        _ = try calls.begin { [made] in made.add(1) }
        latch.open()
        try await wait("the queued call is made") { made.count == 1 }
    }

    @Test func callsWithoutDeadlineQueueUpToTheirLimit() async throws {
        let results = [
            calls.start { [latch] in latch.pass() },
            calls.start({ [made] in made.add(1) }, queueLimit: 1),
            calls.start({ [made] in made.add(2) }, queueLimit: 1),
            calls.start { [made] in made.add(3) },
        ]
        #expect(results == [true, true, false, true])
        latch.open()
        try await wait("the others are made in order") { made.all == [1, 3] }
    }
}
