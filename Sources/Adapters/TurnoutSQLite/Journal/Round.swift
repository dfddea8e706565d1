#if SQLite
    import Dispatch
    import TurnoutClient

    /// What is written in one transaction, for those who wait for it.
    final class Round: Sendable {
        /// What became of it.
        struct Outcome: Sendable {
            /// The places of events that found no room.
            var refused: Set<Int> = []
            /// Why everything is still in memory; nil: it is in the file.
            var error: SQLiteError?
        }

        private struct State {
            var outcome: Outcome?
            var needsLeader = false
        }

        private let semaphore = DispatchSemaphore(value: 0)
        private let state = Locked(State())

        /// What became of it; nil: nothing yet.
        var outcome: Outcome? { state.withLock { $0.outcome } }

        /// Waits until it is written, or until somebody of those who wait has to do it.
        ///
        /// - Returns: Whether the caller has to.
        func wait() -> Bool {
            semaphore.wait()
            return state.withLock { state in
                defer { state.needsLeader = false }
                return state.needsLeader
            }
        }

        /// Wakes one of those who wait, and has it write.
        func appoint() {
            state.withLock { $0.needsLeader = true }
            semaphore.signal()
        }

        /// Tells what became of it. Who waits is still to be woken.
        func end(_ outcome: Outcome) { state.withLock { $0.outcome = outcome } }

        /// Wakes as many of those who wait.
        func wake(_ count: Int) {
            for _ in 0..<count { semaphore.signal() }
        }
    }
#endif
