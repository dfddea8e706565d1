#if SQLite
    import TurnoutClient

    extension Journal {
        // MARK: Adding

        /// Adds an event at the end, or throws an ``EventStoreError``.
        func append(_ event: OutgoingEvent, to queue: Int) throws {
            if let error = append(contentsOf: CollectionOfOne(event), to: queue)[0] { throw error }
        }

        /// Adds events at the end. Returns the errors of events that could not be stored, by index.
        func append<Events: RandomAccessCollection>(
            contentsOf events: Events, to queue: Int
        ) -> [Int: any Error] where Events.Element == OutgoingEvent, Events.Index == Int {
            startCleanAfterFork()
            var errors: [Int: any Error] = [:]
            var totalsAreFresh = false
            var start = events.startIndex
            while start < events.endIndex {
                let (action, end) = state.withLock {
                    $0.append(events, from: start, to: queue, totalsAreFresh: totalsAreFresh)
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
                case .reloadTotals:
                    totalsAreFresh = true
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

        /// The oldest events after an id, from the file, or from memory while it fails.
        func oldest(_ count: Int, after id: Int64 = .min, of queue: Int) throws -> [StoredEvent] {
            let failure = commit()
            defer { log() }
            return try database.withWriter { writer in
                let (name, removed) = state.withLock { ($0.events.queueNames[queue], $0.events.queues[queue].removals) }
                var events: [StoredEvent] = []
                do {
                    let limit = options.maximumRejected
                    let found = try writer.read {
                        try $0.oldest(count, after: id, of: name, besides: removed, keepingRejected: limit)
                    }
                    state.withLock { state in
                        if let found { state.events.counted(.init(found.totals), damaged: found.damaged, in: queue) }
                        state.events.lost(&writer.damaged)
                    }
                    events = found?.events ?? []
                } catch {
                    // Events in memory can still be delivered.
                    guard state.withLock({ $0.events.waitingCount > 0 }) else { throw error }
                    failed(error, &writer)
                    return state.withLock { $0.events.oldest(count, after: id, of: queue) }
                }
                if failure == nil { return events }
                return events + state.withLock { $0.events.oldest(count - events.count, after: id, of: queue) }
            }
        }

        /// Removes events from memory and from the file. Removals that fail are repeated in the background.
        func remove(_ ids: [Int64], from queue: Int, rejecting: Bool) {
            guard !ids.isEmpty else { return }
            let needsFlush = database.withWriter { writer -> Bool in
                let (inFile, name) = state.withLock { ($0.events.remove(ids, of: queue), $0.events.queueNames[queue]) }
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
                    state.withLock { $0.events.counted(.init(totals), in: queue) }
                    return false
                } catch {
                    failed(error, &writer)
                    return state.withLock { $0.removalFailed(inFile, of: queue) }
                }
            }
            tryLater(needsFlush)
            log()
        }
    }
#endif
