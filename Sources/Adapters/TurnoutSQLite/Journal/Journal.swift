#if SQLite
    import Synchronization
    import TurnoutClient

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// Collects additions, and writes many of them in one transaction. ``JournalState`` decides when to write and which
    /// callers wait; this class holds the state's lock, the threads and the file.
    ///
    /// Lock order: the writer's, a reader's or the state's, a commit group's. None is held while the log is called.
    final class Journal: Sendable {
        let options: SQLiteOptions
        let database: Database
        let state: Locked<JournalState>
        let flushSignal = FlushSignal()
        private let destination: any Log
        private let generation = Atomic(Fork.generation)

        /// Prepares to open the file in a directory, or a database in memory if nil.
        init(directory: String?, options: SQLiteOptions, log: any Log) {
            self.options = options.checked
            destination = log
            database = Database(directory: directory, options: self.options)
            state = Locked(JournalState(options: self.options))
        }

        deinit {
            commit(evenIfPausing: true)
            flushSignal.signal()
        }

        /// Writes pending log entries. No lock may be held.
        func log() { database.notices.deliver(to: destination) }

        /// Whether callers wait until their additions are in the file.
        var waitsForDurability: Bool { options.durability == .beforeReturning }

        /// Empties the state of a forked child: the parent writes its contents.
        func startCleanAfterFork() {
            let present = Fork.generation
            guard generation.load(ordering: .acquiring) != present else { return }
            state.withLock { state in
                // Other threads of the child wait for the lock, and find an empty state.
                guard generation.exchange(present, ordering: .releasing) != present else { return }
                state.forked()
            }
        }

        // MARK: Committing

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
                switch state.withLock({ $0.commitBegan(evenIfPausing: evenIfPausing, at: .now) }) {
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
                    state.lost(&writer.damaged)
                    return state.commitSucceeded(batch, result)
                }
                finish(end, CommitGroup.Outcome(refused: result.refused), &writer)
                return (nil, end.group)
            } catch {
                let error = SQLiteError(error, file: "turnout.sqlite")
                let end = state.withLock { $0.commitFailed(taken, error, at: .now) }
                finish(end, CommitGroup.Outcome(error: error), &writer)
                return (error, end.group)
            }
        }

        private func finish(_ end: JournalState.EndAction, _ outcome: CommitGroup.Outcome, _ writer: inout Writer) {
            writer.isFailing = outcome.error != nil
            if end.isNews { report(outcome.error) }
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

        /// Schedules another attempt in the background, unless `needsFlush` says that one is scheduled already.
        func tryLater(_ needsFlush: Bool) {
            // A task may rely on a flush that could not be scheduled.
            if needsFlush, !scheduleFlush(), waitsForDurability { commit() }
        }

        // MARK: Queues

        /// The number of a queue. Adds the queue if it is new.
        func queue(_ name: String) -> Int {
            let (queue, isNew) = state.withLock { $0.queue(name) }
            if isNew { look(at: queue) }
            return queue
        }

        /// Reads a queue's totals from the file.
        func look(at queue: Int) {
            let name = state.withLock { $0.queueNames[queue] }
            database.withWriter { writer in
                guard let totals = try? writer.read({ try $0.existingTotals(name) ?? Totals(id: 0, name: name) })
                else { return }
                state.withLock { $0.counted(.init(totals), in: queue) }
            }
            log()
        }

        // MARK: Adding

        func append(_ event: OutgoingEvent, to queue: Int) throws {
            if let error = append(contentsOf: CollectionOfOne(event), to: queue)[0] { throw error }
        }

        /// Adds events at the end. Returns the errors of events that could not be stored, by index.
        func append<Events: RandomAccessCollection>(
            contentsOf events: Events, to queue: Int
        ) -> [Int: any Error] where Events.Element == OutgoingEvent, Events.Index == Int {
            startCleanAfterFork()
            var errors: [Int: any Error] = [:]
            var hasLooked = false
            var start = events.startIndex
            while start < events.endIndex {
                let (action, end) = state.withLock {
                    $0.append(events, from: start, to: queue, hasLooked: hasLooked)
                }
                switch action {
                case .accepted(let needsFlush): if needsFlush { scheduleFlush() }
                case .lead(let group, let first):
                    leadCommit()
                    note(group, first, start..<end, &errors)
                case .wait(let group, let first, let isNextLeader):
                    if group.wait(asNextLeader: isNextLeader) { leadCommit() }
                    note(group, first, start..<end, &errors)
                case .makeRoom where commit() == nil: continue
                case .lookAgain:
                    hasLooked = true
                    commit()
                    look(at: queue)
                    continue
                case .refused(let needsFlush):
                    if needsFlush { scheduleFlush() }
                    fallthrough
                case .makeRoom:
                    errors[start] = EventStoreError.full
                    start += 1
                }
                start = max(start, end)
            }
            return errors
        }

        /// Adds events, and waits until they are in the file without blocking a thread: the background thread writes
        /// them, together with those of other tasks. Returns the errors of events that could not be stored, by index.
        func appendDurably(_ events: [OutgoingEvent], to queue: Int) async -> [Int: any Error] {
            startCleanAfterFork()
            var errors: [Int: any Error] = [:]
            let added = state.withLock { $0.appendAsTask(events, to: queue) }
            let end = added?.end ?? 0
            if let added {
                if added.needsFlush, !scheduleFlush() { commit() }
                await withCheckedContinuation { added.group.resume($0) }
                note(added.group, added.first, 0..<end, &errors)
            }
            guard end < events.count else { return errors }
            // Making room writes on the calling thread.
            let rest = await BlockingCall.value { self.append(contentsOf: events[end...], to: queue) }
            return errors.merging(rest) { $1 }
        }

        /// Records the outcome of events that were added to a commit group from index `first` on.
        private func note(_ group: CommitGroup, _ first: Int, _ indices: Range<Int>, _ errors: inout [Int: any Error]) {
            guard let outcome = group.outcome else { return }
            if outcome.error != nil || !database.isDurable {
                if outcome.error != nil { tryLater(state.withLock { $0.scheduleFlush() }) }
                for index in indices { errors[index] = EventStoreError.notDurable }
            } else if !outcome.refused.isEmpty {
                for (place, index) in zip(first..., indices) where outcome.refused.contains(place) {
                    errors[index] = EventStoreError.full
                }
            }
        }

        // MARK: Reading and removing

        func oldest(_ count: Int, after id: Int64 = .min, of queue: Int) throws -> [StoredEvent] {
            let failure = commit()
            defer { log() }
            return try database.withWriter { writer in
                let (name, removed) = state.withLock { ($0.queueNames[queue], $0.queues[queue].removals) }
                var events: [StoredEvent] = []
                do {
                    let limit = options.maximumRejected
                    let found = try writer.read {
                        try $0.oldest(count, after: id, of: name, besides: removed, keepingRejected: limit)
                    }
                    state.withLock { state in
                        if let found { state.counted(.init(found.totals), damaged: found.damaged, in: queue) }
                        state.lost(&writer.damaged)
                    }
                    events = found?.events ?? []
                } catch {
                    // Events in memory can still be delivered.
                    guard state.withLock({ !$0.events.isEmpty }) else { throw error }
                    failed(error, &writer)
                    return state.withLock { $0.waiting(count, after: id, of: queue) }
                }
                if failure == nil { return events }
                return events + state.withLock { $0.waiting(count - events.count, after: id, of: queue) }
            }
        }

        func remove(_ ids: [Int64], from queue: Int, rejecting: Bool) {
            guard !ids.isEmpty else { return }
            let needsFlush = database.withWriter { writer -> Bool in
                let (inFile, name) = state.withLock { ($0.remove(ids, of: queue), $0.queueNames[queue]) }
                guard !inFile.isEmpty else { return false }
                do {
                    let limit = options.maximumRejected
                    let totals = try writer.write { session in
                        var totals = try session.totals(name)
                        if rejecting {
                            try session.reject(inFile, of: &totals, damaged: false, keeping: limit)
                        } else {
                            try session.remove(inFile, from: &totals)
                        }
                        try session.save(totals)
                        return totals
                    }
                    state.withLock { $0.counted(.init(totals), in: queue) }
                    return false
                } catch {
                    failed(error, &writer)
                    return state.withLock { $0.removalFailed(inFile, of: queue) }
                }
            }
            tryLater(needsFlush)
            log()
        }

        private func failed(_ error: any Error, _ writer: inout Writer) {
            let error = SQLiteError(error, file: "turnout.sqlite")
            writer.isFailing = true
            if state.withLock({ $0.fileFailed(error, at: .now) }) { report(error) }
        }
    }

    extension SQLiteError {
        /// Converts any error to a ``SQLiteError``.
        init(_ error: any Error, file: String) {
            self = error as? SQLiteError ?? SQLiteError(code: 1, message: "\(error)", file: file)
        }
    }
#endif
