import CAllocationCounter
import Dispatch
import Synchronization

/// How many decisions two threads make in the time in which one makes one.
///
/// They share a project, but each has users of its own, as the threads of a server have.
struct ThreadRates {
    private let subjects: [Subject]

    init(_ subject: Subject) {
        subjects = (0..<2).map { subject.withOwnUsers(startingAt: $0 * subject.profiles.count / 2) }
    }

    /// The rate of two threads to that of one, the median of several runs, or nil: the machine is too busy to tell.
    ///
    /// Runs in which a thread had to share its processor with another program do not count. The threads hardly ran at
    /// the same time then, and had no occasion to get into each other's way.
    func speedUp() -> Double? {
        var ratios: [Double] = []
        for _ in 0..<60 where ratios.count < Stopwatch.runs {
            let one = run(threads: 1)
            let two = run(threads: 2)
            if min(one.share, two.share) > 0.97 { ratios.append(two.rate / one.rate) }
        }
        return ratios.count < 5 ? nil : median(ratios)
    }

    private struct Run {
        /// The decisions per nanosecond of all threads together.
        var rate = 0.0
        /// How much of the time the threads had processors for themselves, of the thread that had least.
        var share = 1.0
    }

    private static let decisionsPerRun = 200_000

    private func run(threads: Int) -> Run {
        let total = Mutex(Run())
        let waiting = Atomic(threads)
        DispatchQueue.concurrentPerform(iterations: threads) { number in
            // All start together; a thread that is alone has nobody to share with.
            waiting.subtract(1, ordering: .relaxed)
            while waiting.load(ordering: .relaxed) > 0 {}
            let start = ContinuousClock.now
            let time = Double(Stopwatch.nanoseconds { subjects[number].decide(Self.decisionsPerRun) })
            let wallTime = (ContinuousClock.now - start) / .nanoseconds(1)
            total.withLock {
                $0.rate += Double(Self.decisionsPerRun) / time
                $0.share = min($0.share, time / wallTime)
            }
        }
        return total.withLock { $0 }
    }
}
