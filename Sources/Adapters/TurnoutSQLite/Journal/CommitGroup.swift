import Dispatch
import TurnoutClient

/// The threads and tasks that wait for one transaction, and its outcome.
package final class CommitGroup: Sendable {
    package struct Outcome: Sendable {
        /// The temporary ids of events that did not fit into the file.
        var refused: Set<Int64> = []
        /// Why everything is still in memory only; nil if it is in the file.
        var error: SQLiteError?
    }

    private struct State {
        var outcome: Outcome?
        var tasks: [CheckedContinuation<Void, Never>] = []
    }

    // Leaving a dispatch group wakes all its waiters with one system call; a semaphore wakes one.
    private let threads = DispatchGroup()
    private let state = Locked(State())

    init() { threads.enter() }

    // Dispatch ends the process if a group with a pending enter is deallocated.
    deinit { if state.withLock({ $0.outcome == nil }) { threads.leave() } }

    /// Blocks the thread until the transaction has ended.
    func wait() -> Outcome {
        threads.wait()
        return state.withLock { $0.outcome } ?? Outcome()
    }

    /// Waits until the transaction has ended, without blocking a thread.
    func outcome() async -> Outcome {
        await withCheckedContinuation { task in
            let hasEnded = state.withLock { state in
                if state.outcome == nil { state.tasks.append(task) }
                return state.outcome != nil
            }
            if hasEnded { task.resume() }
        }
        return wait()
    }

    /// The transaction has ended: wakes the threads and tasks. Called once.
    func end(_ outcome: Outcome) {
        let tasks = state.withLock { state in
            state.outcome = outcome
            return state.tasks
        }
        threads.leave()
        for task in tasks { task.resume() }
    }
}
