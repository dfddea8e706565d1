import TestSupport
import Testing
import TurnoutClient

@Suite struct SingleFlightTests {
    private let flights = SingleFlight<String, Int>()
    private let calls = Collected<Int>()

    @Test func concurrentCallersShareOneResult() async throws {
        let gate = Gate()
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    await flights.value(for: "a") {
                        calls.add(1)
                        await gate.pass()
                        return calls.count
                    }
                }
            }
            try await wait("the work has begun") { gate.waitingCount == 1 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // A caller may arrive after the end of the first work.
        #expect(values.count == 10 && calls.count == Set(values).count)
    }

    @Test func keysDoNotShareWork() async {
        async let first = flights.value(for: "a") { 1 }
        async let second = flights.value(for: "b") { 2 }
        let values = await (first, second)
        #expect(values == (1, 2))
    }

    @Test func workWithoutCallersIsCancelled() async throws {
        let caller = Task {
            await flights.value(for: "a") {
                calls.add(1)
                try? await Task.sleep(for: waitLimit)
                return Task.isCancelled ? -1 : 1
            } finish: { _ in
                calls.add(2)
            }
        }
        try await wait("the work has begun") { calls.count == 1 }
        caller.cancel()
        #expect(await caller.value == -1)
        #expect(await flights.value(for: "a") { 3 } == 3, "later callers start new work")
        #expect(calls.all == [1], "abandoned work does not finish")
    }

    @Test func aCancelledCallerDoesNotEndSharedWork() async throws {
        let gate = Gate()
        let callers = (0..<2).map { _ in
            Task {
                await flights.value(for: "a") {
                    calls.add(1)
                    await gate.pass()
                    return Task.isCancelled ? -1 : 1
                }
            }
        }
        try await wait("the work has begun") { gate.waitingCount == 1 }
        // Both have joined once this one has: a task that begins later would start new work.
        try? await Task.sleep(for: .milliseconds(50))
        callers[0].cancel()
        gate.open()
        #expect(await callers[1].value == 1)
    }

    @Test func resettingStartsNewWork() async throws {
        let gate = Gate()
        let finished = Collected<Int>()
        let earlier = Task {
            await flights.value(for: "a") {
                await gate.pass()
                return 1
            } finish: {
                finished.add($0)
            }
        }
        try await wait("the work has begun") { gate.waitingCount == 1 }
        flights.reset()
        #expect(
            await flights.value(for: "a") {
                2
            } finish: {
                finished.add($0)
            } == 2)
        gate.open()
        #expect(await earlier.value == 1, "earlier callers receive the result of theirs")
        #expect(finished.all == [2], "earlier work does not finish")
    }
}
