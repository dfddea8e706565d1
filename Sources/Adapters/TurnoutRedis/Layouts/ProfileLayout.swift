#if Redis
    import TurnoutEngine

    /// What a user's assignments look like in Redis.
    protocol ProfileLayout: Sendable {
        /// Asks for what is under a key.
        func lookup(_ key: String) -> Command

        /// What an answer to that means.
        func profile(in reply: Reply) throws(RedisError) -> UserProfile

        /// Adds assignments to those under a key, so that nobody else's are lost. May be done twice.
        func remember(_ assignments: [String: String], under key: String, _ session: Session) throws(RedisError)
    }
#endif
