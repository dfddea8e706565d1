import Dispatch
import Synchronization

/// Runs tasks on a few threads of their own, apart from those that Swift's tasks share.
///
/// For work that a blocking call waits for: such a call may stand on a shared thread, of which a small machine has one
/// or two, and would otherwise wait for the thread that it blocks. What runs here must not block itself; callers' code
/// goes to ``BlockingCall``.
package final class DispatchExecutor: TaskExecutor {
    /// Serves all blocking calls. It lives for ever because tasks do not keep their executor.
    package static let waitedFor = DispatchExecutor()

    /// Serial queues, which get a thread at once, unlike concurrent ones.
    private let queues = (0..<4).map { DispatchQueue(label: "turnout.tasks.\($0)") }
    private let turn = Atomic(0)

    private init() {}

    /// Runs a piece of a task.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let number = turn.wrappingAdd(1, ordering: .relaxed).newValue
        queues[number & 3].async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
