#if SQLite
    import TurnoutClient

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// Collects what is to be written, and sees to it that it is, many things in one transaction.
    ///
    /// Locks are taken in this order: the writer's, the reader's or the buffer's, a round's. None is held while the log
    /// is told something.
    final class Journal: Sendable {
        let options: SQLiteOptions
        let database: Database
        let buffer = Locked(Buffer())
        let bell = Bell()
        private let destination: any Log

        /// Prepares to open the file in a directory; nil: a database in memory.
        init(directory: String?, options: SQLiteOptions, log: any Log) {
            self.options = options.checked
            destination = log
            database = Database(directory: directory, options: self.options)
        }

        deinit {
            commit(evenIfPausing: true)
            bell.ring()
        }

        /// Tells the log what happened, now that no lock is held.
        func log() { database.notices.deliver(to: destination) }

        // MARK: Committing

        /// Writes everything that waits, in one transaction.
        ///
        /// - Returns: Why it could not be written and waits on; nil: it is in the file.
        @discardableResult
        func commit(evenIfPausing: Bool = false) -> SQLiteError? {
            let (error, load) = commitQuietly(evenIfPausing: evenIfPausing)
            if let load { load.round.wake(load.heir) }
            log()
            return error
        }

        /// The same, but wakes nobody.
        func commitQuietly(evenIfPausing: Bool = false) -> (error: SQLiteError?, load: Load?) {
            database.withWriter { writer in
                let isPausing = !evenIfPausing && writer.isPausing
                guard let load = buffer.withLock({ $0.take(withStranded: !isPausing) }) else {
                    return (writer.failure?.error, nil)
                }
                if isPausing, let error = writer.failure?.error { return (error, strand(load, error)) }
                do {
                    let result = try writer.write { session in try session.store(load, self) }
                    writer.succeeded()
                    buffer.withLock { buffer in
                        buffer.publish(load, result)
                        buffer.count(&writer.damaged)
                    }
                    load.round.end(Round.Outcome(refused: result.refused))
                    return (nil, load)
                } catch {
                    let error = SQLiteError(error, file: "turnout.sqlite")
                    writer.failed(error)
                    return (error, strand(load, error))
                }
            }
        }

        private func strand(_ load: Load, _ error: SQLiteError) -> Load {
            buffer.withLock { $0.strand(load) }
            load.round.end(Round.Outcome(error: error))
            return load
        }

        /// Writes in turns with others: whoever comes first writes for all who came by then.
        func lead() {
            gather()
            let (_, load) = commitQuietly()
            // Who writes next starts before the others of this round wake up.
            let next = buffer.withLock { buffer -> Round? in
                buffer.expectedCount = buffer.events.count + (load?.events.count ?? 0)
                guard buffer.heir == .waiting else {
                    buffer.isLed = false
                    return nil
                }
                buffer.heir = .appointed
                return buffer.round
            }
            next?.appoint()
            if let load { load.round.wake(load.heir) }
            log()
        }

        /// With so many events a transaction itself costs next to nothing of each.
        private static let crowd = 256

        /// Lets the threads of the round before come back with their next events, as long as more of them do: a
        /// transaction costs as much as many events.
        private func gather() {
            var (count, patience) = (0, 8)
            while patience > 0 {
                let (now, expected) = buffer.withLock { ($0.events.count, $0.expectedCount) }
                if now >= min(expected, Self.crowd) { return }
                patience = now > count ? 8 : patience - 1
                count = now
                sched_yield()
            }
        }

        // MARK: Queues

        /// The number of a queue, which is added if it is new.
        func queue(_ name: String) -> Int {
            let (queue, isNew) = buffer.withLock { buffer in
                if let queue = buffer.queues.firstIndex(where: { $0.name == name }) { return (queue, false) }
                buffer.queues.append(QueueState(name: name))
                return (buffer.queues.count - 1, true)
            }
            if isNew { look(at: queue) }
            return queue
        }

        /// Looks how much is in the file.
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
        /// Counts events that damage took.
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
        /// An error as one of ours.
        init(_ error: any Error, file: String) {
            self = error as? SQLiteError ?? SQLiteError(code: 1, message: "\(error)", file: file)
        }
    }

    extension Session {
        /// Writes a load. In a transaction.
        func store(_ load: Load, _ journal: Journal) throws -> LoadResult {
            let options = journal.options
            var result = LoadResult()
            let names = journal.buffer.withLock { $0.queues.map(\.name) }
            try checkGroups()
            for (queue, ids) in load.removals {
                var totals = try self.totals(names[queue])
                try remove(Array(ids), from: &totals)
                result.totals[queue] = totals
            }
            for entry in load.events {
                var totals = try result.totals[entry.queue] ?? self.totals(names[entry.queue])
                let hasRoom =
                    totals.count < options.maximumEvents
                    && Int(totals.bytes) + entry.event.visitor.count <= options.maximumBytes
                if let place = entry.place, !hasRoom, options.overflow == .refuseNewest {
                    result.refused.insert(place)
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
            result.latestUse = try storeProfiles(load, limit: options.maximumUsers)
            return result
        }

        private func storeProfiles(_ load: Load, limit: Int) throws -> Int64? {
            guard !load.changes.isEmpty else { return nil }
            var users = try totals(Totals.users)
            for user in load.touched { try use(user, in: &users) }
            for change in load.changes { try remember(change, in: &users) }
            try trim(&users, to: limit)
            try save(users)
            return users.next - 1
        }
    }
#endif
