#if SQLite
    import TurnoutClient

    extension Journal {
        /// Above this size the background thread writes at once instead of after the interval.
        private static let urgentBytes = 8_000_000

        private enum Step {
            case full(needsFlush: Bool), bufferFull
            case added(needsFlush: Bool)
            case leads(CommitGroup, first: Int)
            case waits(CommitGroup, first: Int, asNextLeader: Bool)
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
                let (step, end) = buffer.withLock { add(events, from: start, queue, &$0) }
                switch step {
                case .added(let needsFlush): if needsFlush { scheduleFlush() }
                case .leads(let group, let first):
                    leadCommit()
                    note(group, first, start..<end, &errors)
                case .waits(let group, let first, let isNextLeader):
                    if group.wait(asNextLeader: isNextLeader) { leadCommit() }
                    note(group, first, start..<end, &errors)
                case .full where waitsForDurability && !hasLooked:
                    hasLooked = true
                    // Another process may have removed events.
                    commit()
                    look(at: queue)
                case .bufferFull where commit() == nil: continue
                case .full(let needsFlush):
                    if needsFlush { scheduleFlush() }
                    errors[start] = EventStoreError.full
                    start += 1
                case .bufferFull:
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
            var added: (group: CommitGroup, first: Int, end: Int)?
            await withCheckedContinuation { task in
                let needsFlush = buffer.withLock { buffer in
                    let (group, first) = (buffer.group, buffer.groupCount)
                    let (end, _) = fill(&buffer, with: events, from: 0, queue)
                    guard end > 0 else { return false }
                    added = (group, first, end)
                    group.add(task)
                    return schedule(&buffer, isUrgent: false)
                }
                if added == nil { task.resume() }
                if needsFlush, !scheduleFlush() { commit() }
            }
            let end = added?.end ?? 0
            if let added { note(added.group, added.first, 0..<end, &errors) }
            guard end < events.count else { return errors }
            // Making room writes the buffer on the calling thread.
            let rest = await BlockingCall.value { self.append(contentsOf: events[end...], to: queue) }
            return errors.merging(rest) { $1 }
        }

        /// Adds events as long as there is room. Returns the next step for them, or for the first one if there is no
        /// room for it.
        private func add<Events: RandomAccessCollection>(
            _ events: Events, from start: Int, _ queue: Int, _ buffer: inout Buffer
        ) -> (Step, end: Int) where Events.Element == OutgoingEvent, Events.Index == Int {
            let (first, bytes) = (buffer.groupCount, buffer.eventBytes)
            let (index, obstacle) = fill(&buffer, with: events, from: start, queue)
            if let obstacle, index == start { return (obstacle, start) }
            if waitsForDurability { return (turn(&buffer, first), index) }
            let isUrgent = bytes <= Self.urgentBytes && Self.urgentBytes < buffer.eventBytes
            return (.added(needsFlush: schedule(&buffer, isUrgent: isUrgent)), index)
        }

        /// Adds events as long as there is room. Returns the index of the first one that was not added, and why.
        private func fill<Events: RandomAccessCollection>(
            _ buffer: inout Buffer, with events: Events, from start: Int, _ queue: Int
        ) -> (end: Int, obstacle: Step?) where Events.Element == OutgoingEvent, Events.Index == Int {
            for index in start..<events.endIndex {
                if let obstacle = obstacle(to: events[index], queue, &buffer) { return (index, obstacle) }
                buffer.add(events[index], to: queue, waits: waitsForDurability)
            }
            return (events.endIndex, nil)
        }

        /// Why an event cannot be added now; nil if there is room.
        private func obstacle(to event: OutgoingEvent, _ queue: Int, _ buffer: inout Buffer) -> Step? {
            let size = event.visitor.count
            guard size <= options.maximumBytes, BufferedEvent.size(of: event) <= options.maximumBufferedBytes else {
                return .full(needsFlush: false)
            }
            let state = buffer.queues[queue]
            // With `dropOldest`, events in the file make room when this one is written.
            if options.overflow == .refuseNewest,
                state.waiting.count + state.stored.count >= options.maximumEvents + state.removals.count
                    || state.waiting.bytes + state.stored.bytes + size > options.maximumBytes
            {
                buffer.queues[queue].isOutdated = true
                return .full(needsFlush: !waitsForDurability && schedule(&buffer, isUrgent: false))
            }
            while lacksRoom(for: event, queue, &buffer) {
                guard options.overflow == .dropOldest, dropOldest(of: queue, &buffer) else {
                    // A caller that waits for the file anyway can write the buffer; a decision must not.
                    return waitsForDurability ? .bufferFull : .full(needsFlush: false)
                }
            }
            return nil
        }

        private func lacksRoom(for event: OutgoingEvent, _ queue: Int, _ buffer: inout Buffer) -> Bool {
            if buffer.eventBytes + BufferedEvent.size(of: event) > options.maximumBufferedBytes { return true }
            guard options.overflow == .dropOldest else { return false }
            let pending = buffer.queues[queue].pending
            return pending.count >= options.maximumEvents
                || pending.bytes + event.visitor.count > options.maximumBytes
        }

        private func dropOldest(of queue: Int, _ buffer: inout Buffer) -> Bool {
            // An event of the current group cannot be dropped: its caller is about to report that it is in the file.
            let oldest = waitsForDurability ? buffer.events.first { $0.queue == queue } : nil
            guard oldest?.place?.group != buffer.groupNumber else { return false }
            return buffer.dropOldest(of: queue)
        }

        private func turn(_ buffer: inout Buffer, _ first: Int) -> Step {
            if buffer.isLed { return .waits(buffer.group, first: first, asNextLeader: buffer.join()) }
            buffer.isLed = true
            return .leads(buffer.group, first: first)
        }

        /// Whether the background thread has to be signalled.
        private func schedule(_ buffer: inout Buffer, isUrgent: Bool) -> Bool {
            defer { buffer.isFlushScheduled = true }
            return !buffer.isFlushScheduled || isUrgent
        }

        /// Records the outcome of events that were added to a commit group from index `first` on.
        private func note(_ group: CommitGroup, _ first: Int, _ indices: Range<Int>, _ errors: inout [Int: any Error]) {
            guard let outcome = group.outcome else { return }
            if outcome.error != nil || !database.isDurable {
                if outcome.error != nil { wakeLater() }
                for index in indices { errors[index] = EventStoreError.notDurable }
            } else if !outcome.refused.isEmpty {
                for (place, index) in zip(first..., indices) where outcome.refused.contains(place) {
                    errors[index] = EventStoreError.full
                }
            }
        }

        /// Schedules another attempt in the background.
        private func wakeLater() {
            guard buffer.withLock({ schedule(&$0, isUrgent: false) }), !scheduleFlush() else { return }
            // A task may rely on the flush that could not be scheduled.
            if waitsForDurability { commit() }
        }

        // MARK: Reading

        func oldest(_ count: Int, after id: Int64 = .min, of queue: Int) throws -> [StoredEvent] {
            let failure = commit()
            defer { log() }
            return try database.withWriter { writer in
                let (name, removed) = buffer.withLock { ($0.queues[queue].name, $0.queues[queue].removals) }
                var events: [StoredEvent] = []
                do {
                    events = try writer.read { try self.read(count, after: id, of: queue, name, besides: removed, $0) }
                    buffer.withLock { $0.count(&writer.damaged) }
                } catch {
                    // Events in memory can still be delivered.
                    guard buffer.withLock({ !$0.events.isEmpty }) else { throw error }
                    writer.failed(SQLiteError(error, file: "turnout.sqlite"))
                    return unwritten(count, after: id, of: queue)
                }
                return failure == nil ? events : events + unwritten(count - events.count, after: id, of: queue)
            }
        }

        private func read(
            _ count: Int, after id: Int64, of queue: Int, _ name: String, besides removed: Set<Int64>,
            _ session: Session
        ) throws -> [StoredEvent] {
            // In one snapshot: another writer in between would make the counts differ from the rows.
            let seen = try session.snapshot {
                try session.existingTotals(name).map { totals in
                    let (first, last) = (EventIDs.first(of: totals), EventIDs.last(of: totals))
                    // Beyond the last id the range is empty, not reversed.
                    let start = id < last ? max(first, id + 1) : last + 1
                    let found = try session.events(from: start, to: last, count: count, besides: removed)
                    return (totals: totals, found: found)
                }
            }
            guard let seen else { return [] }
            var totals = seen.totals
            let found = seen.found
            let sum = found.good.count + found.damaged.count + removed.count
            if id < EventIDs.first(of: totals), found.good.count < count, Int(totals.count) != sum {
                throw SQLiteError.damage("\(totals.count) events expected, others found", file: session.connection.path)
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

        /// The oldest events after an id that are in memory only.
        private func unwritten(_ count: Int, after last: Int64, of queue: Int) -> [StoredEvent] {
            buffer.withLock { buffer in
                var events: [StoredEvent] = []
                guard count > 0 else { return events }
                for entry in buffer.events where entry.queue == queue && entry.id > last {
                    events.append(StoredEvent(id: entry.id, event: entry.event))
                    buffer.highestExposedID = max(buffer.highestExposedID, entry.id)
                    if events.count == count { break }
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
