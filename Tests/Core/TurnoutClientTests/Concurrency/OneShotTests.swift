import TestSupport
import Testing
import TurnoutClient

@Suite struct OneShotTests {
    private let result = OneShot<Int>()

    @Test func onlyTheFirstValueCounts() async {
        #expect(!result.isEnded)
        #expect(result.end(1))
        #expect(result.isEnded)
        #expect(!result.end(2))
        #expect(await result.value() == 1)
    }

    @Test func aTaskWaitsForTheValue() async {
        let waiting = Task { await result.value() }
        await Task.yield()
        #expect(result.end(1))
        #expect(await waiting.value == 1)
        #expect(!result.end(2))
    }

    @Test func aThreadWaitsForTheValue() async throws {
        let waiting = Task { try await blocking { [result] () -> Int? in result.value(within: waitLimit) } }
        await Task.yield()
        #expect(result.end(1))
        #expect(try await waiting.value == 1)
    }

    @Test func aThreadWaitsNoLongerThanItsLimit() async throws {
        let value = try await blocking { [result] () -> Int? in result.value(within: .milliseconds(1)) }
        #expect(value == nil)
        #expect(!result.end(1), "the value is late")
        let ended = OneShot<Int>()
        ended.end(1)
        let known: Int? = ended.value(within: .zero)
        #expect(known == 1)
    }

    @Test func aThreadCanWaitWithoutALimit() async throws {
        let waiting = Task { try await blocking { [result] in result.blockingValue() } }
        await Task.yield()
        #expect(result.end(1))
        #expect(try await waiting.value == 1)
        let known = result.blockingValue()
        #expect(known == 1)
    }

    @Test func aWaitCanBeEndedWithoutAValue() async {
        let waiting = Task { await result.value() }
        await Task.yield()
        #expect(result.end(nil))
        #expect(await waiting.value == nil)
    }

    @Test func oneOfManyThreadsSetsTheValue() async {
        let winners = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<8 { group.addTask { result.end(number) ? number : nil } }
            return await group.compactMap { $0 }.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(winners.count == 1)
        #expect(await result.value() == winners.first)
    }
}
