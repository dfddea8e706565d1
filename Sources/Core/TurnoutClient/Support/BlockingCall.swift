#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// Calls something that may block its thread as long as it likes.
///
/// Not on Dispatch's threads: there are some 250 of them in a process, concurrent queues even share the few of Swift's
/// tasks on Linux, and if callers' code blocks them all, nothing in the program goes on.
package enum BlockingCall {
    private struct State {
        var threadCount = 0
        var waiting: [@Sendable () -> Void] = []
    }

    /// More at once than any service stands; further calls wait for one to return.
    private static let threadLimit = 512
    private static let state = Locked(State())

    /// Calls it on a thread that nobody else waits for.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        let hasThread = state.withLock { state in
            guard state.threadCount < threadLimit else {
                state.waiting.append(body)
                return false
            }
            state.threadCount += 1
            return true
        }
        if hasThread { Thread.run { work(from: body) } }
    }

    /// The call's value, without blocking the thread of the task that wants it.
    package static func value<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in start { continuation.resume(returning: body()) } }
    }

    /// Calls it on a thread of its own, however many there are already: for those who bound their calls themselves, and
    /// whom callers wait for that have a thread of these.
    package static func startUnbounded(_ body: @escaping @Sendable () -> Void) { Thread.run(body) }

    private static func work(from first: @escaping @Sendable () -> Void) {
        var body: (@Sendable () -> Void)? = first
        while let call = body {
            call()
            body = next()
        }
    }

    private static func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.threadCount -= 1
            return nil
        }
    }
}

/// A thread of the system.
private enum Thread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs a function on a new thread, or on this one if the system has no more.
    static func run(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body)).toOpaque()
        if !create(work) { perform(work) }
    }

    private static func perform(_ work: UnsafeMutableRawPointer) {
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
    }

    /// Starts a thread that performs the work. Whether there is one.
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
            perform(work)
            return nil
        }
    #else
        private static let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { work in
            if let work { perform(work) }
            return nil
        }
    #endif
}
