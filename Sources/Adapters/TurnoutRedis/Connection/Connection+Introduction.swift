#if Redis
    extension Connection {
        /// Says who we are, and which database we want.
        ///
        /// - Throws: If the server does not agree; the connection is of no use then.
        func introduce(_ options: RedisOptions, until deadline: ContinuousClock.Instant) throws(RedisError) {
            var commands: [Command] = []
            if let password = options.password {
                commands.append(options.username.map { Command("AUTH", $0, password) } ?? Command("AUTH", password))
            }
            if options.database != 0 { commands.append(Command("SELECT", String(options.database))) }
            guard !commands.isEmpty else { return }
            let session = Session(connection: self, deadline: deadline, isAsking: false)
            let replies = try session.replies(to: commands)
            for (command, reply) in zip(commands, replies) {
                guard let error = reply.error else {
                    guard reply == .ok else { throw .misunderstood }
                    continue
                }
                throw RedisError(
                    error.code == .rejected ? .refused : error.code,
                    command.arguments.first == "AUTH"
                        ? "the server refuses the user name or the password"
                        : "the server does not open the database \(options.database): \(error.message)",
                    breaksConnection: true)
            }
        }
    }
#endif
