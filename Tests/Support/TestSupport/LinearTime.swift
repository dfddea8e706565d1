import Foundation
package import Testing

/// Expects that work takes linear time: measures it for two sizes, the larger four times the smaller.
///
/// The larger size then takes four times as long; quadratic time would take sixteen times. Measures the CPU time of
/// this thread, so other tests and a busy machine do not count; a thorough run takes the best of four.
package func expectLinearTime(
    _ name: String, sizes: (small: Int, large: Int) = (5_000, 20_000), _ prepare: (Int) throws -> () -> Int,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    func best(_ size: Int) throws -> Double { try leastProcessorTime(of: rounds(1, thorough: 4), prepare(size)) }
    var small = try best(sizes.small)
    var large = try best(sizes.large)
    // Other programs share the processor's caches, so a miss is measured again.
    for _ in 0..<3 where large >= small * 9 + 0.002 {
        small = try best(sizes.small)
        large = try best(sizes.large)
    }
    #expect(large < small * 9 + 0.002, "\(name): \(small) s, then \(large) s", sourceLocation: sourceLocation)
}

/// The CPU time of this thread that the fastest of several runs takes.
package func leastProcessorTime(of runs: Int, _ run: () -> Int) -> Double {
    (0..<runs).map { _ in
        let start = processorTime()
        _ = run()
        return processorTime() - start
    }.min() ?? 0
}

private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
