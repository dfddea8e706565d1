/// Selects the events that share a request.
extension DeliveryState {
    private static let longestFetch = 1_000

    /// The number of events to read, or nil if there are enough.
    var countToFetch: Int? {
        let wanted = destinations.values.contains { $0.faults > 0 } ? Self.longestFetch : batchSize
        guard !isExhausted, window.count < wanted,
            window.reduce(0, { $0 + $1.event.visitor.count }) < options.bytesPerRequest
        else { return nil }
        return hasSkipped ? Self.longestFetch : min(wanted - window.count, Self.longestFetch)
    }

    /// The number of events in a request: with a backlog as many as possible.
    var batchSize: Int {
        let usual = max(1, options.eventsPerRequest)
        guard usual > 1, moment.waiting > 4 * usual else { return usual }
        return max(usual, options.maximumEventsPerRequest)
    }

    /// Moves events from the store into the window.
    mutating func take(_ events: [StoredEvent]) {
        destinations[.everything]?.backoff.reset()
        if events.count < fetchCount { isExhausted = true }
        let idsInFlight = Set(inFlight.flatMap(\.ids))
        let oldest = options.currentMaximumAge.map { moment.wallTime - Int64($0 / .milliseconds(1)) }
        var old: [Int64] = []
        for stored in events {
            cursor = max(cursor, stored.id)
            guard !idsInFlight.contains(stored.id) else { continue }
            if let oldest, let timestamp = stored.event.timestamp, timestamp < oldest {
                old.append(stored.id)
            } else if isSkipped(stored) {
                hasSkipped = true
            } else {
                window.append(stored)
            }
        }
        if !old.isEmpty { actions.append(.expire(old)) }
    }

    private func isSkipped(_ stored: StoredEvent) -> Bool {
        guard !destinations.isEmpty else { return false }
        let group = stored.event.group
        let state = destinations[.group(group)]
        return state?.isBlocked == true || state?.doubted.contains(stored.id) == true
            || destinations[.address(options.endpoints.address(of: group))]?.isBlocked == true
    }

    /// The oldest events that can share a request now, or nil.
    mutating func nextBatch() -> DeliveryBatch? {
        let busy = inFlight.map(\.address)
        let endpoints = options.endpoints
        guard let first = window.firstIndex(where: { !busy.contains(endpoints.address(of: $0.event.group)) }) else {
            return nil
        }
        let group = window[first].event.group
        let faults = destinations[.group(group)]?.faults ?? 0
        let places = faults > 0 ? [probe(of: group, faults)] : places(from: first)
        let batch = DeliveryBatch(
            number: lastNumber + 1, events: places.map { window[$0] }, address: endpoints.address(of: group))
        let ids = Set(batch.ids)
        window.removeAll { ids.contains($0.id) }
        return batch
    }

    /// The events of one group from a place in the window on. An event is left behind if an older one of its user is
    /// for another group of the address.
    private func places(from first: Int) -> [Int] {
        let (group, endpoints) = (window[first].event.group, options.endpoints)
        let address = endpoints.address(of: group)
        let limit = window[first].event.sharesRequests ? min(batchSize, destinations[.group(group)]?.limit ?? .max) : 1
        var (places, passed, room) = ([Int](), Set<String?>(), options.bytesPerRequest)
        for place in first..<window.count where places.count < limit {
            let event = window[place].event
            guard event.group == group else {
                if endpoints.address(of: event.group) == address { passed.insert(event.user) }
                continue
            }
            guard passed.isEmpty || !passed.contains(event.user) else { continue }
            room -= event.visitor.count + 1
            guard places.isEmpty || room >= 0 else { break }
            places.append(place)
        }
        return places
    }

    /// A single event for a receiver that seems to refuse everything: in turn the newest and a random one, because
    /// invalid events often follow each other. Of a known user it is the oldest.
    private func probe(of group: OutgoingEvent.Group, _ faults: Int) -> Int {
        var users: Set<String> = []
        let places = window.indices.filter { place in
            let event = window[place].event
            guard event.group == group else { return false }
            return event.user.map { users.insert($0).inserted } ?? true
        }
        let chance = random.next().multipliedFullWidth(by: UInt64(places.count)).high
        return places[faults % 2 == 1 ? places.count - 1 : Int(chance)]
    }
}
