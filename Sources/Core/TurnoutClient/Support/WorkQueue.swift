import Dispatch

/// Runs an actor whose work may block, as on a disk, apart from the threads that Swift's tasks share.
package final class WorkQueue: SerialExecutor {
    private let queue: DispatchQueue

    /// Creates a queue; the label is for debuggers.
    package init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Runs a piece of the actor's work after those before it.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
