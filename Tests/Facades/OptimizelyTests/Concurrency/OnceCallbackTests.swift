@Suite struct OnceCallbackTests {
    private let results = Collected<Int?>()

    private func callback() -> OnceCallback<Int> {
        OnceCallback { [results] in
            if case .success(let value) = $0 { results.add(value) } else { results.add(nil) }
        }
    }

    @Test func onlyTheFirstResultCounts() {
        let callback = callback()
        callback.give { .success(1) }
        callback.give {
            Issue.record("a later result is not evaluated")
            return .success(2)
        }
        #expect(results.all == [1])
    }

    @Test func aCallbackThatIsReleasedReportsAFailure() {
        _ = callback()
        #expect(results.all == [nil])
    }

    @Test func oneOfManyThreadsGivesTheResult() {
        let callback = callback()
        onThreads(16) { number in callback.give { .success(number) } }
        #expect(results.count == 1 && results.all[0] != nil)
    }
}
