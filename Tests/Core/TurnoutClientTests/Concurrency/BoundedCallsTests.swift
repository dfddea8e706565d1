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
        #expect(throws: BoundedCalls.Failure.rejected) {
            try calls.outcome(within: waitLimit) { [made] in made.add(1) }
        }
        latch.open()
        try await wait("the pool works again") {
            (try? await blocking { [calls] in try calls.value(within: waitLimit) { true } }) == true
        }
        #expect(made.count == 0)
    }

    @Test func aQueuedCallRunsOnlyIfItsCallerStillWantsIt() async throws {
        _ = calls.start { [latch] in latch.pass() }
        await #expect(throws: BoundedCalls.Failure.timedOut) {
            try await blocking { [calls, made] in try calls.outcome(within: .milliseconds(1)) { made.add(1) } }
        }
        _ = calls.start { [made] in made.add(2) }
        latch.open()
        try await wait("the other call is made") { made.all == [2] }
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
