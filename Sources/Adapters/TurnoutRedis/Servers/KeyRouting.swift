#if Redis
    /// Who sends each command to the server that has its key.
    protocol KeyRouting: Sendable {
        /// Calls `body` with a connection to the server that has a key; again if it turns out to be another.
        func perform<Result: Sendable>(
            on key: String, _ body: (Session) throws(RedisError) -> Result
        ) throws(RedisError) -> Result

        /// The replies to one command for each key, in order. None is an error.
        func replies(to command: (String) -> Command, for keys: [String]) throws(RedisError) -> [Reply]

        /// The servers that together have all keys.
        func masters() throws(RedisError) -> [Pool]
    }

    /// How many commands are sent together. With more of them the server would keep as many replies in its memory.
    let batchSize = 1_000

    extension Collection {
        /// Parts of at most so many elements.
        func batches(of size: Int) -> [SubSequence] {
            var (batches, rest) = ([SubSequence](), self[...])
            while !rest.isEmpty {
                batches.append(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            return batches
        }
    }
#endif
