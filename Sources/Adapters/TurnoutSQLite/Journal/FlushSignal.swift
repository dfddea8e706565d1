#if SQLite
    import Dispatch
    import TurnoutClient

    /// Wakes the thread that writes in the background. The thread ends after a second without a signal.
    final class FlushSignal: Sendable {
        /// The thread is kept for a while, because starting one takes longer than a commit.
        private static let idleTime = DispatchTimeInterval.seconds(1)

        private let semaphore = DispatchSemaphore(value: 0)
        /// The generation of the process that owns the thread; nil if there is none. A forked child has no thread.
        private let owner = Locked<Int?>(nil)

        func signal() { semaphore.signal() }

        /// Returns whether the caller has to start the thread, because there is none.
        func claimThread() -> Bool {
            owner.withLock { owner in
                defer { owner = Fork.generation }
                return owner != Fork.generation
            }
        }

        /// Records that the claimed thread could not be started.
        func giveUpThread() { owner.withLock { $0 = nil } }

        /// Waits for the next signal. Returns false if there was none for a while and the thread has to end.
        func wait() -> Bool {
            if semaphore.wait(timeout: .now() + Self.idleTime) == .success { return true }
            giveUpThread()
            // Another thread may have signalled just before the claim was released.
            guard semaphore.wait(timeout: .now()) == .success else { return false }
            if claimThread() { return true }
            semaphore.signal()
            return false
        }

        /// Waits for a duration, or until the next signal.
        func wait(_ duration: Duration) {
            let nanoseconds = Int(min(max(duration / .nanoseconds(1), 1), 1e18))
            _ = semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds))
        }
    }

    extension Journal {
        /// Schedules a write in the background. Called after ``JournalState/scheduleFlush(isUrgent:)``.
        ///
        /// - Returns: False if no thread could be started, so that nothing is scheduled. The next event, assignment,
        ///   delivery or flush tries again. The caller may be a decision, which must not write itself.
        @discardableResult
        func scheduleFlush() -> Bool {
            guard flushSignal.claimThread() else {
                flushSignal.signal()
                return true
            }
            let (signal, interval) = (flushSignal, interval)
            let isStarted = WorkThread.start { [weak self] in Self.work(signal, interval) { self } }
            if isStarted {
                flushSignal.signal()
            } else {
                flushSignal.giveUpThread()
                state.withLock { $0.flushImpossible() }
            }
            return isStarted
        }

        /// How long additions are collected before they are written. Zero if callers wait: during one commit they
        /// collect for the next.
        private var interval: Duration {
            guard case .soon(let interval) = options.durability else { return .zero }
            return max(interval, .milliseconds(1))
        }

        /// The background thread. Retains the signal, but not the journal.
        private static func work(_ signal: FlushSignal, _ interval: Duration, _ journal: () -> Journal?) {
            while signal.wait() {
                var delay: Duration? = interval
                while let duration = delay {
                    if duration > .zero { signal.wait(duration) }
                    guard let journal = journal() else { return }
                    delay = journal.commitInBackground()
                }
            }
        }

        /// Writes what waits, and does work that callers deferred.
        ///
        /// - Returns: When to try again; nil if no work is left.
        private func commitInBackground() -> Duration? {
            let (queues, user) = state.withLock { $0.flushBegan() }
            let error = commit()
            for queue in queues { look(at: queue) }
            if let user { repair(user) }
            guard error != nil else { return nil }
            // With the writer's lock: nothing is in flight.
            return database.withWriter { _ in state.withLock { $0.flushFailed(at: .now) } }
        }

        /// Reads a user again on the writing connection, which repairs a damaged file.
        private func repair(_ user: String) {
            if (try? database.withWriter({ writer in try writer.read { _ = try $0.profile(of: user) } })) != nil {
                database.readers.reset()
            }
            log()
        }
    }
#endif
