import Dispatch

/// Calls listeners one after the other, off the thread that decided.
///
/// The queue is bounded. Who adds to a full one waits a moment for room; if none comes, because a listener is stuck,
/// what is added is dropped and counted until the listener goes on. So a slow listener slows the program down, a stuck
/// one loses notifications, and neither eats the memory.
package final class ListenerQueue: Sendable {
    /// Something to do.
    package typealias Job = @Sendable () -> Void

    private struct Waiter {
        let job: Job
        let room = DispatchSemaphore(value: 0)
    }

    private struct State {
        /// What waits, from `first` on.
        private var jobs: [Job?] = []
        private var first = 0
        /// Who waits for room, longest first.
        var waiting: [Waiter] = []
        var isRunning = false
        /// Nobody made room in time, and nobody has since.
        var isStuck = false
        /// How many jobs have begun: as long as it grows, no listener is stuck.
        var begun = 0
        var lost = 0

        var count: Int { jobs.count - first }

        /// Whether the queue has to be set going.
        mutating func append(_ job: @escaping Job) -> Bool {
            jobs.append(job)
            defer { isRunning = true }
            return !isRunning
        }

        /// The next job; the room goes to who has waited longest.
        mutating func removeFirst() -> Job? {
            isStuck = false
            guard count > 0 else {
                isRunning = false
                return nil
            }
            let job = jobs[first]
            jobs[first] = nil
            first += 1
            begun += 1
            if first >= 256, 2 * first >= jobs.count {
                jobs.removeFirst(first)
                first = 0
            }
            guard !waiting.isEmpty else { return job }
            let waiter = waiting.removeFirst()
            jobs.append(waiter.job)
            waiter.room.signal()
            return job
        }
    }

    private let limit: Int
    private let patience: Duration
    private let log: any Log
    private let queue = DispatchQueue(label: "turnout.listeners")
    private let state = Locked(State())
    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - limit: How many jobs may wait.
    ///   - patience: How long adding to a full queue waits.
    ///   - log: Where lost jobs are reported.
    package init(limit: Int = 10_000, patience: Duration = .milliseconds(250), log: any Log) {
        self.limit = limit
        self.patience = patience
        self.log = log
        queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    }

    /// How many jobs were dropped because a listener was stuck.
    package var lostCount: Int { state.withLock { $0.lost } }

    /// Whether the caller was called by this queue.
    package var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self) }

    /// Adds a job. Whether it was taken; always, if it may go beyond the limit.
    @discardableResult
    package func add(_ job: @escaping Job, beyondLimit: Bool = false) -> Bool {
        enum Answer { case added, start, wait(Waiter, begun: Int), refused }
        // A listener that waited for room would wait for itself.
        let isExempt = beyondLimit || isCurrent
        let answer: Answer = state.withLock { state in
            if state.count < limit || isExempt { return state.append(job) ? .start : .added }
            if state.isStuck { return .refused }
            let waiter = Waiter(job: job)
            state.waiting.append(waiter)
            return .wait(waiter, begun: state.begun)
        }
        switch answer {
        case .added: return true
        case .start:
            queue.async { self.run() }
            return true
        case .wait(let waiter, let begun): return wait(waiter, since: begun) || drop()
        case .refused: return drop()
        }
    }

    /// Whether the job of somebody who waits for room was taken in the end. Waits as long as others are.
    private func wait(_ waiter: Waiter, since begun: Int) -> Bool {
        var begun = begun
        while waiter.room.wait(timeout: .now() + .nanoseconds(patience.wholeNanoseconds)) == .timedOut {
            let isTaken: Bool? = state.withLock { state in
                guard let place = state.waiting.firstIndex(where: { $0.room === waiter.room }) else { return true }
                guard state.begun == begun else {
                    begun = state.begun
                    return nil
                }
                state.waiting.remove(at: place)
                state.isStuck = true
                return false
            }
            if let isTaken { return isTaken }
        }
        return true
    }

    private func drop() -> Bool {
        let lost = state.withLock { state in
            state.lost += 1
            return state.lost
        }
        if lost & (lost - 1) == 0 { log(.error, "a listener is stuck: \(lost) notifications lost so far") }
        return false
    }

    private func run() {
        while let job = state.withLock({ $0.removeFirst() }) { job() }
    }

    /// Waits until everything that was added before is done. Returns at once if a listener asks.
    ///
    /// - Returns: Whether it is done; false: not within the limit.
    @discardableResult
    package func drain(within limit: Duration) -> Bool {
        guard !isCurrent else { return false }
        let done = DispatchSemaphore(value: 0)
        // There is always room for this one: a stuck listener may go on within the limit.
        add({ done.signal() }, beyondLimit: true)
        return done.wait(timeout: .now() + .nanoseconds(limit.wholeNanoseconds)) == .success
    }
}
