#if SQLite
    import TurnoutClient

    extension Journal {
        /// More are written at once by the thread that adds them.
        private static let bufferedEvents = 16_384
        private static let bufferedBytes = 16_000_000

        private enum Step {
            case full, crowded
            case added(rings: Bool)
            case leads(Round, first: Int)
            case waits(Round, first: Int, asHeir: Bool)
        }

        // MARK: Adding

        func append(_ event: OutgoingEvent, to queue: Int) throws {
            if let error = append(contentsOf: CollectionOfOne(event), to: queue)[0] { throw error }
        }

        /// Adds events at the end. Why some could not be stored, by their indices.
        func append<Events: RandomAccessCollection>(
            contentsOf events: Events, to queue: Int
        ) -> [Int: any Error] where Events.Element == OutgoingEvent, Events.Index == Int {
            var errors: [Int: any Error] = [:]
            var hasLooked = false
            var start = events.startIndex
            while start < events.endIndex {
                let (step, end) = buffer.withLock { add(events, from: start, queue, &$0) }
                switch step {
                case .added(let rings): if rings { ring() }
                case .leads(let round, let first):
                    lead()
                    note(round, first, start..<end, &errors)
                case .waits(let round, let first, let isHeir):
                    if round.wait(asHeir: isHeir) { lead() }
                    note(round, first, start..<end, &errors)
                case .crowded: commit()
                case .full where hasLooked:
                    errors[start] = EventStoreError.full
                    start += 1
                case .full:
                    hasLooked = true
                    // Another process may have removed events.
                    commit()
                    look(at: queue)
                }
                start = max(start, end)
            }
            return errors
        }

        /// Adds events as long as there is room, and says what is to be done about them, or about the first one if
        /// there is none for it.
        private func add<Events: RandomAccessCollection>(
            _ events: Events, from start: Int, _ queue: Int, _ buffer: inout Buffer
        ) -> (Step, end: Int) where Events.Element == OutgoingEvent, Events.Index == Int {
            let first = buffer.events.count
            let waits = options.durability == .beforeReturning
            var index = start
            while index < events.endIndex {
                if let obstacle = obstacle(to: events[index], queue, &buffer) {
                    if index == start { return (obstacle, start) }
                    break
                }
                buffer.queues[queue].waiting.add(events[index])
                buffer.bytes += events[index].visitor.count
                let place = waits ? buffer.events.count : nil
                buffer.events.append(BufferedEvent(queue: queue, event: events[index], place: place))
                index += 1
            }
            if waits { return (turn(&buffer, first), index) }
            let half = Self.bufferedEvents / 2
            let isUrgent = first <= half && half < buffer.events.count
            return (.added(rings: setAlarm(&buffer, isUrgent: isUrgent)), index)
        }

        /// Why an event cannot be added now; nil: there is room.
        private func obstacle(to event: OutgoingEvent, _ queue: Int, _ buffer: inout Buffer) -> Step? {
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
                    return buffer.dropOldest(of: queue) ? obstacle(to: event, queue, &buffer) : .crowded
                }
            }
            let isCrowded = buffer.events.count >= Self.bufferedEvents || buffer.bytes >= Self.bufferedBytes
            return isCrowded ? .crowded : nil
        }

        private func turn(_ buffer: inout Buffer, _ first: Int) -> Step {
            if buffer.isLed { return .waits(buffer.round, first: first, asHeir: buffer.join()) }
            buffer.isLed = true
            return .leads(buffer.round, first: first)
        }

        private func setAlarm(_ buffer: inout Buffer, isUrgent: Bool) -> Bool {
            defer { buffer.isAlarmSet = true }
            return !buffer.isAlarmSet || isUrgent
        }

        /// Notes what became of events that were added to a round, from its place `first` on.
        private func note(_ round: Round, _ first: Int, _ indices: Range<Int>, _ errors: inout [Int: any Error]) {
            guard let outcome = round.outcome else { return }
            if outcome.error != nil || !database.isDurable {
                if outcome.error != nil { wakeLater() }
                for index in indices { errors[index] = EventStoreError.notDurable }
            } else if !outcome.refused.isEmpty {
                for (place, index) in zip(first..., indices) where outcome.refused.contains(place) {
                    errors[index] = EventStoreError.full
                }
            }
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
