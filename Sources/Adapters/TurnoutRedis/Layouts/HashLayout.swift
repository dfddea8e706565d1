#if Redis
    import TurnoutEngine

    /// A hash for each user. The server merges by itself: each assignment is a field of its own.
    struct HashLayout: ProfileLayout {
        /// Milliseconds; nil: for ever.
        let timeToLive: String?

        func lookup(_ key: String) -> Command { Command("HGETALL", key) }

        func profile(in reply: Reply) throws(RedisError) -> UserProfile {
            guard let elements = reply.elements, elements.count.isMultiple(of: 2) else { throw .misunderstood }
            var assignments: [String: String] = [:]
            assignments.reserveCapacity(elements.count / 2)
            for place in stride(from: 0, to: elements.count, by: 2) {
                // Ids are text. What is not is somebody else's.
                guard let experiment = elements[place].text, let variation = elements[place + 1].text else { continue }
                assignments[experiment] = variation
            }
            return UserProfile(assignments)
        }

        func remember(_ assignments: [String: String], under key: String, _ session: Session) throws(RedisError) {
            let hset = Command(["HSET", key] + assignments.flatMap { [$0, $1] })
            let answers =
                if let timeToLive {
                    // Together: a server that fails in between would keep the user for ever.
                    try session.transaction([hset, Command("PEXPIRE", key, timeToLive)])
                } else {
                    try session.answers(to: [hset])
                }
            guard answers.allSatisfy({ $0.integer != nil }) else { throw .misunderstood }
        }
    }
#endif
