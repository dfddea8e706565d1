#if SQLite
    import Dispatch
    import TurnoutClient

    /// The threads and tasks that wait for one transaction, and its outcome: group commit. One thread writes what all
    /// of them added: the leader, which is one of the waiting threads, or the background thread.
    package final class CommitGroup: Sendable {
        struct Outcome: Sendable {
            /// The indices of events that did not fit into the file.
            var refused: Set<Int> = []
            /// Why everything is still in memory only; nil if it is in the file.
            var error: SQLiteError?
        }

        /// Which waiting thread leads the next commit.
        package enum NextLeader: Sendable {
            /// The next thread that joins; none waits yet.
            case none
            /// The first thread that joined.
            case waiting
            /// The first thread that joined; it has been promoted.
            case promoted
        }

        private struct State {
            var outcome: Outcome?
            var isPromoted = false
            /// The tasks that wait for the transaction.
            var tasks: [CheckedContinuation<Void, Never>] = []
        }

        // Leaving a dispatch group wakes all its waiters with one system call; a semaphore wakes one.
        private let followers = DispatchGroup()
        private let nextLeader = DispatchSemaphore(value: 0)
        private let state = Locked(State())

        package let number: Int

        init(number: Int) {
            self.number = number
            followers.enter()
        }

        // Dispatch ends the process if a group with a pending enter is deallocated.
        deinit { if state.withLock({ $0.outcome == nil }) { followers.leave() } }

        /// The outcome of the transaction; nil until it has ended.
        var outcome: Outcome? { state.withLock { $0.outcome } }

        /// Throws the error of the transaction, which has ended.
        func check() throws(SQLiteError) { if let error = outcome?.error { throw error } }

        /// Waits until the transaction has ended, or until the caller, if it is the next leader, is promoted.
        ///
        /// - Returns: Whether the caller has to lead the commit.
        func wait(asNextLeader isNextLeader: Bool) -> Bool {
            guard isNextLeader else {
                followers.wait()
                return false
            }
            nextLeader.wait()
            return state.withLock { $0.isPromoted }
        }

        /// Resumes a task when the transaction has ended.
        func resume(_ task: CheckedContinuation<Void, Never>) {
            let hasEnded = state.withLock { state in
                if state.outcome == nil { state.tasks.append(task) }
                return state.outcome != nil
            }
            if hasEnded { task.resume() }
        }

        /// Wakes the next leader to lead the commit.
        func promote() {
            state.withLock { $0.isPromoted = true }
            nextLeader.signal()
        }

        /// Sets the outcome. ``wake(_:)`` must be called once afterwards.
        func end(_ outcome: Outcome) { state.withLock { $0.outcome = outcome } }

        /// Wakes the waiting threads and tasks; the next leader only if it was not promoted.
        func wake(_ nextLeader: NextLeader) {
            followers.leave()
            for task in state.withLock({ $0.tasks }) { task.resume() }
            if nextLeader == .waiting { self.nextLeader.signal() }
        }
    }

    /// A group that no caller can join any more: its transaction has begun, or could not begin.
    package struct ClosedGroup: Sendable {
        let members: CommitGroup
        package let nextLeader: CommitGroup.NextLeader
        /// The number of events in its transaction.
        package let eventCount: Int
        package var number: Int { members.number }

        /// Sets the outcome. ``wake()`` must be called once afterwards.
        func end(_ outcome: CommitGroup.Outcome) { members.end(outcome) }

        /// Wakes the threads and tasks.
        func wake() { members.wake(nextLeader) }
    }
#endif
