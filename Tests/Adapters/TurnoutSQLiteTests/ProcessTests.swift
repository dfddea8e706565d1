/// Processes that share a directory, or crash.
@Suite struct SQLiteProcessTests {
    let directories = Directories()
    var directory: String { directories.first }

    @Test func acknowledgedEventsSurviveAKilledProcess() async throws {
        let acknowledged = directory + "-acknowledged"
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String] in
            let acknowledged = directory + "-acknowledged"
            let store = try SQLiteStorage(directory: directory, .durable).events
            _ = FileManager.default.createFile(atPath: acknowledged, contents: nil)
            let file = open(acknowledged, O_WRONLY | O_APPEND)
            for thread in 0..<4 {
                BlockingCall.start {
                    for number in 0... {
                        guard (try? store.append(event(thread * 1_000_000 + number))) != nil else { continue }
                        // A single call, so that lines of different threads do not mix.
                        let line = Array("\(thread * 1_000_000 + number)\n".utf8)
                        _ = write(file, line, line.count)
                        if number == 400 { kill(getpid(), SIGKILL) }
                    }
                }
            }
            try await Task.sleep(for: .seconds(60))
        }
        let lines = String(decoding: try contents(of: acknowledged), as: UTF8.self).split(separator: "\n")
        #expect(lines.count > 400)
        let storage = try SQLiteStorage(directory: directory)
        #expect(storage.events.beginDelivery(), "a dead process delivers nothing")
        let found = Set(numbers(try storage.events.oldest(100_000)))
        #expect(lines.allSatisfy { Int($0).map(found.contains) == true })
    }

    @Test func processesShareADirectory() async throws {
        await concurrently(0..<3) { process in
            await #expect(processExitsWith: .success) { [directory = directory as String, process = process as Int] in
                let storage = try SQLiteStorage(directory: directory, .durable)
                for number in 0..<100 {
                    try storage.events.append(event(process * 1_000 + number))
                    try storage.profiles.save(["\(process)/\(number)": "v"], for: "ada")
                }
            }
        }
        let storage = try SQLiteStorage(directory: directory)
        #expect(storage.events.count == 300)
        let found = numbers(try storage.events.oldest(1_000))
        for process in 0..<3 {
            #expect(found.filter { $0 / 1_000 == process } == (0..<100).map { process * 1_000 + $0 })
        }
        #expect(try storage.profiles.profile(of: "ada").assignments.count == 300)
    }

    /// Counts and events read at different times do not match, which must not be taken for damage.
    @Test func readingDuringWritesFindsNoDamage() async throws {
        let (reader, writer) = (
            try SQLiteStorage(directory: directory, .durable), try SQLiteStorage(directory: directory, .durable)
        )
        let isDone = Locked(false)
        BlockingCall.start {
            for number in 0..<3_000 { try? writer.events.append(event(number)) }
            isDone.withLock { $0 = true }
        }
        var found: [Int] = []
        while found.count < 3_000, asides(in: directory).isEmpty {
            let batch = try reader.events.oldest(100)
            found += numbers(batch)
            try reader.events.remove(batch.map(\.id))
            if batch.isEmpty, isDone.withLock({ $0 }), try reader.events.oldest(1).isEmpty { break }
            await Task.yield()
        }
        #expect(found == Array(0..<3_000) && asides(in: directory).isEmpty)
    }

    @Test func assignmentsAreVisibleToOtherProcesses() throws {
        let (first, second) = (
            try SQLiteStorage(directory: directory, .durable), try SQLiteStorage(directory: directory, .durable)
        )
        try first.profiles.save(["1": "a"], for: "ada")
        try second.profiles.save(["2": "b"], for: "ada")
        #expect(try first.profiles.profile(of: "ada").assignments == ["1": "a", "2": "b"])
        #expect(try first.profiles.count == 1)
        try second.profiles.forget("ada")
        #expect(try first.profiles.profile(of: "ada").assignments == [:])
    }
}

/// Properties of assignments in files beyond the contract.
@Suite struct SQLiteProfileTests {
    let directories = Directories()
    var directory: String { directories.first }

    @Test func leastRecentlyUsedUsersAreEvicted() throws {
        var options = SQLiteOptions.durable
        options.maximumUsers = 3
        let profiles = try SQLiteStorage(directory: directories.next(), options).profiles
        for user in ["ada", "grace", "edsger"] { try profiles.save(["1": "2"], for: user) }
        _ = try profiles.profile(of: "ada")
        try profiles.save(["1": "2"], for: "barbara")
        #expect(try profiles.count == 3)
        #expect(try profiles.profile(of: "grace").assignments == [:])
        for user in ["ada", "edsger", "barbara"] {
            #expect(try profiles.profile(of: user).assignments == ["1": "2"], "\(user)")
        }
    }

    /// Ways to write a change before the next user is added.
    private enum NextWrite: CaseIterable, Sendable { case event, replacement }

    @Test(arguments: NextWrite.allCases) private func aLookupCountsWhateverIsWrittenNext(_ next: NextWrite) throws {
        var options = SQLiteOptions.durable
        options.maximumUsers = 3
        let storage = try SQLiteStorage(directory: directories.next(), options)
        let profiles = storage.profiles
        for user in ["ada", "grace", "edsger"] { try profiles.save(["1": "2"], for: user) }
        _ = try profiles.profile(of: "ada")
        switch next {
        case .event:
            try storage.events.append(event(1))
            try profiles.save(["1": "2"], for: "barbara")
        case .replacement: try profiles.replace("barbara", ["1": "2"])
        }
        #expect(try profiles.profile(of: "ada").assignments == ["1": "2"])
        #expect(try profiles.profile(of: "grace").assignments == [:])
    }

    @Test func profilesCanBeReplacedAndForgotten() throws {
        let storage = try SQLiteStorage(directory: directory)
        let profiles = storage.profiles
        for user in ["ada", "grace"] { try profiles.save(["1": "2", "3": "4"], for: user) }
        try profiles.replace("ada", ["5": "6"])
        #expect(try profiles.profile(of: "ada").assignments == ["5": "6"])
        try profiles.forget("ada")
        #expect(try profiles.profile(of: "ada").assignments == [:])
        #expect(try profiles.count == 1)
        try profiles.removeAll()
        #expect(try profiles.count == 0)
        try profiles.save(["1": "2"], for: "e\u{301}")
        #expect(try profiles.profile(of: "\u{e9}").assignments == [:], "users are distinguished by their bytes")
        try storage.synchronize()
        #expect(try SQLiteStorage(directory: directory).profiles.count == 1)
    }

    @Test func settingsAreKept() throws {
        let settings = try SQLiteStorage(directory: directory).settings
        #expect(try settings.get("device") == nil)
        try settings.set("device", to: "a\u{0}b")
        #expect(try SQLiteStorage(directory: directory).settings.get("device") == "a\u{0}b")
        try settings.remove("device")
        #expect(try settings.get("device") == nil)
    }

    @Test func everyFlippedBitChangesTheChecksum() {
        for length in [0, 1, 7, 8, 9, 16, 63] {
            let bytes = (0..<length).map { UInt8($0 * 7 & 0xFF) }
            func checksum(_ bytes: [UInt8]) -> Int64 {
                var sum = Checksum()
                sum.add(bytes)
                return sum.value
            }
            var seen: Set<Int64> = [checksum(bytes), checksum(bytes + [0])]
            for bit in 0..<length * 8 {
                var flipped = bytes
                flipped[bit / 8] ^= 1 << UInt8(bit % 8)
                seen.insert(checksum(flipped))
            }
            #expect(seen.count == length * 8 + 2)
        }
    }
}
