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
    /// watches the key, and starts anew if somebody else was faster. No script is needed, nor the permission for one.
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
                    throw RedisError(.deadlineExceeded, "others changed the user's assignments all the time")
                }
                // A little apart from those who try at the same time.
                usleep(.random(in: 0..<500))
            }
        }

        /// Whether nobody else changed the value meanwhile.
        private func merge(
            _ assignments: [String: String], under key: String, _ session: Session
        ) throws(RedisError) -> Bool {
            let answers = try session.replies(to: [Command("WATCH", key), lookup(key)])
            var value: AgentValue
            do throws(RedisError) {
                if let error = answers[0].error ?? answers[1].error { throw error }
                value = try self.value(in: answers[1])
            } catch {
                // The connection's next transaction must not fail because of this one.
                if !error.breaksConnection { _ = try session.replies(to: [Command("UNWATCH")]) }
                throw error
            }
            value.assignments.merge(assignments) { $1 }
            let set = Command(["SET", key, value.text] + (timeToLive.map { ["PX", $0] } ?? []))
            return try session.answers(to: [Command("MULTI"), set, Command("EXEC")])[2] != .null
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
