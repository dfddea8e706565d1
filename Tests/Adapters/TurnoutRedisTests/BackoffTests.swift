#if Redis
    import Testing
    import TurnoutRedis

    /// How long servers that fail are left alone.
    @Suite struct RedisBackoffTests {
        private let start = ContinuousClock.now

        @Test func pausesGrowToSomeSeconds() {
            var backoff = Backoff()
            var now = start
            func admits(after milliseconds: Int) -> Bool {
                backoff.admits(at: now.advanced(by: .milliseconds(milliseconds)), trial: .zero)
            }
            #expect(admits(after: 0))
            for pause in [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000] + Array(repeating: 5_000, count: 100) {
                backoff.failed(at: now, chance: 0.5)
                #expect(!admits(after: pause - 1))
                #expect(admits(after: pause))
                now = now.advanced(by: .milliseconds(pause))
            }
            backoff.succeeded()
            #expect(admits(after: 0))
            backoff.failed(at: now, chance: 0)
            #expect(admits(after: 38))
        }

        @Test func oneTriesForTheOthers() {
            var backoff = Backoff()
            func admits(after milliseconds: Int) -> Bool {
                backoff.admits(at: start.advanced(by: .milliseconds(milliseconds)), trial: .milliseconds(250))
            }
            backoff.failed(at: start, chance: 0.5)
            #expect(admits(after: 60))
            #expect(!admits(after: 60))
            #expect(!admits(after: 309))
            #expect(admits(after: 310))
        }
    }
#endif
