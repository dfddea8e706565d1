#if SQLite
    import Dispatch
    import TurnoutClient

    /// Wakes the thread that writes in the background. The thread ends after a second without a signal.
    package final class FlushSignal: Sendable {
        /// The thread is kept for a while, because starting one takes longer than a commit.
        private static let idleTime = DispatchTimeInterval.seconds(1)

        private let semaphore = DispatchSemaphore(value: 0)
        /// The generation of the process that owns the thread; nil if there is none. A forked child has no thread.
        private let owner = Locked<Int?>(nil)

        /// Creates a signal without a thread.
        package init() {}

        package func signal() { semaphore.signal() }

        /// Returns whether the caller has to start the thread, because there is none.
        package func claimThread() -> Bool {
            owner.withLock { owner in
                defer { owner = Fork.generation }
                return owner != Fork.generation
            }
        }

        /// Records that the claimed thread could not be started.
        package func giveUpThread() { owner.withLock { $0 = nil } }

        /// Waits for the next signal. Returns false if there was none for a while and the thread has to end.
        package func wait() -> Bool {
            if semaphore.wait(timeout: .now() + Self.idleTime) == .success { return true }
            giveUpThread()
            // Another thread may have signaled just before the claim was released.
            guard semaphore.wait(timeout: .now()) == .success else { return false }
            if claimThread() { return true }
            semaphore.signal()
            return false
        }

        /// Waits for a duration, or until the next signal.
        package func wait(_ duration: Duration) {
            let nanoseconds = Int(min(max(duration / .nanoseconds(1), 1), 1e18))
            _ = semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds))
        }
    }
#endif
