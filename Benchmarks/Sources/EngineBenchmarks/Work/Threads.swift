import CAllocationCounter
import Dispatch
import Synchronization

/// How many decisions two threads make in the time in which one makes one.
///
/// They share a project or a client, but each has users of its own, as the threads of a server have.
struct ThreadRates {
    private let works: [@Sendable (Int) -> Void]

    /// Prepares the work of two threads, each with the same people in an order that starts elsewhere.
    init(_ subject: Subject, _ work: (Subject) throws -> @Sendable (Int) -> Void) rethrows {
        works = try (0..<2).map { try work(subject.withOwnUsers(startingAt: $0 * subject.profiles.count / 2)) }
    }

    /// The rate of two threads to that of one, the median of several runs, or nil: the machine is too busy to tell.
    ///
    /// Runs in which a thread had to wait for a processor do not count. The threads hardly ran at the same time then,
    /// and had no occasion to get into each other's way.
    func speedUp() -> Double? {
        var ratios: [Double] = []
        for _ in 0..<200 where ratios.count < 5 * Stopwatch.runs {
            let one = run(threads: 1)
            let two = run(threads: 2)
            if min(one.share, two.share) > 0.95 { ratios.append(two.rate / one.rate) }
        }
        return ratios.count < 5 ? nil : median(ratios)
    }

    private struct Run {
        /// The time of each thread on its processor, in nanoseconds.
        var times: [Double] = []
        var start = ContinuousClock.now
        var end = ContinuousClock.now

        /// The decisions per nanosecond of all threads together.
        var rate: Double { times.map { Double(ThreadRates.decisionsPerRun) / $0 }.reduce(0, +) }
        /// How much of the time, from the first start to the last end, the thread that had least was on a processor.
        var share: Double { (times.min() ?? 0) / ((end - start) / .nanoseconds(1)) }
    }

    /// A few milliseconds: short enough that there are undisturbed runs on a busy machine, too.
    private static let decisionsPerRun = 20_000

    private func run(threads: Int) -> Run {
        let result = Mutex(Run())
        let waiting = Atomic(threads)
        DispatchQueue.concurrentPerform(iterations: threads) { number in
            // All start together; a thread that is alone has nobody to share with.
            waiting.subtract(1, ordering: .relaxed)
            while waiting.load(ordering: .relaxed) > 0 {}
            let start = ContinuousClock.now
            let time = Stopwatch.nanoseconds { works[number](Self.decisionsPerRun) }
            let end = ContinuousClock.now
            result.withLock {
                $0.start = $0.times.isEmpty ? start : min($0.start, start)
                $0.end = $0.times.isEmpty ? end : max($0.end, end)
                $0.times.append(Double(time))
            }
        }
        return result.withLock { $0 }
    }
}
