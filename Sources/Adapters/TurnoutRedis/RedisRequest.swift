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

/// A command: a name and arguments, which may be any text.
struct RedisCommand: Sendable {
    let arguments: [String]

    init(_ arguments: String...) { self.arguments = arguments }
    init(_ arguments: [String]) { self.arguments = arguments }

    static let asking = RedisCommand("ASKING")
    static let multi = RedisCommand("MULTI")
    static let exec = RedisCommand("EXEC")

    /// Appends the encoded command: the number of arguments, then each argument after its length.
    func encode(into bytes: inout [UInt8]) {
        Self.append("*", arguments.count, to: &bytes)
        for argument in arguments {
            Self.append("$", argument.utf8.count, to: &bytes)
            bytes.append(contentsOf: argument.utf8)
            bytes.append(contentsOf: Self.lineEnd)
        }
    }

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    private static func append(_ mark: Unicode.Scalar, _ number: Int, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: mark))
        bytes.append(contentsOf: String(number).utf8)
        bytes.append(contentsOf: lineEnd)
    }
}
