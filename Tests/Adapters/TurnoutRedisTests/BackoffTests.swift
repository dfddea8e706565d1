#if Redis
    import Testing
    import TurnoutRedis

    /// How long servers that fail are left alone.
    @Suite struct RedisBackoffTests {
        private let start = ContinuousClock.now

        @Test func pausesGrowToSomeSeconds() {
            var backoff = Backoff()
            var now = start
            #expect(backoff.admits(at: now, trial: .seconds(1)))
            for pause in [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000] + Array(repeating: 5_000, count: 100) {
                backoff.failed(at: now, chance: 0.5)
                #expect(!backoff.admits(at: now.advanced(by: .milliseconds(pause - 1)), trial: .zero))
                now = now.advanced(by: .milliseconds(pause))
                #expect(backoff.admits(at: now, trial: .zero))
            }
            backoff.succeeded()
            #expect(backoff.admits(at: now, trial: .zero))
            backoff.failed(at: now, chance: 0)
            #expect(backoff.admits(at: now.advanced(by: .milliseconds(38)), trial: .zero))
        }

        @Test func oneTriesForTheOthers() {
            var backoff = Backoff()
            backoff.failed(at: start, chance: 0.5)
            let later = start.advanced(by: .milliseconds(60))
            #expect(backoff.admits(at: later, trial: .milliseconds(250)))
            #expect(!backoff.admits(at: later, trial: .milliseconds(250)))
            #expect(!backoff.admits(at: later.advanced(by: .milliseconds(249)), trial: .milliseconds(250)))
            #expect(backoff.admits(at: later.advanced(by: .milliseconds(250)), trial: .milliseconds(250)))
        }
    }
#endif
