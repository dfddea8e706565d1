import CAllocationCounter

/// Measures work in numbers that other programs on the machine disturb least: time of the thread on its processor, and
/// counts.
enum Stopwatch {
    /// How many runs a median is taken of.
    static let runs = 11
    /// How long one run lasts at least: long enough that the clock's steps do not show.
    static let nanosecondsPerRun = 20_000_000.0

    /// The time of one operation, the median of several runs, in nanoseconds.
    static func nanoseconds(per work: (Int) -> Void) -> Double {
        let count = calibrated(work)
        return median((0..<runs).map { _ in Double(nanoseconds { work(count) }) / Double(count) })
    }

    /// The allocations of one operation, averaged over `times`.
    static func allocations(per work: (Int) -> Void, times: Int) -> Double {
        // What the first use of anything sets up is not part of an operation.
        work(times)
        let before = allocation_count()
        work(times)
        return Double(allocation_count() - before) / Double(times)
    }

    /// The time that a piece of work takes on this thread.
    static func nanoseconds(_ work: () -> Void) -> Int64 {
        let start = thread_cpu_nanoseconds()
        work()
        return thread_cpu_nanoseconds() - start
    }

    /// How often the work must be repeated to fill one run.
    ///
    /// Warms caches up as it searches.
    private static func calibrated(_ work: (Int) -> Void) -> Int {
        var count = 1
        while true {
            let time = Double(nanoseconds { work(count) })
            if time >= nanosecondsPerRun { return count }
            let factor = time > 0 ? nanosecondsPerRun / time : 16
            count = max(count + 1, Int(Double(count) * min(16, factor * 1.1)))
        }
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
