public import Testing
public import TurnoutClient

/// Checks that an event store fulfills its contract.
///
/// An implementation must guarantee that
/// - events are returned in insertion order, unchanged, and stay until they are removed;
/// - each event has a unique id, larger than all earlier ones, even if the store was empty in between;
/// - removing an event that is already removed is not an error;
/// - no event is lost, duplicated or reordered while tasks append and remove concurrently;
/// - events that are added together behave like those added one by one, and errors are reported by index;
/// - a store with a limit throws ``/TurnoutClient/EventStoreError/full`` instead of dropping events, and accepts events
///   again when there is room.
///
/// - Parameters:
///   - limit: The capacity of the stores, at least 500; nil for no limit. Default: nil.
///   - sourceLocation: Where failures are reported.
///   - make: Creates an empty store.
/// - Throws: Unexpected errors of the implementation.
public func checkEventStore<Store: EventStore>(
    limit: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ make: () async throws -> Store
) async throws {
    try checkOrder(try await make(), sourceLocation)
    try await checkAddingTogether(try await make(), sourceLocation)
    try checkContents(try await make(), sourceLocation)
    try await checkConcurrentAppending(try await make(), sourceLocation)
    try await checkConcurrentRemoving(try await make(), sourceLocation)
    if let limit { try checkLimit(limit, try await make(), sourceLocation) }
}

private func event(_ text: String) -> OutgoingEvent {
    OutgoingEvent(group: .init(region: .us, envelope: "{\"visitors\":["), visitor: Array("{\"v\":\"\(text)\"}".utf8))
}

private func checkOrder(_ store: some EventStore, _ location: SourceLocation) throws {
    #expect(store.count == 0, "a new store is empty", sourceLocation: location)
    #expect(try store.oldest(10).isEmpty, "a new store is empty", sourceLocation: location)
    let events = (0..<10).map { event("\($0)") }
    for event in events { try store.append(event) }
    let stored = try store.oldest(100)
    #expect(store.count == 10, "every event counts", sourceLocation: location)
    #expect(stored.map(\.event) == events, "events are returned in insertion order", sourceLocation: location)
    #expect(
        zip(stored, stored.dropFirst()).allSatisfy { $0.id < $1.id }, "ids increase", sourceLocation: location)
    #expect(try store.oldest(3) == Array(stored.prefix(3)), "the oldest come first", sourceLocation: location)
    #expect(try store.oldest(0).isEmpty, "a count of 0 returns no events", sourceLocation: location)
    #expect(store.count == 10, "reading removes nothing", sourceLocation: location)
    try store.remove([stored[0].id, stored[1].id, stored[5].id])
    try store.remove([stored[0].id, stored[9].id + 1_000])
    try store.remove([])
    let rest = [2, 3, 4, 6, 7, 8, 9].map { stored[$0] }
    #expect(try store.oldest(100) == rest, "only what was named is removed", sourceLocation: location)
    #expect(store.count == 7, "only what was named is removed", sourceLocation: location)
    try store.remove(rest.map(\.id))
    #expect(store.count == 0, "everything was removed", sourceLocation: location)
    try store.append(event("later"))
    let later = try store.oldest(1)
    #expect(later.count == 1, "an emptied store accepts events", sourceLocation: location)
    #expect(
        later.allSatisfy { $0.id > stored[9].id }, "ids are not used again, even those of removed events",
        sourceLocation: location)
}

private func checkAddingTogether(_ store: some EventStore, _ location: SourceLocation) async throws {
    #expect(store.append(contentsOf: []).isEmpty, "adding no events succeeds", sourceLocation: location)
    let events = (0..<30).map { event("\($0)") }
    try store.append(events[0])
    var errors = store.append(contentsOf: Array(events[1..<15]))
    errors.merge(await store.appendDurably(Array(events[15..<29]))) { $1 }
    errors.merge(await store.appendDurably([])) { $1 }
    try store.append(events[29])
    #expect(errors.isEmpty, "there is room for all", sourceLocation: location)
    #expect(
        try store.oldest(100).map(\.event) == events, "events added together keep their order",
        sourceLocation: location)
}

private func checkContents(_ store: some EventStore, _ location: SourceLocation) throws {
    let texts = ["", "plain", "é日本🙂", "\u{0}", "'; drop table events; --", String(repeating: "x", count: 100_000)]
    let events = texts.flatMap { text in
        [Project.Region.us, .eu].map { region in
            OutgoingEvent(group: .init(region: region, envelope: text), visitor: Array(text.utf8))
        }
    }
    for event in events { try store.append(event) }
    #expect(
        try store.oldest(events.count).map(\.event) == events, "region, envelope and visitor are kept as they are",
        sourceLocation: location)
}

private func checkConcurrentAppending(_ store: some EventStore, _ location: SourceLocation) async throws {
    let (tasks, each) = (8, 50)
    try await withThrowingTaskGroup { group in
        for task in 0..<tasks {
            group.addTask { for number in 0..<each { try store.append(event("\(task) \(number)")) } }
        }
        try await group.waitForAll()
    }
    let stored = try store.oldest(tasks * each + 1)
    #expect(stored.count == tasks * each, "tasks that append lose nothing", sourceLocation: location)
    #expect(Set(stored.map(\.id)).count == stored.count, "ids are unique", sourceLocation: location)
    #expect(
        zip(stored, stored.dropFirst()).allSatisfy { $0.id < $1.id }, "ids increase in the order of the events",
        sourceLocation: location)
    for task in 0..<tasks {
        let own = stored.map(\.event).filter { $0.visitor.starts(with: Array("{\"v\":\"\(task) ".utf8)) }
        #expect(
            own == (0..<each).map { event("\(task) \($0)") }, "each task's events keep their order",
            sourceLocation: location)
    }
}

private func checkConcurrentRemoving(_ store: some EventStore, _ location: SourceLocation) async throws {
    let (tasks, each) = (4, 50)
    let removed = try await withThrowingTaskGroup(of: [StoredEvent].self) { group in
        for task in 0..<tasks {
            group.addTask {
                for number in 0..<each { try store.append(event("\(task) \(number)")) }
                return []
            }
        }
        group.addTask {
            var removed: [StoredEvent] = []
            for _ in 0..<100 {
                let batch = try store.oldest(7)
                try store.remove(batch.map(\.id))
                removed += batch
                await Task.yield()
            }
            return removed
        }
        return try await group.reduce(into: []) { $0 += $1 }
    }
    let all = removed + (try store.oldest(tasks * each))
    #expect(all.count == tasks * each, "an event is either removed or still there", sourceLocation: location)
    #expect(
        zip(all, all.dropFirst()).allSatisfy { $0.id < $1.id },
        "repeatedly taking the oldest events returns all in order", sourceLocation: location)
}

private func checkLimit(_ limit: Int, _ store: some EventStore, _ location: SourceLocation) throws {
    for number in 0..<limit { try store.append(event("\(number)")) }
    #expect(throws: EventStoreError.full, "a full store refuses events", sourceLocation: location) {
        try store.append(event("too many"))
    }
    #expect(store.count == limit, "a full store drops nothing", sourceLocation: location)
    try store.remove(try store.oldest(1).map(\.id))
    try store.append(event("room again"))
    #expect(store.count == limit, "there is room after events were removed", sourceLocation: location)
    try store.remove(try store.oldest(2).map(\.id))
    let errors = store.append(contentsOf: (0..<4).map { event("together \($0)") })
    #expect(Set(errors.keys) == [2, 3], "events that fit are accepted, the others reported", sourceLocation: location)
    #expect(
        errors.values.allSatisfy { $0 as? EventStoreError == .full }, "the reason is the lack of room",
        sourceLocation: location)
    #expect(
        try store.oldest(limit).suffix(2).map(\.event) == [event("together 0"), event("together 1")],
        "the first ones fit", sourceLocation: location)
}
