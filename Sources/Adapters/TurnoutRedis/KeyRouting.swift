import TurnoutClient

/// Sends each command to the server that has its key.
protocol KeyRouting: Sendable {
    /// Calls `body` with a connection to the server that has a key, and again if the key turns out to be on another
    /// server.
    func perform<Result: Sendable>(
        on key: String, _ body: (RedisSession) throws(ProfileServerError) -> Result
    ) throws(ProfileServerError) -> Result

    /// The replies to commands, in order, each for the key at the same place. No reply is an error.
    func replies(to commands: [RedisCommand], for keys: [String]) throws(ProfileServerError) -> [Reply]

    /// The servers that together have all keys.
    func masters() throws(ProfileServerError) -> [Pool]
}

extension KeyRouting {
    /// The reply to a command for a key, which is no error.
    func reply(to command: RedisCommand, for key: String) throws(ProfileServerError) -> Reply {
        try perform(on: key) { (session) throws(ProfileServerError) in
            try session.checkedReplies(to: [command])
        }[0]
    }
}

/// The number of commands per request. A server holds all replies to a request in memory.
let batchSize = 1_000

extension Collection {
    /// Consecutive parts of at most `size` elements.
    func batches(of size: Int) -> [SubSequence] {
        var (batches, rest) = ([SubSequence](), self[...])
        while !rest.isEmpty {
            batches.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        return batches
    }
}

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
        let commands = ManyCommands(pool: pool, commands: commands, isAsking: false)
        var replies: [Reply] = []
        replies.reserveCapacity(keys.count)
        for outcome in Pool.outcomes(of: [commands], until: .now.advanced(by: timeout))[0] {
            replies.append(try outcome.get())
        }
        return replies
    }

    func masters() -> [Pool] { [pool] }
}
