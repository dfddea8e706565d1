import LibC
import Synchronization

// The mutable state that all clients of a process share: threads, and facts about the process. Everything else belongs
// to a client.

extension DispatchExecutor {
    /// The executor for all blocking calls. Shared, because a program with many clients must not have 16 threads for
    /// each. It is never deallocated because tasks do not retain their executor.
    package static let blockingCallers = DispatchExecutor(threads: 16)
}

extension BlockingCall {
    /// The threads for blocking calls. Shared, because the system limits the threads of a process. The limit is more
    /// than any service handles concurrently; further calls wait for one to return.
    static let calls = BoundedCalls(limit: 512)
}

extension WorkThread {
    /// The threads that wait for work. Shared, because any of them can do any work.
    static let idleThreads = Locked(IdleThreads())
}

extension SystemTimers {
    /// Whether libdispatch has opened the descriptors for timers, which it does once per process.
    static let isReady = Atomic(false)

    /// Lets one thread prepare timers while the others wait for it.
    static let preparation = Locked(())
}

extension CallingThread {
    /// The system's random numbers in reserve, by thread, because every event takes two. Shared, because any client can
    /// use any of them.
    static let randomNumbers = Sharded(capacity: 0) { _ in (generation: Fork.generation, numbers: [UInt64]()) }
}

extension Fork {
    /// The number of forks since the first call of ``generation``. A fork copies the process with all its objects.
    static let count = Atomic(0)

    /// Counts forks from the first access on. The system calls such functions until the process ends.
    static let isObserved: Void = {
        _ = pthread_atfork(nil, nil) { Fork.count.add(1, ordering: .relaxed) }
    }()
}

extension ExitDrain {
    /// The objects that write when the process ends.
    static let active = Locked<[ObjectIdentifier: (drain: ExitDrain, functions: Functions)]>([:])

    /// The generation of the process that last added an object.
    static let lastGeneration = Atomic(-1)

    /// Drains at exit, from the first access on. The system calls such functions until the process ends.
    static let observeExit: Void = { _ = atexit { ExitDrain.run() } }()
}
