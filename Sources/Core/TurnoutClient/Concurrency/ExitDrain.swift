import Dispatch
import LibC
import Synchronization

/// Writes what an object holds in memory when the process ends normally: when `main` returns, or `exit` is called.
///
/// The thread that exits may hold any lock, even one of the object's, so it only waits: for at most a second, for
/// threads that write. A child created by `fork` has copies of its parent's objects, which it must not write, so there
/// only objects of the child take part.
package final class ExitDrain: Sendable {
    struct Functions: Sendable {
        let generation: Int
        /// Writes what is in memory; false if the object is being deinitialized.
        let drain: @Sendable () -> Bool
        /// Logs what is still in memory, if anything.
        let report: @Sendable () -> Void
    }

    private static let limit = DispatchTimeInterval.seconds(1)
    /// The rest of the time is for the log.
    private static let drainLimit = DispatchTimeInterval.milliseconds(900)

    private let ended = OneShot<Void>()

    /// Creates a drain that does nothing yet.
    package init() {}

    /// Calls the functions when the process ends normally, until ``end()`` is called.
    ///
    /// - Parameters:
    ///   - drain: Writes what is in memory. Called up to twice, on a thread of its own. Returns false if the object is
    ///     being deinitialized, which writes, too, and ends with ``end()``.
    ///   - report: Logs what could not be written, if anything.
    package func begin(drain: @escaping @Sendable () -> Bool, report: @escaping @Sendable () -> Void) {
        _ = Self.observeExit
        let functions = Functions(generation: Fork.generation, drain: drain, report: report)
        Self.active.withLock { $0[ObjectIdentifier(self)] = (self, functions) }
        Self.lastGeneration.store(functions.generation, ordering: .relaxed)
    }

    /// Nothing is in memory any more, or nothing can be written any more.
    package func end() {
        _ = Self.active.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
        ended.end(())
    }

    /// Called by the thread that exits. Takes no lock: that thread may hold it.
    static func run() {
        guard lastGeneration.load(ordering: .relaxed) == Fork.generation else { return }
        let done = DispatchSemaphore(value: 0)
        let isStarted = WorkThread.startNew {
            drainAll()
            done.signal()
        }
        if isStarted { _ = done.wait(timeout: .now() + limit) }
    }

    private static func drainAll() {
        let deadline = DispatchTime.now() + drainLimit
        let drains = active.withLock { $0.values.filter { $0.functions.generation == Fork.generation } }
        // Twice, because a buffer may write to another object.
        for _ in 0..<2 {
            let group = DispatchGroup()
            for (drain, functions) in drains {
                group.enter()
                WorkThread.run {
                    if !functions.drain() { drain.ended.blockingValue() }
                    group.leave()
                }
            }
            guard group.wait(timeout: deadline) == .success else { break }
        }
        for (_, functions) in drains { functions.report() }
    }

    /// The objects that write when the process ends.
    static let active = Locked<[ObjectIdentifier: (drain: ExitDrain, functions: Functions)]>([:])

    /// The generation of the process that last added an object.
    static let lastGeneration = Atomic(-1)

    /// Drains at exit, from the first access on. The system calls such functions until the process ends.
    static let observeExit: Void = { _ = atexit { ExitDrain.run() } }()
}
