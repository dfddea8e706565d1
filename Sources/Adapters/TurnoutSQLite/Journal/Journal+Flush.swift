#if SQLite
    import TurnoutClient

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

        /// Schedules another attempt in the background, unless `needsFlush` says that one is scheduled already.
        func tryLater(_ needsFlush: Bool) {
            // A task may rely on a flush that could not be scheduled.
            if needsFlush, !scheduleFlush(), waitsForDurability { commit() }
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

        /// Writes pending changes, and does work that callers deferred.
        ///
        /// - Returns: When to try again; nil if no work is left.
        private func commitInBackground() -> Duration? {
            let (queues, user) = state.withLock { $0.flushBegan() }
            let error = commit()
            for queue in queues { look(at: queue) }
            if let user { repair(user) }
            guard error != nil else { return nil }
            // With the writer's lock: nothing is in flight.
            return database.withWriter { _ in state.withLock { $0.flushFailed(at: now()) } }
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
