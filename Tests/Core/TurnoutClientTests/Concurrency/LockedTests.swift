import Foundation

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

    /// A lock that the system hands to the thread that waits longest takes a thousand times the processor time from the
    /// first waiting thread on.
    @Test func competingThreadsTakeLittleMoreProcessorTime() {
        #expect(processorTime(threads: 16) < 6 * processorTime(threads: 1))
    }

    /// The processor time of all threads for the same number of additions, as the median of five runs.
    private func processorTime(threads: Int) -> UInt64 {
        let times = (0..<5).map { _ in
            let count = Locked(0)
            let total = Locked<UInt64>(0)
            onThreads(threads) {
                let start = threadTime()
                for _ in 0..<160_000 / threads {
                    count.withLock { count in
                        count += 1
                        // Makes other threads wait, as an interruption does.
                        if count % 4_096 == 0 { sched_yield() }
                    }
                }
                let time = threadTime() - start
                total.withLock { $0 += time }
            }
            return total.withLock { $0 }
        }
        return times.sorted()[2]
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
