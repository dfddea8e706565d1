import TurnoutClient

extension RedisConnection {
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
