import Dispatch
import Synchronization

/// Runs tasks on a few threads of their own, apart from those that Swift's tasks share.
///
/// For work that a blocking call waits for: such a call may stand on a shared thread, of which a small machine has one
/// or two, and would otherwise wait for the thread that it blocks. What runs here should not block itself; callers'
/// code goes to ``BlockingCall``, and what waits for a disk to a ``WorkQueue``. Should some of it block nevertheless,
/// the rest takes another thread.
package final class DispatchExecutor: TaskExecutor {
    /// A serial queue, which gets a thread at once, unlike a concurrent one.
    private final class Lane: Sendable {
        let queue = DispatchQueue(label: "turnout.tasks")
        /// How many pieces wait here or run.
        let load = Atomic(0)
    }

    /// Serves all blocking calls. It lives for ever because tasks do not keep their executor.
    package static let waitedFor = DispatchExecutor()

    private let lanes = (0..<16).map { _ in Lane() }

    private init() {}

    /// Runs a piece of a task, on the first thread that has nothing to do.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let lane = takeLane()
        lane.queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            lane.load.subtract(1, ordering: .relaxed)
        }
    }

    private func takeLane() -> Lane {
        for lane in lanes where lane.load.load(ordering: .relaxed) == 0 {
            if lane.load.compareExchange(expected: 0, desired: 1, ordering: .relaxed).exchanged { return lane }
        }
        let lane = lanes.min { $0.load.load(ordering: .relaxed) < $1.load.load(ordering: .relaxed) } ?? lanes[0]
        lane.load.add(1, ordering: .relaxed)
        return lane
    }
}
