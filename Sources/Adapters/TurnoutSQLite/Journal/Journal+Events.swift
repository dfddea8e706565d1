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
        var (start, totalsAreFresh) = (events.startIndex, false)
        while start < events.endIndex {
            let added = state.withLock { $0.append(events, from: start, to: queue) }
            perform(added.work)
            if let outcome = added.group?.wait() { note(outcome, of: added, from: start, &errors) }
            if added.end > start { totalsAreFresh = false }
            start = added.end
            switch added.limit {
            case nil: break
            // A caller that waits for the file anyway can write; a decision must not.
            case .memory? where waitsForDurability && commit() == nil: break
            case .queue? where waitsForDurability && !totalsAreFresh:
                // Another process may have removed events.
                totalsAreFresh = true
                commit()
                look(at: queue)
            default:
                errors[start] = EventStoreError.full
                start += 1
            }
        }
        return errors
    }

    /// Adds events, and waits until they are in the file without blocking a thread: the writing thread writes them,
    /// together with those of other tasks. Returns the errors of events that could not be stored, by index.
    func appendDurably(_ events: [OutgoingEvent], to queue: Int) async -> [Int: any Error] {
        startCleanAfterFork()
        var errors: [Int: any Error] = [:]
        let added = state.withLock { $0.append(events, from: 0, to: queue, isTask: true) }
        perform(added.work)
        if let outcome = await added.group?.outcome() { note(outcome, of: added, from: 0, &errors) }
        guard added.end < events.count else { return errors }
        // Making room writes on the calling thread.
        let rest = await BlockingCall.value { self.append(contentsOf: events[added.end...], to: queue) }
        return errors.merging(rest) { $1 }
    }

    /// Records the outcome of events that were added from an index on.
    private func note(
        _ outcome: CommitGroup.Outcome, of added: JournalState.Addition, from start: Int,
        _ errors: inout [Int: any Error]
    ) {
        if outcome.error != nil || !database.isDurable {
            for index in start..<added.end { errors[index] = EventStoreError.notDurable }
        } else if !outcome.refused.isEmpty {
            for (id, index) in zip(added.firstID..., start..<added.end) where outcome.refused.contains(id) {
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
            let (name, removed) = state.withLock { ($0.queues[queue].name, $0.queues[queue].removals) }
            var events: [StoredEvent] = []
            do {
                let limit = options.maximumRejected
                let found = try writer.read {
                    try $0.oldest(count, after: id, of: name, besides: removed, keepingRejected: limit)
                }
                state.withLock { state in
                    if let found {
                        state.queues[queue].stored = .init(found.totals)
                        state.queues[queue].losses.add(found.damaged, .damaged)
                    }
                    state.lost(&writer.damaged)
                }
                events = found?.events ?? []
            } catch {
                // Events in memory can still be delivered.
                guard state.withLock({ $0.unwrittenCount.events > 0 }) else { throw error }
                failed(error, &writer)
                return state.withLock { Array($0.queues[queue].oldest(count, after: id)) }
            }
            if failure == nil { return events }
            return events + state.withLock { $0.queues[queue].oldest(count - events.count, after: id) }
        }
    }

    /// Removes events from memory and from the file. Removals that fail are repeated in the background.
    func remove(_ ids: [Int64], from queue: Int, rejecting: Bool) {
        guard !ids.isEmpty else { return }
        let areInFile = database.withWriter { _ in
            state.withLock { $0.queues[queue].remove(ids, rejecting: rejecting) }
        }
        if areInFile { commit(evenIfPausing: true, onlyRemovals: true) }
    }
}
