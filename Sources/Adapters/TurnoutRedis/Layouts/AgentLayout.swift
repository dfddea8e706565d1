#if Redis
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif
    import TurnoutEngine

    /// A JSON object for each user, as Optimizely's Agent keeps it. The server cannot merge such values, so each merge
    /// watches the key, and starts anew if somebody else was faster. Nothing is written before the server has agreed to
    /// a transaction. No script is needed, nor the permission for one.
    struct AgentLayout: ProfileLayout {
        /// Milliseconds; nil: for ever.
        let timeToLive: String?

        func lookup(_ key: String) -> Command { Command("GET", key) }

        func profile(in reply: Reply) throws(RedisError) -> UserProfile {
            UserProfile(try value(in: reply).assignments)
        }

        func remember(_ assignments: [String: String], under key: String, _ session: Session) throws(RedisError) {
            while try !merge(assignments, under: key, session) {
                guard ContinuousClock.now < session.deadline else {
                    throw RedisError(.contended, "others changed the profile all the time")
                }
                // A little apart from those who try at the same time.
                usleep(.random(in: 0..<500))
            }
        }

        /// Whether nobody else changed the value meanwhile.
        private func merge(
            _ assignments: [String: String], under key: String, _ session: Session
        ) throws(RedisError) -> Bool {
            let commands = [Command("WATCH", key), lookup(key), .multi]
            let replies = try session.replies(to: commands)
            let isBegun = replies[2] == .ok
            var value: AgentValue
            do throws(RedisError) {
                for (command, reply) in zip(commands, replies) {
                    if let error = reply.error { throw error.of(command) }
                }
                guard replies[0] == .ok, isBegun else { throw .misunderstood }
                value = try self.value(in: replies[1])
            } catch {
                // Whoever is given the connection next must be in no transaction.
                if isBegun, !error.breaksConnection { try session.endTransaction() }
                throw error
            }
            value.assignments.merge(assignments) { $1 }
            let set = Command(["SET", key, value.text] + (timeToLive.map { ["PX", $0] } ?? []))
            guard let answers = try session.commit([set], begins: false) else { return false }
            guard answers == [.ok] else { throw .misunderstood }
            return true
        }

        private func value(in reply: Reply) throws(RedisError) -> AgentValue {
            switch reply {
            case .null: return AgentValue()
            case .text(let text): return try AgentValue(text)
            case .bytes: throw AgentValue.foreign
            default: throw .misunderstood
            }
        }
    }
#endif
