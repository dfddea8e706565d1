import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// Threads of the system that belong to nobody else. One that is done waits a while for more to do: starting a thread
/// takes longer than waking one.
enum WorkThread {
    /// A thread that has nothing to do.
    private final class Idler: Sendable {
        private let work = Locked<(@Sendable () -> Void)?>(nil)
        private let wake = DispatchSemaphore(value: 0)

        func give(_ body: @escaping @Sendable () -> Void) {
            work.withLock { $0 = body }
            wake.signal()
        }

        /// What it was given; nil: nothing, as long as it was patient.
        func take(within patience: DispatchTimeInterval) -> (@Sendable () -> Void)? {
            _ = wake.wait(timeout: .now() + patience)
            return work.withLock { $0.take() }
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// More than are at work at a time in most programs; each takes some 16 KB.
    private static let idlerLimit = 32
    private static let patience = DispatchTimeInterval.seconds(10)
    private static let idlers = Locked<[Idler]>([])

    /// Runs a function on a thread, or on this one if the system has no more.
    static func run(_ body: @escaping @Sendable () -> Void) {
        if let idler = idlers.withLock({ $0.popLast() }) { return idler.give(body) }
        let work = Unmanaged.passRetained(Work(body)).toOpaque()
        if !create(work) { perform(work) }
    }

    private static func perform(_ work: UnsafeMutableRawPointer) {
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
    }

    /// What a thread does until nobody has anything to do for it.
    private static func live(from work: UnsafeMutableRawPointer) {
        perform(work)
        while let body = next() { body() }
    }

    /// Waits for more to do; nil: there is nothing.
    private static func next() -> (@Sendable () -> Void)? {
        let idler = Idler()
        let isWanted = idlers.withLock { idlers in
            guard idlers.count < idlerLimit else { return false }
            idlers.append(idler)
            return true
        }
        guard isWanted else { return nil }
        if let body = idler.take(within: patience) { return body }
        let isForgotten = idlers.withLock { idlers in
            guard let place = idlers.firstIndex(where: { $0 === idler }) else { return true }
            idlers.remove(at: place)
            return false
        }
        // Whoever took it from the list is about to give it something.
        return isForgotten ? idler.take(within: .never) : nil
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
            live(from: work)
            return nil
        }
    #else
        private static let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { work in
            if let work { live(from: work) }
            return nil
        }
    #endif
}
