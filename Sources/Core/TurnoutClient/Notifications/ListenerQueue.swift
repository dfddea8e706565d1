import Dispatch

/// Calls listeners one after the other, on a different thread than the decision's.
///
/// The queue is bounded. Adding to a full queue waits briefly for room; if a listener is stuck, further notifications
/// are dropped and counted until it continues. A slow listener therefore slows the program down, a stuck one loses
/// notifications, and memory stays bounded.
package final class ListenerQueue: Sendable {
    /// A job of the queue.
    package typealias Job = @Sendable () -> Void

    private struct Waiter {
        let job: Job
        let room = DispatchSemaphore(value: 0)
    }

    private struct State {
        private var jobs = FIFO<Job>()
        /// The callers that wait for room.
        var waiting = FIFO<Waiter>()
        var isRunning = false
        /// Whether a wait for room timed out, and no room was made since.
        var isStuck = false
        /// The number of started jobs: while it grows, no listener is stuck.
        var begun = 0
        var lost = 0

        var count: Int { jobs.count }

        /// Appends a job. Returns whether the queue has to be started.
        mutating func append(_ job: @escaping Job) -> Bool {
            jobs.append(job)
            defer { isRunning = true }
            return !isRunning
        }

        /// Removes the next job; its room goes to the longest-waiting caller.
        mutating func removeFirst() -> Job? {
            isStuck = false
            guard let job = jobs.popFirst() else {
                isRunning = false
                return nil
            }
            begun += 1
            if let waiter = waiting.popFirst() {
                jobs.append(waiter.job)
                waiter.room.signal()
            }
            return job
        }
    }

    private let options: ListenerOptions
    private let log: any Log
    private let queue = DispatchQueue(label: "turnout.listeners")
    private let state = Locked(State())
    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// Creates an empty queue. Dropped jobs are logged.
    package init(_ options: ListenerOptions = ListenerOptions(), log: any Log) {
        self.options = options
        self.log = log
        queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
    }

    /// The number of jobs that were dropped because a listener was stuck.
    package var lostCount: Int { state.withLock { $0.lost } }

    /// The number of queued jobs, and their callers that wait for room.
    package var count: Int { state.withLock { $0.count + $0.waiting.count } }

    /// Whether the caller runs on this queue.
    package var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(self) }

    /// Adds a job. Returns whether it was accepted, which is always the case if it may exceed the limit.
    @discardableResult
    package func add(_ job: @escaping Job, beyondLimit: Bool = false) -> Bool {
        enum Admission { case added, start, wait(Waiter, begun: Int), refused }
        // A listener that waited for room would wait for itself.
        let isExempt = beyondLimit || isCurrent
        let admission: Admission = state.withLock { state in
            if state.count < options.queueLimit || isExempt { return state.append(job) ? .start : .added }
            if state.isStuck { return .refused }
            let waiter = Waiter(job: job)
            state.waiting.append(waiter)
            return .wait(waiter, begun: state.begun)
        }
        switch admission {
        case .added: return true
        case .start:
            queue.async { self.run() }
            return true
        case .wait(let waiter, let begun): return wait(waiter, since: begun) || drop()
        case .refused: return drop()
        }
    }

    /// Returns whether the job of a caller waiting for room was accepted. Keeps waiting as long as other jobs are
    /// started.
    private func wait(_ waiter: Waiter, since begun: Int) -> Bool {
        var begun = begun
        while waiter.room.wait(timeout: .now() + .nanoseconds(options.timeout.wholeNanoseconds)) == .timedOut {
            let isTaken: Bool? = state.withLock { state in
                guard state.begun == begun else {
                    begun = state.begun
                    return nil
                }
                guard state.waiting.remove(where: { $0.room === waiter.room }) else { return true }
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

    /// Waits until all jobs added before are done. Returns immediately when called by a listener.
    ///
    /// - Returns: Whether they are done within the limit.
    @discardableResult
    package func drain(within limit: Duration) -> Bool {
        guard !isCurrent else { return false }
        let done = OneShot<Void>()
        // Exceeds the limit: a stuck listener may continue in time.
        add({ done.end(()) }, beyondLimit: true)
        return done.value(within: limit) != nil
    }
}

package struct ListenerOptions: Sendable {
    /// The maximum number of queued notifications. Default: 10,000.
    package var queueLimit: Int
    /// How long adding to a full queue waits before the notification is dropped. Default: 250 milliseconds.
    package var timeout: Duration

    package init(queueLimit: Int = 10_000, timeout: Duration = .milliseconds(250)) {
        self.queueLimit = queueLimit
        self.timeout = timeout
    }
}
