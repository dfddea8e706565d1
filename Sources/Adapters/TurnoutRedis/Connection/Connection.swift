#if Redis
    import TurnoutClient

    /// A connection to a server, which threads may hand on. Whoever took it from its pool is the only one to use it.
    final class Connection: Sendable {
        private let channel: Locked<Channel>
        private let hasTransactions = Locked(false)

        /// Connects.
        init(to address: RedisAddress, until deadline: ContinuousClock.Instant) throws(RedisError) {
            channel = Locked(try Channel(to: address, until: deadline))
        }

        /// Whether the server has agreed to a transaction before.
        var permitsTransactions: Bool {
            get { hasTransactions.withLock { $0 } }
            set { hasTransactions.withLock { $0 = newValue } }
        }

        /// Whether something came that nobody asked for, which includes the end of the connection.
        var hasUnexpectedInput: Bool { channel.withLock { $0.hasUnexpectedInput } }

        /// Sends commands in one piece and waits for all their replies.
        ///
        /// - Throws: If not all came; the connection must not be used again then.
        func exchange(
            _ request: [UInt8], replyCount: Int, until deadline: ContinuousClock.Instant
        ) throws(RedisError) -> [Reply] {
            try channel.withLock { (channel) throws(RedisError) in
                try channel.exchange(request, replyCount: replyCount, until: deadline)
            }
        }
    }
#endif
