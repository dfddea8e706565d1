#if SQLite
    import Dispatch
    import TurnoutClient

    /// Wakes the thread that writes in the background, and lets it end when there was nothing to do for a while.
    final class Bell: Sendable {
        /// A thread costs more than a commit, so it stays for a while.
        private static let patience = DispatchTimeInterval.seconds(1)

        private let semaphore = DispatchSemaphore(value: 0)
        private let hasThread = Locked(false)

        func ring() { semaphore.signal() }

        /// Whether there was no thread, and the caller has to start one.
        func takesThread() -> Bool {
            hasThread.withLock { has in
                defer { has = true }
                return !has
            }
        }

        /// Waits for the next ring. False: nobody rang for long, and the thread is to end.
        func waitForRing() -> Bool {
            if semaphore.wait(timeout: .now() + Self.patience) == .success { return true }
            hasThread.withLock { $0 = false }
            // Somebody may have rung just now and have seen a thread.
            guard semaphore.wait(timeout: .now()) == .success else { return false }
            if takesThread() { return true }
            semaphore.signal()
            return false
        }

        /// Waits some time, or until the next ring.
        func wait(_ duration: Duration) {
            let nanoseconds = Int(min(max(duration / .nanoseconds(1), 1), 1e18))
            _ = semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds))
        }
    }

    extension Journal {
        /// Has what waits written in the background. Called when the alarm was set.
        func ring() {
            bell.ring()
            guard bell.takesThread() else { return }
            let (bell, interval) = (bell, interval)
            BlockingCall.startUnbounded { [weak self] in Self.work(bell, interval) { self } }
        }

        private var interval: Duration {
            guard case .soon(let interval) = options.durability else { return .milliseconds(1) }
            return max(interval, .milliseconds(1))
        }

        /// Keeps nothing alive but the bell.
        private static func work(_ bell: Bell, _ interval: Duration, _ journal: () -> Journal?) {
            while bell.waitForRing() {
                var delay: Duration? = interval
                while let duration = delay {
                    bell.wait(duration)
                    guard let journal = journal() else { return }
                    delay = journal.commitInBackground()
                }
            }
        }

        /// Writes what waits.
        ///
        /// - Returns: When to try again; nil: nothing is left.
        private func commitInBackground() -> Duration? {
            buffer.withLock { $0.isAlarmSet = false }
            guard commit() != nil else { return nil }
            return database.withWriter { writer in
                let isWaiting = buffer.withLock { buffer in
                    let isWaiting =
                        !buffer.stranded.isEmpty || !buffer.strandedChanges.isEmpty
                        || buffer.queues.contains { !$0.removals.isEmpty }
                    if isWaiting { buffer.isAlarmSet = true }
                    return isWaiting
                }
                return isWaiting ? writer.remainingPause : nil
            }
        }
    }
#endif
