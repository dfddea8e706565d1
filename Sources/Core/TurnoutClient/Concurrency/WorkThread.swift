import LibC
import Synchronization

/// Dedicated threads, as many as there are calls; ``BoundedCalls`` and other callers limit them. An idle thread waits a
/// while for more work: starting a thread takes longer than waking one.
package enum WorkThread {
    /// An idle thread, which waits for work.
    typealias IdleThread = OneShot<@Sendable () -> Void>

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// More than most programs use concurrently; each takes about 16 KB.
    private static let idleThreadLimit = 32
    private static let idleTimeout = Duration.seconds(10)

    struct IdleThreads {
        private var threads: [IdleThread] = []
        private var generation = Fork.generation

        /// The threads of this process: after a fork, the parent's do not exist in the child.
        var own: [IdleThread] {
            mutating get {
                if generation != Fork.generation { (threads, generation) = ([], Fork.generation) }
                return threads
            }
            set { threads = newValue }
        }
    }

    /// Runs a function on a thread, or on the current one if the system has no more.
    package static func run(_ body: @escaping @Sendable () -> Void) {
        if !start(body) { body() }
    }

    /// Runs a function on a thread. Returns false without running it if the system has no more: for callers that must
    /// not wait, such as decisions.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        while let thread = idleThreads.withLock({ $0.own.popLast() }) {
            // It does not take the work if its time is over.
            if thread.end(body) { return true }
        }
        return startNew(body)
    }

    /// Like ``start(_:)``, but never on an idle thread, and without a lock.
    static func startNew(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(body))
        let isStarted = create(work.toOpaque())
        if !isStarted { work.release() }
        return isStarted
    }

    private static func perform(_ work: UnsafeMutableRawPointer) {
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
    }

    /// Runs jobs until there are no more for the thread.
    private static func runJobs(from work: UnsafeMutableRawPointer) {
        perform(work)
        while let body = next() { body() }
    }

    /// Waits for more work; nil if there is none.
    private static func next() -> (@Sendable () -> Void)? {
        let thread = IdleThread()
        let isWanted = idleThreads.withLock { idleThreads in
            guard idleThreads.own.count < idleThreadLimit else { return false }
            idleThreads.own.append(thread)
            return true
        }
        guard isWanted else { return nil }
        if let body = thread.value(within: idleTimeout) { return body }
        idleThreads.withLock { idleThreads in idleThreads.own.removeAll { $0 === thread } }
        return nil
    }

    /// Starts a thread that performs the work. Returns whether that succeeded.
    private static func create(_ work: UnsafeMutableRawPointer) -> Bool {
        #if canImport(Darwin)
            var thread: pthread_t?
            let result = pthread_create(&thread, nil, threadMain, work)
            if let thread, result == 0 { pthread_detach(thread) }
        #else
            var thread = pthread_t()
            let result = pthread_create(&thread, nil, threadMain, work)
            if result == 0 { pthread_detach(thread) }
        #endif
        return result == 0
    }

    #if canImport(Darwin)
        private static let threadMain: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { work in
            runJobs(from: work)
            return nil
        }
    #else
        private static let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { work in
            if let work { runJobs(from: work) }
            return nil
        }
    #endif

    /// The threads that wait for work. Shared, because any of them can do any work.
    static let idleThreads = Locked(IdleThreads())
}

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

    /// The number of forks since the first call of ``generation``. A fork copies the process with all its objects.
    static let count = Atomic(0)

    /// Counts forks from the first access on. The system calls such functions until the process ends.
    static let isObserved: Void = {
        _ = pthread_atfork(nil, nil) { Fork.count.add(1, ordering: .relaxed) }
    }()
}
