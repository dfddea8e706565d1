import Dispatch
import Foundation

/// Does a part of a work any number of times, on any thread.
typealias Worker = @Sendable (Int) -> Void
/// Makes the worker of a thread from the subject with users of its own. The workers share a client.
typealias Workers = (Subject) -> Worker

/// The cost of a work that several threads do at once, with one client, as in a server.
///
/// The processor time is that of the whole process, because stores write in the background. It includes what threads
/// spend on waiting for each other, and hardly depends on other programs.
struct ThreadRuns {
    static let threadCounts = [1, 2, 16]
    private static let rounds = 7
    /// Long enough for each of sixteen threads to be interrupted several times, also while it holds a lock.
    private static let nanosecondsPerRun = 200e6

    private let work: Work
    private let subject: Subject
    /// The operations of all threads of one run.
    private let times: Int

    /// The cost of one run, per operation.
    struct Cost {
        /// The processor time in nanoseconds.
        var nanoseconds = 0.0
        /// The operations of all threads per second of elapsed time.
        var rate = 0.0
    }

    /// Prepares runs; nil if a work is not for threads, or the subject has none of it.
    init?(_ work: Work, on subject: Subject) {
        guard let workers = work.workers(on: subject) else { return nil }
        (self.work, self.subject) = (work, subject)
        let trial = min(256, work.maximumTimes)
        let worker = workers(subject)
        worker(trial)
        let cost = Self.cost(of: trial) { worker(trial) }.nanoseconds
        times = min(work.maximumTimes, max(16, Int(Self.nanosecondsPerRun / cost)))
    }

    /// The medians for each number of threads. Rounds alternate, so that a slower phase of the machine affects all.
    func costs() -> [Int: Cost] {
        var costs: [Int: [Cost]] = [:]
        for _ in 0..<Self.rounds {
            for count in Self.threadCounts { costs[count, default: []].append(run(count)) }
        }
        return costs.mapValues { Cost(nanoseconds: median($0.map(\.nanoseconds)), rate: median($0.map(\.rate))) }
    }

    /// One run with a new client, because stores have limits.
    private func run(_ count: Int) -> Cost {
        guard let workers = work.workers(on: subject) else { return Cost() }
        let people = subject.profiles.count
        let (ready, start) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let end = DispatchSemaphore(value: 0)
        let share = times / count
        for number in 0..<count {
            let worker = workers(subject.withOwnUsers(startingAt: number * people / count))
            Thread {
                ready.signal()
                start.wait()
                worker(share)
                end.signal()
            }.start()
        }
        for _ in 0..<count { ready.wait() }
        return Self.cost(of: share * count) {
            for _ in 0..<count { start.signal() }
            for _ in 0..<count { end.wait() }
        }
    }

    private static func cost(of times: Int, _ body: () -> Void) -> Cost {
        let (before, start) = (processNanoseconds(), ContinuousClock.now)
        body()
        let (time, wall) = (processNanoseconds() - before, ContinuousClock.now - start)
        return Cost(nanoseconds: time / Double(times), rate: Double(times) / (wall / .seconds(1)))
    }

    /// The processor time of the process.
    private static func processNanoseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
