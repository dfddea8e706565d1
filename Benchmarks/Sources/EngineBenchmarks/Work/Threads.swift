import CAllocationCounter
import Dispatch
import Synchronization

/// The ratio of decisions of two threads to those of one in the same time.
///
/// The threads share a project or a client, but have separate users, as in a server.
struct ThreadRates {
    private let works: [@Sendable (Int) -> Void]

    /// Prepares the work of two threads, with the same people in different orders.
    init(_ subject: Subject, _ work: (Subject) throws -> @Sendable (Int) -> Void) rethrows {
        works = try (0..<2).map { try work(subject.withOwnUsers(startingAt: $0 * subject.profiles.count / 2)) }
    }

    /// The ratio of the rates as the median of several runs, or nil if the machine is too busy.
    ///
    /// Runs in which a thread waited for a processor are discarded: the threads hardly ran concurrently, and could not
    /// contend.
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
        /// The CPU time of each thread, in nanoseconds.
        var times: [Double] = []
        var start = ContinuousClock.now
        var end = ContinuousClock.now

        /// The decisions per nanosecond of all threads.
        var rate: Double { times.map { Double(ThreadRates.decisionsPerRun) / $0 }.reduce(0, +) }
        /// The lowest share of CPU time of any thread, between the first start and the last end.
        var share: Double { (times.min() ?? 0) / ((end - start) / .nanoseconds(1)) }
    }

    /// A few milliseconds, so that some runs are undisturbed on a busy machine.
    private static let decisionsPerRun = 20_000

    private func run(threads: Int) -> Run {
        let result = Mutex(Run())
        let waiting = Atomic(threads)
        DispatchQueue.concurrentPerform(iterations: threads) { number in
            // Starts all threads together.
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
