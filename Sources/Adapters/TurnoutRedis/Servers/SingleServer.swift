#if Redis
    /// One server that has all keys.
    struct SingleServer: KeyRouting {
        private let pool: Pool
        private let timeout: Duration

        init(_ address: RedisAddress, _ options: RedisOptions) {
            pool = Pool(address, options)
            timeout = options.timeout
        }

        func perform<Result: Sendable>(
            on key: String, _ body: (Session) throws(RedisError) -> Result
        ) throws(RedisError) -> Result {
            try pool.perform(until: .now.advanced(by: timeout), body)
        }

        func replies(to command: (String) -> Command, for keys: [String]) throws(RedisError) -> [Reply] {
            var replies: [Reply] = []
            replies.reserveCapacity(keys.count)
            let deadline = ContinuousClock.now.advanced(by: timeout)
            for batch in keys.batches(of: batchSize) {
                replies += try pool.perform(until: deadline) { (session) throws(RedisError) in
                    try session.answers(to: batch.map(command))
                }
            }
            return replies
        }

        func masters() -> [Pool] { [pool] }
    }
#endif
