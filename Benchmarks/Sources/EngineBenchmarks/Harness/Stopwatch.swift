import CAllocationCounter

/// Measures work with values that other programs affect least: CPU time of the thread, and counts.
enum Stopwatch {
    /// The number of runs for a median.
    static let runs = 11
    /// The minimum duration of a run, which makes the clock's resolution negligible.
    static let nanosecondsPerRun = 20_000_000.0

    /// The time of one operation in nanoseconds, as the median of several runs.
    static func nanoseconds(per work: (Int) -> Void) -> Double {
        let count = calibrated(work)
        return median((0..<runs).map { _ in Double(nanoseconds { work(count) }) / Double(count) })
    }

    /// The allocations of one operation, averaged over `times`.
    static func allocations(per work: (Int) -> Void, times: Int) -> Double {
        // Excludes one-time initialization.
        work(times)
        let before = allocation_count()
        work(times)
        return Double(allocation_count() - before) / Double(times)
    }

    /// The CPU time of `work` on this thread.
    static func nanoseconds(_ work: () -> Void) -> Int64 {
        let start = thread_cpu_nanoseconds()
        work()
        return thread_cpu_nanoseconds() - start
    }

    /// The number of repetitions that fill one run. Warms up caches.
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
