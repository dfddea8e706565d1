import TurnoutClient

/// Lets tasks change the profile of a user one after the other, in order of arrival, without blocking threads. Those
/// for other users do not wait.
final class AgentProfileTurns: Sendable {
    private let clock: any Clock<Duration>
    /// The waiting tasks for each user whose profile is being changed.
    private let waiting = Locked<[ByteKey: FIFO<OneShot<Void>>]>([:])

    /// - Parameter clock: Measures how long tasks wait.
    init(clock: any Clock<Duration>) { self.clock = clock }

    /// Calls `body` when all earlier calls for the user have ended.
    ///
    /// - Throws: `ProfileStoreError.timedOut` without a call if its turn comes after the limit, so that a queue before
    ///   an unresponsive service ends at once; or the error of `body`.
    func take<Value>(
        for userID: String, within limit: Duration, _ body: () async throws -> Value
    ) async throws -> Value {
        let key = ByteKey(userID)
        let elapsed = clock.stopwatch()
        let turn: OneShot<Void>? = waiting.withLock { waiting in
            guard waiting[key] != nil else {
                waiting[key] = FIFO()
                return nil
            }
            let turn = OneShot<Void>()
            waiting[key]?.append(turn)
            return turn
        }
        if let turn { _ = await turn.value() }
        defer { end(key) }
        guard turn == nil || elapsed() < limit else { throw ProfileStoreError.timedOut }
        return try await body()
    }

    private func end(_ key: ByteKey) {
        let next: OneShot<Void>? = waiting.withLock { waiting in
            if let next = waiting[key]?.popFirst() { return next }
            waiting[key] = nil
            return nil
        }
        next?.end(())
    }
}
