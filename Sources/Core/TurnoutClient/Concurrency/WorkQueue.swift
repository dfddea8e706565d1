import Dispatch

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
