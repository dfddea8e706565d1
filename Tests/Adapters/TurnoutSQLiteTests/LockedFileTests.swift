/// Another process holds the file's lock for longer than decisions may take.
@Suite(.serialized) struct SQLiteLockedFileTests {
    let directories = Directories()
    var directory: String { directories.first }

    /// A client that splits users between two variations, stores assignments and sends impressions.
    private func client(_ storage: SQLiteStorage, _ log: any Log = .silent) -> FlagClient {
        var configuration = ClientConfiguration()
        configuration.keep(in: storage)
        configuration.log = log
        return FlagClient.scripted(Script(.split("a", between: "1", "2")), configuration: configuration)
    }

    /// Takes the lock; `ROLLBACK` releases it.
    private func lock(_ directory: String) throws -> SQLiteConnection {
        let other = try SQLiteConnection(path: file(in: directory))
        try other.run("BEGIN EXCLUSIVE; UPDATE totals SET name = name")
        return other
    }

    @Test func noDecisionWaitsForALockedFile() async throws {
        var options = SQLiteOptions()
        options.maximumEvents = 1_000_000
        let storage = try SQLiteStorage(directory: directory, options, log: .silent)
        let client = client(storage)
        let longest = Collected<Duration>()
        let other = try lock(directory)
        await concurrently(0..<3) { thread in
            await onThread {
                for number in 0..<7_000 {
                    let user = client.user("\(thread)/\(number)")
                    let time = ContinuousClock().measure { _ = user.decide("a") }
                    if time > .milliseconds(5) { longest.add(time) }
                }
            }
        }
        try other.run("ROLLBACK")
        let time = longest.all.max() ?? .zero
        print("longest decision beside a locked file: \(time)")
        // A waiting thread would wait for five seconds.
        #expect(time < .seconds(3))
        #expect(client.lostEvents.total == 0)
        try storage.synchronize()
        #expect(try SQLiteStorage(directory: directory).events.count == 21_000)
    }

    @Test func aChangeThatFailsLosesNoAssignments() throws {
        var options = SQLiteOptions()
        options.busyTimeout = .milliseconds(50)
        let storage = try SQLiteStorage(directory: directory, options, log: .silent)
        let other = try lock(directory)
        try storage.profiles.save(["e": "v"], for: "ada")
        #expect(throws: SQLiteError.self) { try storage.profiles.replace("ada", ["f": "w"]) }
        #expect(throws: SQLiteError.self) { try storage.profiles.forget("ada") }
        #expect(throws: SQLiteError.self) { try storage.profiles.removeAll() }
        #expect(try storage.profiles.profile(of: "ada").assignments == ["e": "v"])
        try other.run("ROLLBACK")
        try storage.synchronize()
        #expect(try SQLiteStorage(directory: directory).profiles.profile(of: "ada").assignments == ["e": "v"])
    }

    @Test(arguments: [EventOverflow.refuseNewest, .dropOldest])
    func aFullBufferIsCountedAndLogged(_ overflow: EventOverflow) async throws {
        var options = SQLiteOptions()
        options.maximumBufferedBytes = 100_000
        options.overflow = overflow
        // A decision that waited for the lock would take longer than all of them, however busy the machine.
        options.busyTimeout = .seconds(60)
        let log = MemoryLog()
        let storage = try SQLiteStorage(directory: directory, options, log: log)
        let client = client(storage, log)
        let other = try lock(directory)
        let start = ContinuousClock.now
        for number in 0..<1_000 { _ = client.user("\(number)").decide("a") }
        #expect(start.duration(to: .now) < .seconds(50), "no thread waited for the lock")
        let (lost, kept) = (client.lostEvents[.noRoom], storage.events.count)
        #expect(lost > 800 && lost + kept == 1_000)
        let unremembered = client.profileFailures[.writeLost]
        #expect(unremembered > 800 && unremembered == client.profileFailures.total)
        try other.run("ROLLBACK")
        try storage.synchronize()
        let users = try storage.events.oldest(1_000).map { String(decoding: $0.event.visitor, as: UTF8.self) }
        #expect(users.count == kept)
        #expect(users[0].contains(overflow == .refuseNewest ? #""0""# : "\"\(lost)\""))
        #expect(try storage.profiles.count == 1_000 - unremembered)
        func says(_ words: String) -> Bool { log.entries.contains { $0.level == .error && $0.message.contains(words) } }
        #expect(overflow == .dropOldest || says("event queue is full"))
        #expect(says("writes lost"))
    }

    @Test func theLogExplainsTheEffectOfALockedFile() async throws {
        var options = SQLiteOptions()
        options.busyTimeout = .milliseconds(50)
        let log = MemoryLog()
        let storage = try SQLiteStorage(directory: directory, options, log: log)
        let other = try lock(directory)
        try storage.events.append(event(1))
        #expect(throws: SQLiteError.self) { try storage.synchronize() }
        let message = try #require(log.entries.first { $0.level == .error }?.message)
        for words in [file(in: directory), "locked the file", "kept in memory", "database is locked", "code 5"] {
            #expect(message.contains(words), "\(message)")
        }
        try other.run("ROLLBACK")
        try storage.synchronize()
        #expect(log.entries.contains { $0.message.contains("can be written again") })
    }

    @Test func aLockedFileDoesNotExtendTheLimitOfADecision() async throws {
        var options = SQLiteOptions()
        options.maximumEvents = 1_000_000
        let storage = try SQLiteStorage(directory: directory, options, log: .silent)
        let client = client(storage)
        var times: [Duration] = []
        let other = try lock(directory)
        for number in 0..<17_000 { _ = client.user("\(number)").decide("a") }
        for number in 0..<100 {
            let user = client.user("later \(number)")
            let start = ContinuousClock.now
            _ = await user.decide("a", within: .milliseconds(50))
            times.append(start.duration(to: .now))
        }
        try other.run("ROLLBACK")
        times.sort()
        print("decisions within 50 ms beside a locked file: median \(times[50]), longest \(times[99])")
        // A decision that waited for the lock would take five seconds.
        #expect(times[50] < .seconds(1))
        #expect(times[99] < .seconds(3))
    }
}
