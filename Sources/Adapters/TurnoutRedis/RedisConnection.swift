import TurnoutClient
import TurnoutSockets

/// A connection to a server, for one call at a time on any thread.
final class RedisConnection: Sendable {
    private let stream: any ByteStream
    private let hasTransactions = Locked(false)

    private init(_ stream: any ByteStream) { self.stream = stream }

    static func open(
        to address: ProfileServerAddress, _ lookup: HostLookup, _ tls: TLSContext?,
        until deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) -> RedisConnection {
        do throws(StreamError) {
            let socket = try Socket.connected(to: address.place, lookup, until: deadline)
            guard let tls else { return RedisConnection(socket) }
            return RedisConnection(
                try TLSStream.begun(on: socket, tls, name: tls.name(of: address), until: deadline))
        } catch { throw ProfileServerError(error) }
    }

    /// Whether the server has accepted a transaction before.
    var permitsTransactions: Bool {
        get { hasTransactions.withLock { $0 } }
        set { hasTransactions.withLock { $0 = newValue } }
    }

    /// Whether input arrived without a request, or the connection has ended.
    var hasUnexpectedInput: Bool { stream.hasUnexpectedInput }

    /// Sends commands in one request and waits for all replies.
    ///
    /// - Throws: `ProfileServerError` if a reply is missing; then the connection must not be used again.
    func replies(to request: RedisRequest, until deadline: ContinuousClock.Instant) throws(ProfileServerError)
        -> [Reply]
    {
        let reader = ReplyReader([request.replyCount])
        let exchange = SocketExchange(on: stream, reader) { _ in request.bytes }
        SocketExchange.complete([exchange], until: deadline)
        if let error = failure(of: exchange, reader) { throw error }
        return reader.replies
    }

    /// Begins to send requests, with a few of them pipelined.
    func begin(_ requests: [RedisRequest]) -> (exchange: SocketExchange, reader: ReplyReader) {
        let reader = ReplyReader(requests.map(\.replyCount))
        let exchange = SocketExchange(
            on: stream, reader, partCount: requests.count, window: Self.requestsOnTheirWay
        ) { requests[$0].bytes }
        return (exchange, reader)
    }

    /// The number of pipelined requests, which hides the latency of a slow network.
    private static let requestsOnTheirWay = 4

    /// Why an exchange failed; nil if it succeeded.
    func failure(of exchange: SocketExchange, _ reader: ReplyReader) -> ProfileServerError? {
        guard let failure = exchange.failure else { return nil }
        // A server sends the reason before it closes a connection.
        if failure.kind == .broken, case .error(let text)? = reader.replies.last {
            return ProfileServerError(reply: text).breakingConnection
        }
        return ProfileServerError(failure)
    }

    /// Authenticates, and selects the database.
    ///
    /// - Throws: `ProfileServerError` if the server refuses; then the connection cannot be used.
    func handshake(_ options: RedisOptions, until deadline: ContinuousClock.Instant) throws(ProfileServerError) {
        var commands: [RedisCommand] = []
        if let password = options.password {
            commands.append(
                options.username.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password))
        }
        if options.database != 0 { commands.append(RedisCommand("SELECT", String(options.database))) }
        guard !commands.isEmpty else { return }
        let session = RedisSession(connection: self, deadline: deadline, isAsking: false)
        let replies = try session.replies(to: commands)
        for (command, reply) in zip(commands, replies) {
            guard case .error(let text) = reply else {
                guard reply == .ok else { throw .invalidResponse }
                continue
            }
            let error = ProfileServerError(reply: text)
            // Other errors are specific enough.
            guard error.code == .rejected || error.code == .refused else { throw error.breakingConnection }
            throw ProfileServerError(
                .refused,
                command.arguments.first == "AUTH"
                    ? Self.refusal(of: text, error)
                    : "the server does not open database \(options.database): \(error.message)",
                breaksConnection: true)
        }
    }

    /// Why a server refuses a user name or a password. The server's text may contain either.
    private static func refusal(of text: String, _ error: ProfileServerError) -> String {
        if text.contains("without any password") || text.contains("no password is set") {
            return "a password is given here, but the server has none for the default user"
        }
        if text.contains("wrong number of arguments") {
            return "a user name is given here, which servers before Redis 6 do not know"
        }
        let isOfPassword = text.hasPrefix("WRONGPASS") || text.contains("invalid password")
        return isOfPassword ? "the server refuses the user name or the password" : error.message
    }
}

/// A connection in use by a call, and the call's deadline.
struct RedisSession {
    let connection: RedisConnection
    let deadline: ContinuousClock.Instant
    /// Whether to send `ASKING`, for keys of slots that are moving to the server.
    let isAsking: Bool

    /// Sends commands together. The replies may include errors. `isInTransaction`: whether `MULTI` was sent before.
    func replies(to commands: [RedisCommand], isInTransaction: Bool = false) throws(ProfileServerError) -> [Reply] {
        let request = RedisRequest(commands, isAsking: isAsking, isInTransaction: isInTransaction)
        return try request.own(connection.replies(to: request, until: deadline))
    }

    /// Sends commands together. Throws if one of them fails.
    func checkedReplies(to commands: [RedisCommand], isInTransaction: Bool = false) throws(ProfileServerError)
        -> [Reply]
    {
        let replies = try replies(to: commands, isInTransaction: isInTransaction)
        for (command, reply) in zip(commands, replies) { if let error = reply.error { throw error.of(command) } }
        return replies
    }

    /// Executes commands in a transaction, and returns their replies.
    ///
    /// If `MULTI` is not permitted, a server executes the following commands one by one. So on each connection the
    /// first `MULTI` is sent alone.
    func transaction(_ commands: [RedisCommand]) throws(ProfileServerError) -> [Reply] {
        let isPermitted = connection.permitsTransactions
        if !isPermitted {
            guard try checkedReplies(to: [.multi]) == [.ok] else { throw .invalidResponse }
            connection.permitsTransactions = true
        }
        guard let replies = try commit(commands, begins: isPermitted) else { throw .invalidResponse }
        return replies
    }

    /// Executes commands and ends the transaction, which this call or an earlier one has begun.
    ///
    /// - Returns: The replies, or nil if the transaction was aborted because a watched key had changed.
    func commit(_ commands: [RedisCommand], begins: Bool) throws(ProfileServerError) -> [Reply]? {
        let all = (begins ? [.multi] : []) + commands + [.exec]
        var replies = try checkedReplies(to: all, isInTransaction: !begins)[...]
        if begins, replies.popFirst() != .ok { throw .invalidResponse }
        let end = replies.popLast()
        guard replies.allSatisfy({ $0 == .text("QUEUED") }) else { throw .invalidResponse }
        switch end {
        case .null: return nil
        case .array(let results) where results.count == commands.count: return results
        default: throw .invalidResponse
        }
    }

    /// Ends an empty transaction, and unwatches all keys.
    func endTransaction() throws(ProfileServerError) { _ = try replies(to: [.exec], isInTransaction: true) }
}
