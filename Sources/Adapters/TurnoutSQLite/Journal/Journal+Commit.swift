#if SQLite
    import LibC
    import TurnoutClient

    extension Journal {
        /// Writes everything that waits in one transaction.
        ///
        /// - Returns: Why it could not be written and is still in memory; nil if it is in the file.
        @discardableResult
        func commit(evenIfPausing: Bool = false) -> SQLiteError? {
            let (error, ended) = commitQuietly(evenIfPausing: evenIfPausing)
            ended?.wake()
            log()
            return error
        }

        /// Like ``commit(evenIfPausing:)``, without waking threads.
        private func commitQuietly(evenIfPausing: Bool = false) -> (error: SQLiteError?, ended: ClosedGroup?) {
            startCleanAfterFork()
            return database.withWriter { writer in
                switch state.withLock({ $0.commitBegan(evenIfPausing: evenIfPausing, at: now()) }) {
                case .nothing(let error): return (error, nil)
                case .backOff(let error, let group):
                    group?.end(CommitGroup.Outcome(error: error))
                    return (error, group)
                case .write: return write(&writer)
                }
            }
        }

        private func write(_ writer: inout Writer) -> (error: SQLiteError?, ended: ClosedGroup?) {
            var taken: CommitBatch?
            do {
                let (batch, result) = try writer.write { session in
                    let batch = taken ?? state.withLock { $0.take() }
                    taken = batch
                    return (batch, try session.store(batch, options))
                }
                let end = state.withLock { state in
                    state.events.lost(&writer.damaged)
                    return state.commitSucceeded(batch, result)
                }
                finish(end, CommitGroup.Outcome(refused: result.refused), &writer)
                return (nil, end.group)
            } catch {
                let error = SQLiteError(error, file: "turnout.sqlite")
                let end = state.withLock { $0.commitFailed(taken, error, at: now()) }
                finish(end, CommitGroup.Outcome(error: error), &writer)
                return (error, end.group)
            }
        }

        private func finish(_ end: JournalState.EndAction, _ outcome: CommitGroup.Outcome, _ writer: inout Writer) {
            writer.isFailing = outcome.error != nil
            if end.isTransition { report(outcome.error) }
            end.group?.end(outcome)
        }

        /// Logs that the file cannot be written, or can be written again.
        private func report(_ error: SQLiteError?) {
            guard let error else {
                return database.notices.add(
                    "storage: the file can be written again; data kept in memory is stored", .info)
            }
            database.notices.add(
                "storage: events and assignments are kept in memory, up to \(options.bufferLimitText), because they "
                    + "cannot be written: \(error); they are delivered from memory, written as soon as possible, and "
                    + "lost if the process ends before")
        }

        /// Leads a commit: writes the additions of all threads that have joined the group.
        func leadCommit() {
            gather()
            let (_, ended) = commitQuietly()
            // The next leader starts before the other threads of this group wake up.
            state.withLock { $0.leadEnded(eventCount: ended?.eventCount ?? 0) }?.promote()
            ended?.wake()
            log()
        }

        /// Waits while threads of the previous group add their next events.
        private func gather() {
            var (missing, attempts) = (Int.max, 8)
            while attempts > 0 {
                let now = state.withLock { $0.missingCount }
                if now == 0 { return }
                attempts = now < missing ? 8 : attempts - 1
                missing = now
                sched_yield()
            }
        }

        /// Records that the file could not be read or written, and logs the first failure in a row.
        func failed(_ error: any Error, _ writer: inout Writer) {
            let error = SQLiteError(error, file: "turnout.sqlite")
            writer.isFailing = true
            if state.withLock({ $0.fileFailed(error, at: now()) }) { report(error) }
        }
    }

    extension SQLiteError {
        /// Converts any error to a ``SQLiteError``.
        init(_ error: any Error, file: String) {
            self = error as? SQLiteError ?? SQLiteError(code: 1, message: "\(error)", file: file)
        }
    }
#endif
