import Dispatch
import LibC
import TurnoutClient

extension Journal {
    // MARK: Transactions

    /// Writes what waits in one transaction.
    ///
    /// - Returns: Why it could not be written and is still in memory; nil if it is in the file.
    @discardableResult
    func commit(evenIfPausing: Bool = false, onlyRemovals: Bool = false) -> SQLiteError? {
        startCleanAfterFork()
        let (outcome, group, work) = database.withWriter { writer in
            if let (error, group) = state.withLock({ $0.commitBegan(evenIfPausing: evenIfPausing, at: now()) }) {
                return (CommitGroup.Outcome(error: error), group, JournalState.Work.nothing)
            }
            return write(&writer, onlyRemovals: onlyRemovals)
        }
        group?.end(outcome)
        perform(work)
        log()
        return outcome.error
    }

    private func write(
        _ writer: inout Writer, onlyRemovals: Bool
    ) -> (CommitGroup.Outcome, CommitGroup?, JournalState.Work) {
        var taken: CommitBatch?
        do {
            let (batch, result) = try writer.write { session in
                let batch = taken ?? state.withLock { $0.take(onlyRemovals: onlyRemovals) }
                taken = batch
                return (batch, try session.store(batch, options))
            }
            let isNews = state.withLock { state in
                state.lost(&writer.damaged)
                return state.commitSucceeded(batch, result)
            }
            if !batch.onlyRemovals { writer.isFailing = false }
            if isNews { report(nil) }
            return (CommitGroup.Outcome(refused: result.refused), batch.group, .nothing)
        } catch {
            let error = SQLiteError(error, file: "turnout.sqlite")
            let (group, work, isNews) = state.withLock { $0.commitFailed(taken, error, at: now()) }
            writer.isFailing = true
            if isNews { report(error) }
            return (CommitGroup.Outcome(error: error), group, work)
        }
    }

    /// Records that the file could not be read or written, and logs the first failure in a row.
    func failed(_ error: any Error, _ writer: inout Writer) {
        let error = SQLiteError(error, file: "turnout.sqlite")
        writer.isFailing = true
        if state.withLock({ $0.fileFailed(error, at: now()) }) { report(error) }
    }

    /// Logs that the file cannot be written, or can be written again.
    private func report(_ error: SQLiteError?) {
        guard let error else {
            return database.notices.add("storage: the file can be written again; data kept in memory is stored", .info)
        }
        database.notices.add(
            "storage: events and assignments are kept in memory, up to \(options.bufferLimitText), because they "
                + "cannot be written: \(error); they are delivered from memory, written as soon as possible, and "
                + "lost if the process ends before")
    }

    // MARK: Threads

    /// Does what a step of the state requires.
    func perform(_ work: JournalState.Work) {
        switch work {
        case .nothing: break
        case .start(let delay): startWriting(after: delay)
        case .hasten: pauseEnd.signal()
        case .write: if let delay = makePass() { startWriting(after: delay) }
        }
    }

    /// Starts the writing thread. It does not retain the journal in its pauses.
    private func startWriting(after delay: Duration) {
        let isStarted = WorkThread.start { [weak self, pauseEnd] in
            var next: Duration? = delay
            while let pause = next {
                if pause > .zero {
                    _ = pauseEnd.wait(timeout: .now() + .nanoseconds(pause.wholeNanoseconds))
                }
                next = self?.makePass()
            }
        }
        // The next addition tries again. A caller that waits may rely on a thread that could not be started.
        if !isStarted { while state.withLock({ $0.startFailed() }) { commit() } }
    }

    /// Writes what waits, and does work that callers deferred.
    ///
    /// - Returns: When the next pass follows; nil if nothing is left to do.
    private func makePass() -> Duration? {
        gather()
        let (queues, user) = state.withLock { $0.passBegan() }
        commit()
        for queue in queues { look(at: queue) }
        if let user { repair(user) }
        return state.withLock { $0.passEnded(at: now()) }
    }

    /// Waits while callers of the previous transaction add their next events.
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

    /// Reads a user again on the writing connection, which repairs a damaged file.
    private func repair(_ user: String) {
        if (try? database.withWriter({ writer in try writer.read { _ = try $0.profile(of: user) } })) != nil {
            database.readers.reset()
        }
        log()
    }
}

extension SQLiteError {
    /// Converts any error to a ``SQLiteError``.
    init(_ error: any Error, file: String) {
        self = error as? SQLiteError ?? SQLiteError(code: 1, message: "\(error)", file: file)
    }
}
