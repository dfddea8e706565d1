import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// Acquires the system resources for timers while they are available.
///
/// On Linux libdispatch opens four file descriptors for the first timers of a process, and terminates the process
/// (SIGILL) if there are none left. Clients therefore prepare timers when they are created, not when the first event is
/// queued.
package enum SystemTimers {
    /// Prepares timers, once. Returns false if there are too few file descriptors; timers must not be used then.
    package static func prepare() -> Bool {
        #if os(Linux)
            if isReady.load(ordering: .relaxed) { return true }
            return preparation.withLock { _ in
                if isReady.load(ordering: .relaxed) { return true }
                guard hasDescriptors() else { return false }
                start()
                isReady.store(true, ordering: .relaxed)
                return true
            }
        #else
            return true
        #endif
    }

    #if os(Linux)
        /// Makes libdispatch open the resources for the timers of Swift's two clocks, and waits for that: about 0.5 ms,
        /// once.
        private static func start() {
            let started = OneShot<Void>()
            Task(executorPreference: DispatchExecutor.blockingCallers) {
                // On a busy machine a short sleep ends before its timer is set, and so opens no descriptor.
                for microseconds in [100, 1_000, 10_000, 100_000] {
                    try? await ContinuousClock().sleep(for: .microseconds(microseconds))
                    try? await SuspendingClock().sleep(for: .microseconds(microseconds))
                    if timerCount() >= 2 { break }
                }
                started.end(())
            }
            started.value(within: .seconds(1))
        }

        /// The number of the process's file descriptors that are timers: one for each of the two clocks.
        private static func timerCount() -> Int {
            guard let directory = opendir("/proc/self/fd") else { return 0 }
            defer { closedir(directory) }
            var count = 0
            var target = [CChar](repeating: 0, count: 32)
            while let entry = readdir(directory) {
                let length = withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 1) {
                        readlinkat(dirfd(directory), $0, &target, target.count)
                    }
                }
                let name = target.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
                if String(decoding: name, as: UTF8.self) == "anon_inode:[timerfd]" { count += 1 }
            }
            return count
        }

        /// Whether the process can open the four descriptors that timers need.
        private static func hasDescriptors() -> Bool {
            var taken: [Int32] = []
            defer { for descriptor in taken { close(descriptor) } }
            for _ in 0..<2 {
                var ends: [Int32] = [-1, -1]
                guard pipe(&ends) == 0 else { return false }
                taken += ends
            }
            return true
        }
    #endif
}

extension Clock where Duration == Swift.Duration {
    /// Sleeps for a duration, at most a year, which the system's clocks can still represent. Blocks a thread if the
    /// process has no file descriptors left for a timer.
    package func pause(for duration: Duration) async throws {
        let isSystem = self is ContinuousClock || self is SuspendingClock
        guard !isSystem || SystemTimers.prepare() else { return try await pauseOnThread(for: duration) }
        try await sleep(for: min(duration, .seconds(366 * 86_400)))
    }

    /// Sleeps on a dedicated thread, which needs no timer.
    private func pauseOnThread(for duration: Duration) async throws {
        let end = OneShot<Void>()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                WorkThread.run {
                    end.value(within: duration)
                    continuation.resume()
                }
            }
        } onCancel: {
            end.end(())
        }
        try Task.checkCancellation()
    }
}
