import TurnoutClient

/// One server that has all keys.
struct SingleServer: KeyRouting {
    private let pool: Pool
    private let timeout: Duration

    init(_ address: ProfileServerAddress, _ options: RedisOptions, _ tls: TLSContext?) {
        pool = Pool(address, options, tls)
        timeout = options.timeout
    }

    func perform<Result: Sendable>(
        on key: String, _ body: (RedisSession) throws(ProfileServerError) -> Result
    ) throws(ProfileServerError) -> Result {
        try pool.perform(until: .now.advanced(by: timeout), body)
    }

    func replies(to commands: [RedisCommand], for keys: [String]) throws(ProfileServerError) -> [Reply] {
        let commands = ManyCommands(pool, commands, isAsking: false)
        var replies: [Reply] = []
        replies.reserveCapacity(keys.count)
        for outcome in Pool.outcomes(of: [commands], until: .now.advanced(by: timeout))[0] {
            replies.append(try outcome.get())
        }
        return replies
    }

    func masters() -> [Pool] { [pool] }
}
