/// What is recovered from a damaged file, and how the log describes the rest.
@Suite struct SQLiteSalvageTests {
    let directories = Directories()
    var directory: String { directories.first }

    /// A file that was closed, so that its log is merged.
    private func filled(
        events: Int = 0, users: Int = 0, settings: Int = 0
    ) throws -> (directory: String, bytes: [UInt8]) {
        do {
            let storage = try SQLiteStorage(directory: directory, log: .silent)
            for start in stride(from: 0, to: events, by: 1_000) {
                let batch = (start..<min(events, start + 1_000)).map { event($0, size: 600) }
                #expect(storage.events.append(contentsOf: batch).isEmpty)
            }
            for user in 0..<users {
                try storage.profiles.save(["experiment": "<variation \(user)>"], for: "<user \(user)>")
            }
            for number in 0..<settings { try storage.settings.set("rollout/\(number)", to: "<value \(number)>") }
            try storage.synchronize()
        }
        return (directory, try closedContents(directory))
    }

    /// The bytes of the file after the last storage has closed it, which may happen on another thread.
    private func closedContents(_ directory: String) throws -> [UInt8] {
        for _ in 0..<500 where FileManager.default.fileExists(atPath: file(in: directory) + "-wal") { usleep(10_000) }
        #expect(!FileManager.default.fileExists(atPath: file(in: directory) + "-wal"))
        return try contents(of: file(in: directory))
    }

    private func texts(in bytes: [UInt8], _ pattern: Regex<(Substring, Substring)>) -> Set<Int> {
        // One character per byte.
        let text = String(bytes.map { Character(Unicode.Scalar($0 < 128 ? $0 : 0)) })
        return Set(text.matches(of: pattern).compactMap { Int($0.output.1) })
    }

    private func reopened(_ directory: String, _ bytes: [UInt8]) throws -> (SQLiteStorage, MemoryLog) {
        try write(bytes, to: file(in: directory))
        let log = MemoryLog()
        return (try SQLiteStorage(directory: directory, log: log), log)
    }

    /// All events of the queue; reading finds damage that SQLite has not noticed.
    private func events(of storage: SQLiteStorage) throws -> Set<Int> {
        Set(numbers(try storage.events.oldest(100_000)))
    }

    // MARK: Events

    @Test(arguments: 1...UInt64(rounds(3, thorough: 12)))
    func twentyDamagedBytesLoseFewEvents(seed: UInt64) throws {
        var (directory, bytes) = try filled(events: 956)
        let random = SeededRandomSource(seed: seed)
        for _ in 0..<20 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
        try write(bytes, to: file(in: directory))
        let storage = SQLiteStorage.open(directory: directory, log: .silent)
        let found = try events(of: storage)
        #expect(found.isSubset(of: 0..<956))
        #expect(Double(found.count) >= 0.95 * 936, "\(found.count) saved, seed \(seed)")
    }

    @Test(arguments: 1...UInt64(rounds(1, thorough: 4)))
    func damagedPagesLoseOnlyTheirOwnRows(seed: UInt64) throws {
        var (directory, bytes) = try filled(events: 5_000)
        let random = SeededRandomSource(seed: seed)
        let pages = bytes.count / 8_192
        for _ in 0..<pages / 20 {
            let page = Int(random.next() % UInt64(pages)) * 8_192
            for byte in page..<page + 20 { bytes[byte] = UInt8(truncatingIfNeeded: random.next()) }
        }
        try write(bytes, to: file(in: directory))
        let storage = SQLiteStorage.open(directory: directory, log: .silent)
        // The damaged pages may include those with the file header and the schema, or with the groups.
        let found = try events(of: storage)
        #expect(Double(found.count) >= 0.95 * 5_000, "\(found.count) saved, seed \(seed)")
    }

    @Test func damageToPagesAboveRowsLosesNone() throws {
        var (directory, bytes) = try filled(events: 2_000, users: 2_000)
        let pages = stride(from: 8_192, to: bytes.count, by: 8_192).filter { bytes[$0] == 5 }
        #expect(pages.count >= 2)
        for page in [0] + pages { for byte in page..<page + 100 { bytes[byte] = 7 } }
        let (storage, log) = try reopened(directory, bytes)
        #expect(try events(of: storage) == Set(0..<2_000))
        #expect(try storage.profiles.count == 2_000)
        let message = log.entries.first?.message ?? ""
        #expect(message.contains("2000 assignments; lost: an unknown number of events, "), "\(message)")
    }

    @Test(arguments: isThorough ? [2, 3, 5, 9] : [5])
    func eventsBeforeTheEndOfATruncatedFileAreRecovered(tenths: Int) throws {
        let (directory, bytes) = try filled(events: 2_000)
        let rest = Array(bytes.prefix(bytes.count * tenths / 10 + 37))
        let intact = texts(in: rest, /"v":(\d+),/)
        let (storage, log) = try reopened(directory, rest)
        let found = try events(of: storage)
        #expect(found.isSubset(of: intact), "\(found.count), \(intact.count)")
        #expect(Double(found.count) >= 0.95 * Double(intact.count), "\(found.count) of \(intact.count)")
        #expect(storage.events.losses[.damaged] == 2_000 - found.count)
        #expect(log.entries.count == 1)
        let message = log.entries.first?.message ?? ""
        #expect(message.contains("\(found.count) events; lost: \(2_000 - found.count) events"), "\(message)")
    }

    @Test func deliveredEventsAreNotDeliveredAgain() throws {
        do {
            let storage = try SQLiteStorage(directory: directory, log: .silent)
            #expect(storage.events.append(contentsOf: (0..<2_000).map { event($0) }).isEmpty)
            try storage.synchronize()
            try storage.events.remove(try storage.events.oldest(1_500).map(\.id))
        }
        var bytes = try closedContents(directory)
        for byte in 0..<100 { bytes[byte] = 0xEE }
        let (storage, log) = try reopened(directory, bytes)
        #expect(try events(of: storage) == Set(1_500..<2_000))
        #expect(log.entries.count == 1)
    }

    @Test func refusedEventsAreRecovered() throws {
        do {
            let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
            #expect(storage.events.append(contentsOf: (0..<10).map { event($0) }).isEmpty)
            try storage.events.reject(try storage.events.oldest(3).map(\.id))
        }
        var bytes = try closedContents(directory)
        for byte in 20..<40 { bytes[byte] = 0xEE }
        let (storage, _) = try reopened(directory, bytes)
        #expect(numbers(try storage.events.rejected) == [0, 1, 2])
        #expect(numbers(try storage.events.oldest(100)) == Array(3..<10))
    }

    // MARK: Users and settings

    @Test(arguments: isThorough ? [4, 6, 8] : [6])
    func usersBeforeTheEndOfATruncatedFileAreRecovered(tenths: Int) throws {
        let (directory, bytes) = try filled(users: 6_000)
        let rest = Array(bytes.prefix(bytes.count * tenths / 10))
        let intact = texts(in: rest, /<user (\d+)>/).intersection(texts(in: rest, /<variation (\d+)>/))
        let (storage, log) = try reopened(directory, rest)
        var found = 0
        for user in intact
        where try storage.profiles.profile(of: "<user \(user)>").assignments == ["experiment": "<variation \(user)>"] {
            found += 1
        }
        #expect(intact.count > 100)
        // Pages have copies of rows that were moved to pages behind the end, so some of these are missing.
        #expect(Double(found) >= 0.9 * Double(intact.count), "\(found) of \(intact.count)")
        let message = log.entries.first?.message ?? ""
        #expect(message.contains("\(6_000 - (try storage.profiles.count)) users, "), "\(message)")
        #expect(message.contains("an unknown number of assignments"), "\(message)")
    }

    @Test(arguments: 1...UInt64(rounds(2, thorough: 6)))
    func aDamagedPageOfSettingsLosesOnlyThatPage(seed: UInt64) throws {
        var (directory, bytes) = try filled(settings: 4_000)
        let random = SeededRandomSource(seed: seed)
        let pages = bytes.count / 8_192
        let page = (1 + Int(random.next() % UInt64(pages - 1))) * 8_192
        for byte in page..<page + 8_192 { bytes[byte] = 0xA5 }
        let intact = texts(in: bytes, /<value (\d+)>/)
        try write(bytes, to: file(in: directory))
        let log = MemoryLog()
        let storage = SQLiteStorage.open(directory: directory, log: log)
        let found = try intact.count { try storage.settings.get("rollout/\($0)") == "<value \($0)>" }
        #expect(found == intact.count, "seed \(seed)")
        // Damage in a page that was not read is not noticed.
        for entry in log.entries where intact.count < 4_000 {
            #expect(entry.message.contains("an unknown number of settings"), "\(entry.message)")
        }
    }

    @Test func theDeviceKeepsItsID() throws {
        var (directory, bytes) = try filled(events: 100)
        let id = try SQLiteStorage(directory: directory, log: .silent).settings.deviceID()
        bytes = try closedContents(directory)
        for byte in 0..<100 { bytes[byte] = 7 }
        let (storage, _) = try reopened(directory, bytes)
        #expect(try storage.settings.deviceID() == id)
    }

    @Test func unknownLossesAreNotReportedAsZero() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let (_, log) = try reopened(directory, Array(repeating: 7, count: 50_000))
        let message = try #require(log.entries.first?.message)
        #expect(message.contains("lost: an unknown number of events, an unknown number of users"), "\(message)")
        #expect(!message.contains(" 0 "))
    }
}
