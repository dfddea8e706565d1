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
