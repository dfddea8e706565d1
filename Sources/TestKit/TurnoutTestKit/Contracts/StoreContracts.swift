public import Testing
public import TurnoutClient
import TurnoutContracts

/// Checks that a profile store fulfills its contract.
///
/// ```swift
/// @Test func keepsTheContract() async throws {
///     try await checkProfileStore { MemoryProfileStore() }
/// }
/// ```
///
/// An implementation must guarantee that
/// - unknown users have an empty profile, which is not an error;
/// - assignments are merged into existing ones, and the later of two for one experiment wins;
/// - users are distinguished by the bytes of their ids, even where `String` treats two ids as equal;
/// - many users may be looked up in one call, including duplicates and none; of ids that `String` treats as equal, the
///   first is looked up;
/// - a profile that is available without waiting, if any, equals the stored one;
/// - nothing is lost or partially visible while many tasks add to the profile of one user;
/// - if the store has `forget(_:)`, it erases one user, and nothing queued brings the assignments back.
///
/// - Parameters:
///   - underEveryPolicy: Whether everything is checked again under policies: a deadline, a cache, a buffer, and all of
///     them together. Default: false.
///   - sourceLocation: Where failures are reported.
///   - make: Creates an empty store.
/// - Throws: Unexpected errors of the implementation.
public func checkProfileStore<Store: ProfileStore>(
    underEveryPolicy: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: () async throws -> Store
) async throws {
    let check = ProfileStoreCheck { isFulfilled, guarantee in
        if !isFulfilled { Issue.record(Comment(rawValue: guarantee), sourceLocation: sourceLocation) }
    }
    try await check.run(underEveryPolicy: underEveryPolicy, make)
}

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

/// Checks that a datafile cache fulfills its contract.
///
/// An implementation must guarantee that
/// - a key without a copy returns nil, which is not an error;
/// - a copy is returned unchanged, with its validators, whatever its contents;
/// - a later copy replaces an earlier one as a whole;
/// - keys are distinguished, whatever they contain, and none escapes the storage location.
///
/// - Parameters:
///   - location: Where failures are reported.
///   - make: Creates an empty cache.
/// - Throws: Unexpected errors of the implementation.
public func checkDatafileCache<Cache: DatafileCache>(
    sourceLocation location: SourceLocation = #_sourceLocation, _ make: () async throws -> Cache
) async throws {
    let cache = try await make()
    #expect(try cache.copy(for: "key") == nil, "a new cache is empty", sourceLocation: location)
    try cache.forget("key")
    let copies = [
        DatafileCopy(datafile: Array("{}".utf8), lastModified: "Wed, 21 Oct 2026 07:28:00 GMT", entityTag: "\"a\""),
        DatafileCopy(datafile: Array("{\"a\":1}".utf8)), DatafileCopy(datafile: [0, 255, 10], entityTag: "W/\"é\n\""),
        DatafileCopy(datafile: Array(repeating: 0x20, count: 3_000_000), lastModified: ""),
    ]
    for copy in copies {
        try cache.keep(copy, for: "key")
        #expect(try cache.copy(for: "key") == copy, "a copy is returned unchanged", sourceLocation: location)
    }
    let keys = ["", " ", "../key", "/etc/key", "Key", "a\u{0}b", "é", "🙂", "a'b", String(repeating: "k", count: 1_000)]
    for (number, key) in keys.enumerated() {
        try cache.keep(DatafileCopy(datafile: Array("\(number)".utf8)), for: key)
    }
    for (number, key) in keys.enumerated() {
        #expect(
            try cache.copy(for: key)?.datafile == Array("\(number)".utf8), "\(key.debugDescription) is distinguished",
            sourceLocation: location)
    }
    try cache.forget("key")
    #expect(try cache.copy(for: "key") == nil, "a forgotten copy is removed", sourceLocation: location)
    #expect(try cache.copy(for: "Key") != nil, "other keys stay", sourceLocation: location)
}
