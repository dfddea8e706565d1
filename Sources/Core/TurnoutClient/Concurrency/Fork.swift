import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// Detects that this process is a child created by `fork()` without a following `exec`.
///
/// Such a child has only the thread that forked, and copies of all memory: data in its buffers is also written by the
/// parent, and threads that its counters include do not exist.
package enum Fork {
    private static let count = Atomic(0)
    private static let isObserved: Void = {
        _ = pthread_atfork(nil, nil) { Fork.count.add(1, ordering: .relaxed) }
    }()

    /// The number of forks between this process and the one that first called this. Objects from another generation are
    /// copies of the parent's.
    package static var generation: Int {
        _ = isObserved
        return count.load(ordering: .relaxed)
    }
}
