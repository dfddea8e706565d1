import Dispatch

/// Runs tasks on a few dedicated threads, apart from Swift's concurrency pool.
///
/// For work that a blocking call waits for: such a call may block a thread of the pool, of which a small machine has
/// one or two, and would deadlock if the work needed that thread. Work on this executor should not block; callers' code
/// belongs on ``BlockingCall``, and disk access on a ``WorkQueue``. If some of it blocks nevertheless, other work uses
/// another thread.
package final class DispatchExecutor: TaskExecutor {
    private struct State {
        /// Jobs that no thread has begun.
        var jobs = FIFO<UnownedJob>()
        var idleQueues: [DispatchQueue]
    }

    private let state: Locked<State>

    /// Creates an executor that runs up to `threads` jobs at a time. Each has a serial queue, which gets a thread
    /// immediately, unlike a concurrent one.
    init(threads: Int) {
        state = Locked(State(idleQueues: (0..<threads).map { _ in DispatchQueue(label: "turnout.tasks") }))
    }

    /// Runs a job on the first idle thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let queue = state.withLock { state in
            state.jobs.append(job)
            return state.idleQueues.popLast()
        }
        queue?.async { self.work(on: queue) }
    }

    /// Runs jobs until there are none, then the queue is idle.
    private func work(on queue: DispatchQueue?) {
        while let job = next(on: queue) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next(on queue: DispatchQueue?) -> UnownedJob? {
        state.withLock { state in
            if let job = state.jobs.popFirst() { return job }
            if let queue { state.idleQueues.append(queue) }
            return nil
        }
    }
}

/// Runs an actor with blocking work, such as disk access, apart from Swift's concurrency pool.
package final class WorkQueue: SerialExecutor {
    private let queue: DispatchQueue

    /// Creates a queue; the label is for debuggers.
    package init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Enqueues a job of the actor.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

extension DispatchExecutor {
    /// The executor for all blocking calls. Shared, because a program with many clients must not have 16 threads for
    /// each. It is never deallocated because tasks do not retain their executor.
    package static let blockingCallers = DispatchExecutor(threads: 16)
}
