import TurnoutClient

/// Commands that are sent in one piece, with the `ASKING` commands that they need.
struct RedisRequest {
    private(set) var bytes: [UInt8] = []
    /// Whether each reply is one to `ASKING`; empty if none is.
    private var isAsked: [Bool] = []
    private let commandCount: Int

    /// Creates a request. `isAsking`: whether to send `ASKING`, for keys of slots that are moving to the server.
    /// `isInTransaction`: whether `MULTI` was sent before.
    init(_ commands: some Collection<RedisCommand>, isAsking: Bool, isInTransaction: Bool = false) {
        commandCount = commands.count
        bytes.reserveCapacity(commands.count * 128)
        var isInTransaction = isInTransaction
        for command in commands {
            // `ASKING` applies to the next command, or to a whole transaction.
            if isAsking, !isInTransaction {
                RedisCommand.asking.encode(into: &bytes)
                isAsked.append(true)
            }
            if command.arguments.first == "MULTI" { isInTransaction = true }
            if command.arguments.first == "EXEC" { isInTransaction = false }
            command.encode(into: &bytes)
            if isAsking { isAsked.append(false) }
        }
    }

    /// The number of expected replies.
    var replyCount: Int { isAsked.isEmpty ? commandCount : isAsked.count }

    /// The replies to the commands, without those to `ASKING`.
    func own(_ replies: some Collection<Reply>) throws(ProfileServerError) -> [Reply] {
        guard !isAsked.isEmpty else { return Array(replies) }
        for (reply, isAsked) in zip(replies, isAsked) where isAsked {
            if let error = reply.error { throw error.of(.asking) }
        }
        return zip(replies, isAsked).filter { !$1 }.map(\.0)
    }
}
