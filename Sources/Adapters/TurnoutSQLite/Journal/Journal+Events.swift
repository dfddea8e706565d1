#if SQLite
    import TurnoutClient

    extension Journal {
        /// More are written at once by the thread that adds them.
        private static let bufferedEvents = 16_384
        private static let bufferedBytes = 16_000_000

        private enum Step {
            case full, crowded
            case added(rings: Bool)
            case leads(Round, Int)
            case waits(Round, Int, asHeir: Bool)
        }

        // MARK: Adding

        func append(_ event: OutgoingEvent, to queue: Int) throws {
            var hasLooked = false
            while true {
                switch buffer.withLock({ step(event, queue, &$0) }) {
                case .added(let rings): return rings ? ring() : ()
                case .leads(let round, let place):
                    lead()
                    return try check(round, place)
                case .waits(let round, let place, let isHeir):
                    if round.wait(asHeir: isHeir) { lead() }
                    return try check(round, place)
                case .crowded: commit()
                case .full:
                    guard !hasLooked else { throw EventStoreError.full }
                    hasLooked = true
                    // Another process may have removed events.
                    commit()
                    look(at: queue)
                }
            }
        }

        private func step(_ event: OutgoingEvent, _ queue: Int, _ buffer: inout Buffer) -> Step {
            let state = buffer.queues[queue]
            let (count, bytes) = (state.waiting.count, state.waiting.bytes + event.visitor.count)
            switch options.overflow {
            case .refuseNewest:
                guard count + state.stored.count < options.maximumEvents + state.removals.count,
                    bytes + state.stored.bytes <= options.maximumBytes
                else { return .full }
            case .dropOldest:
                // Those in the file make room when this one is written.
                guard event.visitor.count <= options.maximumBytes else { return .full }
                guard count < options.maximumEvents, bytes <= options.maximumBytes else {
                    return buffer.dropOldest(of: queue) ? step(event, queue, &buffer) : .crowded
                }
            }
            guard buffer.events.count < Self.bufferedEvents, buffer.bytes < Self.bufferedBytes else { return .crowded }
            buffer.queues[queue].waiting.add(event)
            buffer.bytes += event.visitor.count
            let place = buffer.events.count
            if options.durability == .beforeReturning {
                buffer.events.append(BufferedEvent(queue: queue, event: event, place: place))
                return turn(&buffer, place)
            }
            buffer.events.append(BufferedEvent(queue: queue, event: event, place: nil))
            return .added(rings: setAlarm(&buffer, isUrgent: place == Self.bufferedEvents / 2))
        }

        private func turn(_ buffer: inout Buffer, _ place: Int) -> Step {
            if buffer.isLed { return .waits(buffer.round, place, asHeir: buffer.join()) }
            buffer.isLed = true
            return .leads(buffer.round, place)
        }

        private func setAlarm(_ buffer: inout Buffer, isUrgent: Bool) -> Bool {
            defer { buffer.isAlarmSet = true }
            return !buffer.isAlarmSet || isUrgent
        }

        private func check(_ round: Round, _ place: Int) throws {
            guard let outcome = round.outcome else { return }
            if outcome.error != nil || !database.isDurable {
                if outcome.error != nil { wakeLater() }
                throw EventStoreError.notDurable
            }
            if outcome.refused.contains(place) { throw EventStoreError.full }
        }

        /// Has what could not be written tried again in the background.
        private func wakeLater() {
            if buffer.withLock({ setAlarm(&$0, isUrgent: false) }) { ring() }
        }

        // MARK: Reading

        func oldest(_ count: Int, of queue: Int) throws -> [StoredEvent] {
            commit()
            defer { log() }
            return try database.withWriter { writer in
                let (name, removed) = buffer.withLock { ($0.queues[queue].name, $0.queues[queue].removals) }
                var events: [StoredEvent] = []
                do {
                    events = try writer.read { try self.read(count, of: queue, name, besides: removed, $0) }
                    buffer.withLock { $0.count(&writer.damaged) }
                } catch {
                    // What is in memory can be delivered meanwhile.
                    guard buffer.withLock({ !$0.stranded.isEmpty }) else { throw error }
                    writer.failed(SQLiteError(error, file: "turnout.sqlite"))
                }
                return events + self.stranded(count - events.count, of: queue)
            }
        }

        private func read(
            _ count: Int, of queue: Int, _ name: String, besides removed: Set<Int64>, _ session: Session
        ) throws -> [StoredEvent] {
            // At one moment: others may write in between, and the counts would not fit what is found.
            let seen = try session.snapshot {
                try session.existingTotals(name).map { totals in
                    let found = try session.events(
                        from: EventIDs.first(of: totals), to: EventIDs.last(of: totals), count: count, besides: removed)
                    return (totals: totals, found: found)
                }
            }
            guard let seen else { return [] }
            var totals = seen.totals
            let found = seen.found
            if found.good.count < count, Int(totals.count) != found.good.count + found.damaged.count + removed.count {
                throw SQLiteError.damage("\(totals.count) events counted, others found", file: session.connection.path)
            }
            if !found.damaged.isEmpty {
                try session.transaction {
                    totals = try session.totals(name)
                    let before = totals.count
                    try session.reject(found.damaged, of: &totals, damaged: true, keeping: options.maximumRejected)
                    guard totals.count < before else {
                        throw SQLiteError.damage("damaged events cannot be removed", file: session.connection.path)
                    }
                    try session.save(totals)
                }
            }
            buffer.withLock { buffer in
                buffer.set(totals, of: queue)
                buffer.queues[queue].losses.add(found.damaged.count, .damaged)
            }
            return found.good
        }

        private func stranded(_ count: Int, of queue: Int) -> [StoredEvent] {
            buffer.withLock { buffer in
                guard count > 0, !buffer.stranded.isEmpty else { return [] }
                var events: [StoredEvent] = []
                for entry in buffer.stranded where entry.queue == queue {
                    guard let id = entry.id, events.count < count else { break }
                    events.append(StoredEvent(id: id, event: entry.event))
                    buffer.servedID = max(buffer.servedID, id)
                }
                return events
            }
        }

        // MARK: Removing

        func remove(_ ids: [Int64], from queue: Int, rejecting: Bool) {
            guard !ids.isEmpty else { return }
            let failed = database.withWriter { writer -> Bool in
                let (inFile, name) = buffer.withLock {
                    ($0.removeFromMemory(ids, of: queue), $0.queues[queue].name)
                }
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
                    buffer.withLock { $0.set(totals, of: queue) }
                    return false
                } catch {
                    writer.failed(SQLiteError(error, file: "turnout.sqlite"))
                    buffer.withLock { $0.queues[queue].removals.formUnion(inFile) }
                    return true
                }
            }
            if failed { wakeLater() }
            log()
        }
    }
#endif
