#if Redis
    import TurnoutClient

    extension RedisSession {
        /// Executes commands in a transaction, and returns their replies.
        ///
        /// If `MULTI` is not permitted, a server executes the following commands one by one. So on each connection the
        /// first `MULTI` is sent alone.
        func transaction(_ commands: [RedisCommand]) throws(ProfileServerError) -> [Reply] {
            let isPermitted = connection.permitsTransactions
            if !isPermitted {
                guard try answers(to: [.multi]) == [.ok] else { throw .misunderstood }
                connection.permitsTransactions = true
            }
            guard let answers = try commit(commands, begins: isPermitted) else { throw .misunderstood }
            return answers
        }

        /// Executes commands and ends the transaction, which this call or an earlier one has begun.
        ///
        /// - Returns: The replies, or nil if the transaction was aborted because a watched key had changed.
        func commit(_ commands: [RedisCommand], begins: Bool) throws(ProfileServerError) -> [Reply]? {
            let all = (begins ? [.multi] : []) + commands + [.exec]
            var replies = try answers(to: all, isInTransaction: !begins)[...]
            if begins, replies.popFirst() != .ok { throw .misunderstood }
            let end = replies.popLast()
            guard replies.allSatisfy({ $0 == .text("QUEUED") }) else { throw .misunderstood }
            switch end {
            case .null: return nil
            case .array(let answers) where answers.count == commands.count: return answers
            default: throw .misunderstood
            }
        }

        /// Ends an empty transaction, and unwatches all keys.
        func endTransaction() throws(ProfileServerError) { _ = try replies(to: [.exec], isInTransaction: true) }
    }
#endif
