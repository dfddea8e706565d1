/// Disk failures.
@Suite struct SQLiteFaultTests {
    let directories = Directories()
    var directory: String { directories.first }

    @Test(arguments: [SQLiteOptions.Durability.soon(within: .milliseconds(2)), .beforeReturning])
    func writingContinuesAfterAFullDisk(_ durability: SQLiteOptions.Durability) async throws {
        let log = MemoryLog()
        var options = SQLiteOptions()
        options.durability = durability
        let storage = try SQLiteStorage(directory: directory, options, log: log)
        let store = storage.events
        try store.append(event(0))
        try store.synchronize()
        try storage.limitFile(pages: 1)
        var notDurable = 0
        for number in 1...200 {
            do { try store.append(event(number)) } catch EventStoreError.notDurable { notDurable += 1 }
        }
        #expect(throws: SQLiteError.self) { try store.synchronize() }
        #expect(durability != .beforeReturning || notDurable > 150)
        #expect(store.count == 201)
        let served = try store.oldest(300)
        #expect(numbers(served) == Array(0...200))
        #expect(served.map(\.id) == served.map(\.id).sorted())
        try store.remove(served.prefix(101).map(\.id))
        #expect(numbers(try store.oldest(300)) == Array(101...200))
        #expect(log.entries.filter { $0.level == .error }.count == 1)
        #expect(log.entries.first?.message.contains(file(in: directory)) == true)

        try storage.limitFile(pages: 0)
        try store.synchronize()
        try store.remove(served[101...150].map(\.id))
        let rest = try store.oldest(300)
        #expect(numbers(rest) == Array(151...200), "ids from memory remain valid after the move")
        let other = try SQLiteStorage(directory: directory).events
        #expect(numbers(try other.oldest(300)) == Array(151...200))
    }

    #if os(Linux)
        @Test func aLogThatCannotGrowIsUsedAgain() async throws {
            let directory = directories.next()
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 300_000, rlim_max: .max)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                let store = try SQLiteStorage(directory: directory, .durable).events
                // The log has room for about 35 pages, and each commit takes three.
                for number in 0..<200 {
                    try store.append(event(number))
                    let batch = try store.oldest(10)
                    #expect(numbers(batch).last == number)
                    if batch.count == 10 { try store.remove(batch.map(\.id)) }
                }
            }
        }
    #endif

    @Test func withoutADirectoryEverythingIsInMemory() throws {
        let log = MemoryLog()
        let storage = SQLiteStorage.open(directory: "/dev/null/turnout", .durable, log: log)
        #expect(!storage.isDurable)
        #expect(storage.problem?.file == "/dev/null/turnout/turnout.sqlite")
        #expect(log.entries.count == 1)
        #expect(throws: EventStoreError.notDurable) { try storage.events.append(event(1)) }
        #expect(numbers(try storage.events.oldest(10)) == [1])
        try storage.settings.set("device", to: "7")
        #expect(try storage.settings.get("device") == "7")
        #expect(throws: SQLiteError.self) { try SQLiteStorage(directory: "/dev/null/turnout") }
    }

    @Test func filesBelongToTheirOwner() throws {
        let storage = try SQLiteStorage(directory: directory)
        try storage.events.append(event(1))
        try storage.synchronize()
        #expect(storage.events.beginDelivery())
        func mode(_ path: String) -> Int? {
            (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
        }
        #expect(mode(directory) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            #expect(mode(directory + "/" + name) == 0o600, "\(name)")
        }
    }

    @Test func aDeletedFileIsCreatedAgain() throws {
        let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
        try storage.events.append(event(1))
        try storage.profiles.save(["1": "2"], for: "ada")
        try FileManager.default.removeItem(atPath: directory)
        try storage.events.append(event(2))
        #expect(numbers(try storage.events.oldest(10)) == [2])
        #expect(try storage.profiles.profile(of: "ada").assignments == [:])
        #expect(size(of: file(in: directory) + "-wal") > 0)
    }

    @Test func olderFilesAreMigrated() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try write([], to: file(in: directory))
        do {
            let old = try SQLiteConnection(path: file(in: directory))
            try old.run(Schema.steps[0])
            try old.run("PRAGMA user_version = 1; PRAGMA application_id = \(Schema.application)")
            try old.run("INSERT INTO settings VALUES('device', '7')")
        }
        let storage = try SQLiteStorage(directory: directory, .durable)
        #expect(try storage.settings.get("device") == "7")
        try storage.profiles.save(["1": "2"], for: "ada")
        #expect(try storage.profiles.profile(of: "ada").assignments == ["1": "2"])
        #expect(asides(in: directory).isEmpty)
    }

    @Test(arguments: ["PRAGMA user_version = 99", "DROP TABLE events; PRAGMA application_id = 7"])
    func newerAndForeignFilesAreNotChanged(_ change: String) throws {
        do {
            let storage = try SQLiteStorage(directory: directory, .durable)
            try storage.events.append(event(1))
        }
        do { try SQLiteConnection(path: file(in: directory)).run(change) }
        let before = try contents(of: file(in: directory))
        let error = #expect(throws: SQLiteError.self) { try SQLiteStorage(directory: directory) }
        let words = change.contains("99") ? "newer version (99)" : "another program"
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(try contents(of: file(in: directory)) == before)
        #expect(asides(in: directory).isEmpty)
    }
}
