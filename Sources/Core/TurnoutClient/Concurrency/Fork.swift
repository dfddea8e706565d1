import LibC
import Synchronization

/// Detects that this process is a child created by `fork()` without a following `exec`.
///
/// Such a child has only the thread that forked, and copies of all memory: data in its buffers is also written by the
/// parent, and threads that its counters include do not exist.
package enum Fork {
    /// The number of forks between this process and the one that first called this. Objects from another generation are
    /// copies of the parent's.
    package static var generation: Int {
        _ = isObserved
        return count.load(ordering: .relaxed)
    }
}

extension Fork {
    /// The number of forks since the first call of ``generation``. A fork copies the process with all its objects.
    static let count = Atomic(0)

    /// Counts forks from the first access on. The system calls such functions until the process ends.
    static let isObserved: Void = {
        _ = pthread_atfork(nil, nil) { Fork.count.add(1, ordering: .relaxed) }
    }()
}
