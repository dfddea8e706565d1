/// How long a failing destination is not called.
@Suite struct CircuitBreakerTests {
    /// Always the middle of the random range.
    private struct Middle: RandomSource { func next() -> UInt64 { 1 << 63 } }

    private let start = ContinuousClock.now
    private var breaker: CircuitBreaker {
        CircuitBreaker(Backoff(first: .milliseconds(50), longest: .seconds(5), random: Middle()))
    }

    private func after(_ milliseconds: Int) -> ContinuousClock.Instant {
        start.advanced(by: .milliseconds(milliseconds))
    }

    @Test func pausesGrowToALimit() {
        var breaker = breaker
        var now = 0
        func admits(after milliseconds: Int) -> Bool {
            breaker.admits(at: after(now + milliseconds), until: after(now + milliseconds))
        }
        #expect(admits(after: 0))
        for pause in [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000] + Array(repeating: 5_000, count: 100) {
            let isFirst = breaker.failed(at: after(now), begunAt: after(now))
            #expect(isFirst == (now == 0))
            #expect(!admits(after: pause - 1))
            #expect(admits(after: pause))
            now += pause
        }
        let ends = [breaker.worked(), breaker.worked()]
        #expect(ends == [true, false] && !breaker.isOutage)
        breaker.failed(at: after(now), begunAt: after(now))
        #expect(!admits(after: 49))
        #expect(admits(after: 50))
    }

    @Test func concurrentFailuresCountOnce() {
        var breaker = breaker
        for call in 0..<8 { breaker.failed(at: after(1_000 + call), begunAt: after(call)) }
        #expect(!breaker.wouldAdmit(at: after(1_049)))
        #expect(breaker.wouldAdmit(at: after(1_050)))
        // A call that was begun before the pause does not affect the probe either.
        let isAdmitted = breaker.admits(at: after(1_060), until: after(2_060))
        #expect(isAdmitted)
        breaker.failed(at: after(1_900), begunAt: after(900))
        #expect(!breaker.wouldAdmit(at: after(2_059)))
        breaker.failed(at: after(2_060), begunAt: after(1_060))
        #expect(!breaker.wouldAdmit(at: after(2_159)))
        #expect(breaker.wouldAdmit(at: after(2_160)))
    }

    @Test func oneProbeAtATimeUntilItsDeadline() {
        var breaker = breaker
        func admits(after milliseconds: Int) -> Bool {
            breaker.admits(at: after(milliseconds), until: after(milliseconds + 1_000))
        }
        breaker.failed(at: start, begunAt: start)
        #expect(admits(after: 60))
        #expect(!admits(after: 60))
        #expect(!admits(after: 1_059))
        #expect(admits(after: 1_060))
    }
}
