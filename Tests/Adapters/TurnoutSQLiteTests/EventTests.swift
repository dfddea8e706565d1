/// Properties of events in files beyond the contract.
@Suite struct SQLiteEventTests {
    let directories = Directories()
    var directory: String { directories.first }

    @Test func eventsPersistAfterTheirStorageIsReleased() throws {
        var options = SQLiteOptions()
        // Events are written only when the storage is released.
        options.durability = .soon(within: .seconds(86_400))
        do {
            let storage = try SQLiteStorage(directory: directory, options)
            for number in 0..<100 { try storage.events.append(event(number)) }
            try storage.events(named: "odp").append(event(1_000))
        }
        let storage = try SQLiteStorage(directory: directory)
        #expect(storage.events.count == 100)
        #expect(numbers(try storage.events.oldest(200)) == Array(0..<100))
        #expect(numbers(try storage.events(named: "odp").oldest(200)) == [1_000])
        #expect(try storage.events.oldest(1).first?.event == event(0))
    }

    @Test func queuedEventsAreWrittenSoon() async throws {
        let first = try SQLiteStorage(directory: directory)
        let second = try SQLiteStorage(directory: directory)
        try first.events.append(event(7))
        #expect(first.events.count == 1)
        try await wait("the other storage's write") { try !second.events.oldest(1).isEmpty }
        #expect(second.events.count == 1)
    }

    @Test(.thorough) func theLogIsCopiedIntoTheFileDuringWrites() async throws {
        let events = try SQLiteStorage(directory: directory).events
        let large = OutgoingEvent(
            group: .init(region: .us, envelope: "{"), visitor: Array(repeating: 0x20, count: 100_000))
        // Five to a commit, because each waits for the disk.
        for number in 1...250 {
            try events.append(large)
            if number.isMultiple(of: 5) { try events.synchronize() }
        }
        func size(_ name: String) -> UInt64 {
            let values = try? FileManager.default.attributesOfItem(atPath: directory + "/" + name)
            return (values?[.size] as? UInt64) ?? 0
        }
        #expect(events.count == 250)
        // A reader can stop a copy; the next commit tries again.
        try await wait("a copy") {
            try events.append(event(1))
            try events.synchronize()
            return size("turnout.sqlite") >= 12_000_000
        }
        // Everything before this event was checkpointed, so the log restarts, and is truncated.
        try await wait("a log that starts at its beginning") {
            try events.append(event(1))
            try events.synchronize()
            return size("turnout.sqlite-wal") < 2_000_000
        }
    }

    @Test func twoStoragesShareAQueue() throws {
        var options = SQLiteOptions.durable
        options.maximumEvents = 10
        let first = try SQLiteStorage(directory: directory, options).events
        let second = try SQLiteStorage(directory: directory, options).events
        for number in 0..<5 {
            try first.append(event(2 * number))
            try second.append(event(2 * number + 1))
        }
        #expect(numbers(try first.oldest(100)) == Array(0..<10))
        #expect(throws: EventStoreError.full) { try first.append(event(10)) }
        #expect(throws: EventStoreError.full) { try second.append(event(10)) }
        try first.remove(try first.oldest(10).map(\.id))
        for number in 0..<10 { try second.append(event(number)) }
        #expect(throws: EventStoreError.full) { try first.append(event(10)) }
    }

    @Test func threadsDoNotExceedTheLimitOfAQueueTogether() async throws {
        let storage = try SQLiteStorage(directory: directories.next(), log: .silent)
        let store = storage.events(named: "small", atMost: 100)
        let refused = Collected<Int>()
        await concurrently(0..<8) { thread in
            let first = (0..<10).count { (try? store.append(event(thread * 100 + $0))) == nil }
            refused.add(first + store.append(contentsOf: (10..<30).map { event(thread * 100 + $0) }).count)
        }
        #expect(store.count == 100 && refused.all.reduce(0, +) == 140)
        try storage.events.append(event(1))
        #expect(storage.events(named: "small", atMost: 101).count == 100)
        try store.append(event(2))
        #expect(throws: EventStoreError.full) { try store.append(event(3)) }
    }

    @Test func theOldestEventsAreDroppedFirst() throws {
        var options = SQLiteOptions.durable
        options.maximumEvents = 10
        options.overflow = .dropOldest
        for durability in [SQLiteOptions.Durability.beforeReturning, .soon(within: .milliseconds(5))] {
            options.durability = durability
            let store = try SQLiteStorage(directory: directories.next(), options).events
            for number in 0..<100 { try store.append(event(number)) }
            try store.synchronize()
            #expect(store.count == 10)
            #expect(numbers(try store.oldest(100)) == Array(90..<100))
            #expect(store.losses[.noRoom] == 90)
        }
    }

    @Test func bytesAreLimited() throws {
        var options = SQLiteOptions.durable
        options.maximumBytes = 7_500
        let store = try SQLiteStorage(directory: directories.next(), options).events
        for number in 0..<10 { try store.append(event(number, size: 700)) }
        #expect(throws: EventStoreError.full) { try store.append(event(10, size: 800)) }
        try store.remove(try store.oldest(2).map(\.id))
        try store.append(event(10, size: 800))
    }

    @Test func refusedEventsAreStoredSeparately() throws {
        var options = SQLiteOptions()
        options.maximumRejected = 3
        let storage = try SQLiteStorage(directory: directories.next(), options)
        let store = storage.events
        for number in 0..<10 { try store.append(event(number)) }
        let ids = try store.oldest(10).map(\.id)
        try store.reject([ids[1]])
        try store.reject(Array(ids[3..<6]))
        #expect(numbers(try store.oldest(10)) == [0, 2, 6, 7, 8, 9])
        #expect(store.count == 6)
        #expect(numbers(try store.rejected) == [3, 4, 5])
        #expect(try storage.events(named: "odp").rejected.isEmpty)
    }

    @Test func theFileStaysSmall() throws {
        var options = SQLiteOptions()
        options.maximumEvents = 1_000
        let store = try SQLiteStorage(directory: directory, options).events
        for batch in 0..<rounds(40, thorough: 150) {
            for number in 0..<500 { try store.append(event(batch * 500 + number)) }
            try store.remove(try store.oldest(500).map(\.id))
        }
        #expect(store.count == 0)
        #expect(size(of: file(in: directory)) < 4_000_000)
        #expect(size(of: file(in: directory) + "-wal") < 20_000_000)
    }

    @Test func onlyOneStorageDelivers() throws {
        let storage = try SQLiteStorage(directory: directory)
        let other = try SQLiteStorage(directory: directory)
        #expect(storage.events.beginDelivery())
        #expect(!storage.events.beginDelivery())
        #expect(!other.events.beginDelivery())
        #expect(other.events(named: "odp").beginDelivery())
        storage.events.endDelivery()
        #expect(other.events.beginDelivery())
        #expect(!storage.events.beginDelivery())
        other.events.endDelivery()
    }

    @Test func unusedEventGroupsAreDeleted() throws {
        let store = try SQLiteStorage(directory: directories.next(), .durable).events
        for revision in 0..<500 {
            let group = OutgoingEvent.Group(
                region: .us, envelope: "{\"revision\":\(revision),", closing: "]}\(revision)",
                address: revision % 2 == 0 ? nil : "https://x/\(revision)", key: "k\(revision)")
            let sent = OutgoingEvent(group: group, visitor: [], timestamp: nil)
            try store.append(sent)
            let entry = try store.oldest(1)
            #expect(entry.map(\.event) == [sent])
            try store.remove(entry.map(\.id))
        }
    }

    @Test func manyThreadsLoseNothing() async throws {
        let stores = try (0..<2).map { _ in try SQLiteStorage(directory: directory, .durable).events }
        await concurrently(0..<16) { task in
            await onThread { for number in 0..<50 { try? stores[task % 2].append(event(task * 1_000 + number)) } }
        }
        let found = numbers(try stores[0].oldest(1_000))
        #expect(Set(found).count == 800)
        for task in 0..<16 {
            #expect(found.filter { $0 / 1_000 == task } == (0..<50).map { task * 1_000 + $0 })
        }
    }
}

/// Runs a blocking call on its own thread.
func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        BlockingCall.start {
            body()
            continuation.resume()
        }
    }
}
