/// Selects the events that share a request.
extension DeliveryState {
    // MARK: Reading

    /// Moves events from the store into the window.
    mutating func take(_ events: [StoredEvent]) {
        storeWorked()
        if events.count < fetchCount { window.isExhausted = true }
        // Events in flight are reread only in a full rescan.
        let lastInFlight = inFlight.lastID ?? .min
        let isAgain = events.first.map { $0.id <= lastInFlight } ?? false
        let idsInFlight = isAgain ? inFlight.ids : []
        let oldest = options.currentMaximumAge.map { moment.wallTime - Int64($0 / .milliseconds(1)) }
        var old: [Int64] = []
        for stored in events {
            if idsInFlight.contains(stored.id) {
                window.passed(stored.id, isSkipped: false)
            } else if let oldest, let timestamp = stored.event.timestamp, timestamp < oldest {
                old.append(stored.id)
                window.passed(stored.id, isSkipped: false)
            } else {
                add(stored)
            }
        }
        if !old.isEmpty { actions.append(.expire(old)) }
    }

    private mutating func add(_ stored: StoredEvent) {
        let group = stored.event.group
        let address = records.note(group)
        let isSkipped = blocks.covers(group, address) || isSuspect(stored.id, in: group)
        window.passed(stored.id, isSkipped: isSkipped)
        guard !isSkipped else { return }
        let user = stored.event.userKey ^ (records.addresses[address]?.salt ?? 0)
        window.append(.init(stored: stored, address: address, user: user))
    }

    /// Whether an event waits until it is clear whether the receiver is at fault. If it is at fault, such events are
    /// sent only when there are no others.
    private func isSuspect(_ id: Int64, in group: OutgoingEvent.Group) -> Bool {
        guard let record = records.groups[group], !record.isFaulty, record.suspectsRetry != nil else { return false }
        return record.suspects[id] != nil
    }

    /// The number of events to read, or nil if there are enough.
    var countToFetch: Int? {
        let lanes = hasBacklog ? options.requestsInFlight : 1
        let wanted = records.groups.values.contains(where: \.isFaulty) ? Self.longestFetch : lanes * batchSize
        guard !window.isExhausted, window.count < wanted, window.bytes < lanes * options.bytesPerRequest else {
            return nil
        }
        return window.hasSkipped ? Self.longestFetch : min(wanted - window.count, Self.longestFetch)
    }

    private static let longestFetch = 1_000

    // MARK: Sizes

    /// Whether more events are queued than a few requests of the usual size carry.
    private var hasBacklog: Bool { moment.waiting > 4 * max(1, options.eventsPerRequest) }

    /// The number of events in a request while it is the only one in flight: with a backlog a quarter of it, because
    /// four requests will then be sent concurrently.
    private var batchSize: Int { min(max(options.eventsPerRequest, moment.waiting / 4), largestBatch) }

    /// The maximum number of events in a request. A concurrent request carries all events queued for its lane.
    var largestBatch: Int {
        guard options.eventsPerRequest > 1 else { return 1 }
        return max(options.eventsPerRequest, options.maximumEventsPerRequest)
    }

    /// The maximum size of a request to an address in bytes.
    private func bytesPerRequest(to address: String) -> Int {
        min(options.bytesPerRequest, records.addresses[address]?.bytes ?? .max)
    }

    /// The number of concurrent requests to an address: one until it has accepted a request, and while refused events
    /// are being located among those that can be sent now.
    private func laneCount(of address: String) -> Int {
        guard hasBacklog, records.addresses[address]?.isTrusted == true else { return 1 }
        let isSearching = records.groups.contains { group, record in
            record.address == address && (record.limit != nil || record.isFaulty)
                && (inFlight.contains(group) || window.contains(group))
        }
        return isSearching ? 1 : max(1, options.requestsInFlight)
    }

    // MARK: Choosing

    /// The oldest events that can share a request now, or nil.
    mutating func nextBatch() -> DeliveryBatch? {
        guard !window.isEmpty else { return nil }
        let choice = chooseProbe() ?? chooseOldest()
        guard let (places, lane) = choice, !places.isEmpty else { return nil }
        let taken = window.take(places)
        return DeliveryBatch(
            number: inFlight.nextNumber, events: taken.map(\.stored), address: taken[0].address, lane: lane,
            users: Set(taken.map(\.user)))
    }

    private typealias Choice = (places: [Int], lane: Int)

    /// All events of a user use the same lane, and an event is not chosen while an older one of its user is in flight
    /// or left behind.
    private func chooseOldest() -> Choice? {
        var free: [String: Set<Int>] = [:]
        var laneCounts: [String: Int] = [:]
        var choice: Choice?
        var first: DeliveryWindow.Entry?
        var passed: Set<UInt64> = []
        var (limit, room) = (0, 0)
        for (place, entry) in window.entries.enumerated() {
            guard !inFlight.users.contains(entry.user), !passed.contains(entry.user) else { continue }
            let count = laneCounts[entry.address] ?? laneCount(of: entry.address)
            laneCounts[entry.address] = count
            let lane = Int(entry.user % UInt64(count))
            if let known = first {
                guard known.address == entry.address, lane == choice?.lane else { continue }
                guard known.stored.event.group == entry.stored.event.group else {
                    passed.insert(entry.user)
                    continue
                }
                room -= entry.stored.event.visitor.count + 1
                guard room >= 0 else { break }
                choice?.places.append(place)
            } else {
                if free[entry.address] == nil { free[entry.address] = freeLanes(of: entry.address, count) }
                guard free[entry.address]?.contains(lane) == true,
                    let record = records.groups[entry.stored.event.group], !record.isFaulty
                else { continue }
                (first, choice) = (entry, ([place], lane))
                limit =
                    entry.stored.event.sharesRequests
                    ? min(count > 1 ? largestBatch : batchSize, record.limit ?? .max) : 1
                room = bytesPerRequest(to: entry.address) - entry.stored.event.visitor.count
            }
            if choice.map({ $0.places.count >= limit }) == true { break }
        }
        return choice
    }

    private func freeLanes(of address: String, _ count: Int) -> Set<Int> {
        let used = records.addresses[address]?.lanes ?? [:]
        return used.count < count ? Set(0..<count).subtracting(used.values) : []
    }

    /// A single event for a receiver that has refused everything. Prefers events that were not refused, and late ones,
    /// since invalid events often follow each other.
    private func chooseProbe() -> Choice? {
        guard records.groups.values.contains(where: \.isFaulty) else { return nil }
        for (group, record) in records.groups where record.isFaulty {
            guard records.addresses[record.address]?.lanes.isEmpty == true else { continue }
            var seen: Set<UInt64> = []
            var (late, suspect): (Int?, Int?) = (nil, nil)
            for (place, entry) in window.entries.enumerated() where entry.stored.event.group == group {
                guard !inFlight.users.contains(entry.user) else { continue }
                if record.suspects[entry.stored.id] != nil {
                    suspect = suspect ?? place
                } else if seen.insert(entry.user).inserted {
                    late = place
                }
            }
            if let place = late ?? suspect { return ([place], 0) }
        }
        return nil
    }
}
