#if Redis
    /// Whether a server that failed is tried again yet: after 50 ms · 2ⁿ, at most some seconds.
    ///
    /// A value type; time and chance come from the caller.
    package struct Backoff: Sendable {
        private static let firstPause = Duration.milliseconds(50)
        private static let longestPause = Duration.seconds(5)

        private var failures = 0
        private var retryAt: ContinuousClock.Instant?

        /// Nothing failed so far.
        package init() {}

        /// Whether the server may be tried. Who is first after a pause tries it for the others, who go on without it as
        /// long as that takes: at most `trial`.
        package mutating func admits(at now: ContinuousClock.Instant, trial: Duration) -> Bool {
            guard let retryAt else { return true }
            guard now >= retryAt else { return false }
            self.retryAt = now.advanced(by: trial)
            return true
        }

        /// Notes a failure. `chance` is between 0 and 1, and keeps many clients from coming back together.
        package mutating func failed(at now: ContinuousClock.Instant, chance: Double) {
            let pause = min(Self.firstPause * (1 << min(failures, 10)), Self.longestPause) * (0.75 + chance / 2)
            failures += 1
            retryAt = now.advanced(by: pause)
        }

        /// Forgets all failures: the server answered.
        package mutating func succeeded() {
            failures = 0
            retryAt = nil
        }
    }
#endif
