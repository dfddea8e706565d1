import TurnoutClient

extension RedisSession {
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
