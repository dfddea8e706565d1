import Dispatch
import LibC
import Synchronization

/// Acquires the system resources for timers while they are available.
///
/// On Linux libdispatch opens four file descriptors for the first timers of a process, and terminates the process
/// (SIGILL) if there are none left. Clients therefore prepare timers when they are created, not when the first event is
/// queued. They wait for libdispatch only where descriptors are scarce.
package enum SystemTimers {
    /// Prepares timers, once. Returns false if there are too few file descriptors; timers must not be used then.
    package static func prepare() -> Bool {
        #if os(Linux)
            if isReady.load(ordering: .relaxed) { return true }
            return preparation.withLock { _ in
                if isReady.load(ordering: .relaxed) { return true }
                guard let highest = highestNewDescriptor() else { return false }
                start()
                // Otherwise the next files might take the descriptors that libdispatch is about to open.
                if highest + spareDescriptors >= limit { waitForTimers(upTo: highest) }
                isReady.store(true, ordering: .relaxed)
                return true
            }
        #else
            return true
        #endif
    }

    #if os(Linux)
        /// With this many free descriptors libdispatch opens its own before the process can use them all.
        private static let spareDescriptors = 64

        /// The number of descriptors that the process may have open.
        private static var limit: Int {
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
            return Int(clamping: limit.rlim_cur)
        }

        /// Makes libdispatch open the resources for the timers of Swift's two clocks, on other threads. The timers are
        /// long, because on a busy machine a short one is over before it is set, and so opens no descriptor.
        private static func start() {
            Task(executorPreference: DispatchExecutor.blockingCallers) {
                try? await ContinuousClock().sleep(for: .seconds(3_600))
            }
            Task(executorPreference: DispatchExecutor.blockingCallers) {
                try? await SuspendingClock().sleep(for: .seconds(3_600))
            }
        }

        /// Waits until libdispatch has opened them, but not longer than a second.
        private static func waitForTimers(upTo highest: Int) {
            for _ in 0..<1_000 {
                if timerCount(upTo: highest) >= 2 { return }
                usleep(1_000)
            }
        }

        /// The number of descriptors that are timers: one for each of the two clocks. Opens no descriptor itself.
        private static func timerCount(upTo highest: Int) -> Int {
            var target = [CChar](repeating: 0, count: 32)
            return (0...highest).count { descriptor in
                let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
                let name = target.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
                return String(decoding: name, as: UTF8.self) == "anon_inode:[timerfd]"
            }
        }

        /// The highest of the four descriptors that timers need, if the process can open as many; nil otherwise.
        private static func highestNewDescriptor() -> Int? {
            var taken: [Int32] = []
            defer { for descriptor in taken { close(descriptor) } }
            for _ in 0..<2 {
                var ends: [Int32] = [-1, -1]
                guard pipe(&ends) == 0 else { return nil }
                taken += ends
            }
            return taken.max().map { Int($0) }
        }
    #endif
}

extension Clock where Duration == Swift.Duration {
    /// Sleeps for a duration, at most a year, which the system's clocks can still represent. Blocks a thread if the
    /// process has no file descriptors left for a timer.
    package func pause(for duration: Duration) async throws {
        let isSystem = self is ContinuousClock || self is SuspendingClock
        guard !isSystem || SystemTimers.prepare() else { return try await pauseOnThread(for: duration) }
        #if os(Linux)
            if isSystem { return try await duration.pauseOnTimer() }
        #endif
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

extension SystemTimers {
    /// Whether libdispatch has opened the descriptors for timers, which it does once per process.
    static let isReady = Atomic(false)

    /// Lets one thread prepare timers while the others wait for it.
    static let preparation = Locked(())
}

#if os(Linux)
    extension Duration {
        /// Waits with a timer that is released when the task is canceled. That of `Task.sleep` stays until its
        /// deadline, in 0.7 kB of memory.
        func pauseOnTimer() async throws {
            let end = OneShot<Void>()
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now() + .nanoseconds(max(.zero, self).wholeNanoseconds))
            timer.setEventHandler { end.end(()) }
            timer.activate()
            await withTaskCancellationHandler {
                _ = await end.value()
            } onCancel: {
                end.end(())
            }
            timer.cancel()
            try Task.checkCancellation()
        }
    }
#endif
