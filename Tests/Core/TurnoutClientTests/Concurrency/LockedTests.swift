import Foundation
import TestSupport
import Testing
import TurnoutClient

@Suite(.blocking) struct LockedTests {
    @Test func threadsTakeTurns() {
        let count = Locked(0)
        #expect(count.withLockIfAvailable { $0 } == 0)
        count.withLock { _ in #expect(count.withLockIfAvailable { $0 } == nil) }
        onThreads(16) { for _ in 0..<2_000 { count.withLock { $0 += 1 } } }
        #expect(count.withLock { $0 } == 32_000)
    }

    @Test func aThrowingBodyReleasesTheLock() {
        let count = Locked(0)
        #expect(throws: CancellationError.self) {
            try count.withLock { count in
                count = 1
                throw CancellationError()
            }
        }
        #expect(count.withLockIfAvailable { $0 } == 1)
    }

    /// A lock that is handed over by the system takes fifty times the processor time as soon as threads compete for it.
    @Test func competingThreadsTakeLittleMoreProcessorTime() {
        // The fastest of several runs, because other tests use the same processors.
        let alone = (0..<5).map { _ in processorTime(threads: 1) }.min() ?? 0
        let together = (0..<5).map { _ in processorTime(threads: 16) }.min() ?? .max
        #expect(together < 6 * alone)
    }

    /// The processor time of all threads for the same number of additions.
    private func processorTime(threads: Int) -> UInt64 {
        let count = Locked(0)
        let total = Locked<UInt64>(0)
        onThreads(threads) {
            let start = threadTime()
            for _ in 0..<160_000 / threads { count.withLock { $0 += 1 } }
            let time = threadTime() - start
            total.withLock { $0 += time }
        }
        return total.withLock { $0 }
    }

    private func threadTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
        let done = DispatchGroup()
        for _ in 0..<count {
            done.enter()
            Thread {
                body()
                done.leave()
            }.start()
        }
        done.wait()
    }
}
