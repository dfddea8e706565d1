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

    /// Collects additions, and writes many of them in one transaction.
    ///
    /// With ``SQLiteOptions/Durability-swift.enum/soon(within:)`` callers only add to the buffer; a background thread
    /// writes them. With ``SQLiteOptions/Durability-swift.enum/beforeReturning`` the waiting threads write in turns,
    /// and the background thread writes for waiting tasks.
    ///
    /// Lock order: the writer's, a reader's or the buffer's, a commit group's. None is held while the log is called.
    final class Journal: Sendable {
        let options: SQLiteOptions
        let database: Database
        let buffer = Locked(Buffer())
        let flushSignal = FlushSignal()
        private let destination: any Log
        private let generation = Atomic(Fork.generation)

        /// Prepares to open the file in a directory, or a database in memory if nil.
        init(directory: String?, options: SQLiteOptions, log: any Log) {
            self.options = options.checked
            destination = log
            database = Database(directory: directory, options: self.options)
        }

        deinit {
            commit(evenIfPausing: true)
            flushSignal.signal()
        }

        /// Writes pending log entries. No lock may be held.
        func log() { database.notices.deliver(to: destination) }

        /// Whether callers wait until their additions are in the file.
        var waitsForDurability: Bool { options.durability == .beforeReturning }

        /// Empties the buffer of a forked child: the parent writes its contents.
        func startCleanAfterFork() {
            let present = Fork.generation
            guard generation.load(ordering: .relaxed) != present,
                generation.exchange(present, ordering: .relaxed) != present
            else { return }
            buffer.withLock { buffer in
                var empty = Buffer()
                for queue in buffer.queues { _ = empty.queue(queue.name) }
                buffer = empty
            }
        }

        // MARK: Committing

        /// Writes the buffer in one transaction.
        ///
        /// - Returns: Why the buffer could not be written and keeps its contents; nil if they are in the file.
        @discardableResult
        func commit(evenIfPausing: Bool = false) -> SQLiteError? {
            let (error, ended) = commitQuietly(evenIfPausing: evenIfPausing)
            ended?.wake()
            log()
            return error
        }

        /// Like ``commit(evenIfPausing:)``, without waking threads.
        func commitQuietly(evenIfPausing: Bool = false) -> (error: SQLiteError?, ended: EndedGroup?) {
            startCleanAfterFork()
            return database.withWriter { writer in
                guard buffer.withLock({ $0.hasWork }) else { return (writer.failure?.error, nil) }
                if !evenIfPausing, writer.isPausing, let error = writer.failure?.error {
                    return (error, end(nil, error))
                }
                var taken: CommitBatch?
                do {
                    let result = try writer.write { session in
                        // Only when the file's lock is held: until then, events stay in the buffer, where they can be
                        // read, or dropped to make room.
                        let batch = taken ?? buffer.withLock { $0.take() }
                        taken = batch
                        return try session.store(batch, self)
                    }
                    writer.succeeded()
                    return (nil, taken.map { end($0, result, &writer.damaged) })
                } catch {
                    let error = SQLiteError(error, file: "turnout.sqlite")
                    writer.failed(error)
                    return (error, end(taken, error))
                }
            }
        }

        /// Ends a group whose batch is in the file.
        private func end(_ batch: CommitBatch, _ result: CommitResult, _ damaged: inout [String: Int]) -> EndedGroup {
            let lost = damaged
            damaged = buffer.withLock { buffer in
                var damaged = lost
                buffer.publish(batch, result)
                buffer.count(&damaged)
                return damaged
            }
            batch.group.end(CommitGroup.Outcome(refused: result.refused))
            return EndedGroup(group: batch.group, nextLeader: batch.nextLeader, eventCount: batch.events.count)
        }

        /// Ends a group whose batch could not be written; nil if none was taken.
        private func end(_ batch: CommitBatch?, _ error: SQLiteError) -> EndedGroup? {
            let ended: EndedGroup? = buffer.withLock { buffer in
                guard let batch else { return waitsForDurability ? buffer.nextGroup(eventCount: 0) : nil }
                buffer.restore(batch)
                // Events added in the meantime may exceed the limits.
                for queue in buffer.queues.indices where options.overflow == .dropOldest {
                    while isOverfull(buffer.queues[queue].pending), buffer.dropOldest(of: queue) {}
                }
                return EndedGroup(group: batch.group, nextLeader: batch.nextLeader, eventCount: batch.events.count)
            }
            ended?.group.end(CommitGroup.Outcome(error: error))
            return ended
        }

        private func isOverfull(_ tally: QueueState.Tally) -> Bool {
            tally.count > options.maximumEvents || tally.bytes > options.maximumBytes
        }

        /// Leads a commit: writes the additions of all threads that have joined the group.
        func leadCommit() {
            gather()
            let (_, ended) = commitQuietly()
            // The next leader starts before the other threads of this group wake up.
            let next = buffer.withLock { buffer -> CommitGroup? in
                buffer.expectedCount = buffer.events.count + (ended?.eventCount ?? 0)
                guard buffer.nextLeader == .waiting else {
                    buffer.isLed = false
                    return nil
                }
                buffer.nextLeader = .promoted
                return buffer.group
            }
            next?.promote()
            ended?.wake()
            log()
        }

        /// From this size on, the cost of the transaction itself is negligible.
        private static let fullGroup = 256

        /// Waits while threads of the previous group add their next events: a transaction costs as much as many events.
        private func gather() {
            var (count, attempts) = (0, 8)
            while attempts > 0 {
                let (now, expected) = buffer.withLock { ($0.events.count, $0.expectedCount) }
                if now >= min(expected, Self.fullGroup) { return }
                attempts = now > count ? 8 : attempts - 1
                count = now
                sched_yield()
            }
        }

        // MARK: Queues

        /// The number of a queue. Adds the queue if it is new.
        func queue(_ name: String) -> Int {
            let (queue, isNew) = buffer.withLock { $0.queue(name) }
            if isNew { look(at: queue) }
            return queue
        }

        /// Reads a queue's totals from the file.
        func look(at queue: Int) {
            let name = buffer.withLock { $0.queues[queue].name }
            database.withWriter { writer in
                guard let totals = try? writer.read({ try $0.existingTotals(name) ?? Totals(id: 0, name: name) })
                else { return }
                buffer.withLock { $0.set(totals, of: queue) }
            }
            log()
        }
    }

    extension Buffer {
        /// Counts events lost to damage.
        mutating func count(_ damaged: inout [String: Int]) {
            guard !damaged.isEmpty else { return }
            for index in queues.indices {
                if let count = damaged.removeValue(forKey: queues[index].name) {
                    queues[index].losses.add(count, .damaged)
                }
            }
        }
    }

    extension SQLiteError {
        /// Converts any error to a ``SQLiteError``.
        init(_ error: any Error, file: String) {
            self = error as? SQLiteError ?? SQLiteError(code: 1, message: "\(error)", file: file)
        }
    }

    extension Session {
        /// Writes a batch. Must be called in a transaction.
        func store(_ batch: CommitBatch, _ journal: Journal) throws -> CommitResult {
            let options = journal.options
            var result = CommitResult()
            func name(_ queue: Int) -> String { journal.buffer.withLock { $0.queues[queue].name } }
            try checkGroups()
            for (queue, ids) in batch.removals {
                var totals = try self.totals(name(queue))
                try remove(Array(ids), from: &totals)
                result.totals[queue] = totals
            }
            for entry in batch.events {
                var totals = try result.totals[entry.queue] ?? self.totals(name(entry.queue))
                let hasRoom =
                    totals.count < options.maximumEvents
                    && Int(totals.bytes) + entry.event.visitor.count <= options.maximumBytes
                if let place = entry.place, place.group == batch.number, !hasRoom, options.overflow == .refuseNewest {
                    result.refused.insert(place.index)
                    result.ids.append(nil)
                } else {
                    result.ids.append(try insert(entry.event, into: &totals))
                }
                result.totals[entry.queue] = totals
            }
            for queue in result.totals.keys {
                guard var totals = result.totals[queue] else { continue }
                if options.overflow == .dropOldest { result.dropped[queue] = try trim(&totals, to: options) }
                try save(totals)
                result.totals[queue] = totals
            }
            result.latestUse = try storeProfiles(batch, limit: options.maximumUsers)
            return result
        }

        private func storeProfiles(_ batch: CommitBatch, limit: Int) throws -> Int64? {
            guard !batch.changes.isEmpty else { return nil }
            var users = try totals(Totals.users)
            for user in batch.touched { try use(user, in: &users) }
            for change in batch.changes { try remember(change, in: &users) }
            try trim(&users, to: limit)
            try save(users)
            return users.next - 1
        }
    }
#endif
