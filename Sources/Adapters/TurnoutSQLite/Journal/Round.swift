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

        /// Who of those who wait writes next.
        enum Heir: Sendable {
            /// The next one who comes.
            case nobody
            /// The first one who came.
            case waiting
            /// The first one who came, and who was told so.
            case appointed
        }

        private struct State {
            var outcome: Outcome?
            var isAppointed = false
        }

        // One call to the system wakes all who wait for a group, but only one of those who wait for a semaphore.
        private let others = DispatchGroup()
        private let heir = DispatchSemaphore(value: 0)
        private let state = Locked(State())

        init() { others.enter() }

        // Dispatch ends the process if a group goes that somebody could still be waiting for.
        deinit { if state.withLock({ $0.outcome == nil }) { others.leave() } }

        /// What became of it; nil: nothing yet.
        var outcome: Outcome? { state.withLock { $0.outcome } }

        /// Waits until it is written, or until the caller, who must be the heir then, has to do it.
        ///
        /// - Returns: Whether the caller has to.
        func wait(asHeir isHeir: Bool) -> Bool {
            guard isHeir else {
                others.wait()
                return false
            }
            heir.wait()
            return state.withLock { $0.isAppointed }
        }

        /// Wakes the heir, and has it write.
        func appoint() {
            state.withLock { $0.isAppointed = true }
            heir.signal()
        }

        /// Tells what became of it. Who waits is still to be woken, once.
        func end(_ outcome: Outcome) { state.withLock { $0.outcome = outcome } }

        /// Wakes those who wait: the heir only if it was not appointed.
        func wake(_ heir: Heir) {
            others.leave()
            if heir == .waiting { self.heir.signal() }
        }
    }
#endif
