/// Lock files, and processes that hold them for long.
@Suite struct SQLiteLockTests {
    let directories = Directories()
    var directory: String { directories.first }

    private func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    @Test func openingWaitsAtMostItsLimit() throws {
        try SQLiteStorage(directory: directory, .durable, log: .silent).settings.set("device", to: "7")
        // As if a process had been stopped while it opened the file.
        let lock = open(file(in: directory) + "-lock", O_RDWR | O_CLOEXEC)
        #expect(flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        let log = MemoryLog()
        var options = SQLiteOptions.durable
        options.busyTimeout = .milliseconds(200)
        let start = ContinuousClock.now
        let storage = SQLiteStorage.open(directory: directory, options, log: log)
        #expect(start.duration(to: .now) < .seconds(4))
        #expect(!storage.isDurable)
        #expect(storage.problem?.message.contains("another process has locked \(file(in: directory))-lock") == true)
        #expect(log.entries.count == 1)
        try? storage.events.append(event(1))
        #expect(numbers(try storage.events.oldest(10)) == [1])
    }

    @Test func openingWaitsForABriefLock() async throws {
        try SQLiteStorage(directory: directory, .durable, log: .silent).settings.set("device", to: "7")
        let lock = open(file(in: directory) + "-lock", O_RDWR | O_CLOEXEC)
        #expect(flock(lock, LOCK_EX) == 0)
        BlockingCall.start {
            // Longer than opening takes; nothing tells that another call waits for the lock.
            usleep(100_000)
            close(lock)
        }
        #expect(try SQLiteStorage(directory: directory, .durable, log: .silent).settings.get("device") == "7")
    }

    @Test func symbolicLinksAreNotLocked() throws {
        let target = directory + "-target"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for name in ["-lock", "-delivery"] {
            try FileManager.default.createSymbolicLink(atPath: file(in: directory) + name, withDestinationPath: target)
        }
        #expect(throws: SQLiteError.self) { try SQLiteStorage(directory: directory) }
        try FileManager.default.removeItem(atPath: file(in: directory) + "-lock")
        let log = MemoryLog()
        let store = try SQLiteStorage(directory: directory, .durable, log: log).events
        for _ in 0..<2 {
            #expect(store.beginDelivery(), "delivering without a lock is better than never")
            store.endDelivery()
        }
        #expect(log.entries.count { $0.message.contains("turnout.sqlite-delivery") } == 1)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test func locksOfManyQueuesDoNotAccumulate() throws {
        let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
        let other = try SQLiteStorage(directory: directory, .durable, log: .silent)
        for number in 0..<200 {
            let name = "OPTEvent-ODP-key \(number)"
            #expect(storage.events(named: name).beginDelivery())
            #expect(!other.events(named: name).beginDelivery(), "another storage delivers queue \(number)")
        }
        for number in 0..<200 { storage.events(named: "OPTEvent-ODP-key \(number)").endDelivery() }
        #expect(other.events(named: "OPTEvent-ODP-key 7").beginDelivery())
        #expect(try names(in: directory).count <= 5)
    }

    @Test func newFilesHaveTheModeOfTheOld() throws {
        try SQLiteStorage(directory: directory, .durable, log: .silent).settings.set("device", to: "7")
        let path = file(in: directory)
        func mode(_ path: String) -> Int? {
            (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
        }
        try FileManager.default.removeItem(atPath: path + "-lock")
        chmod(path, 0o640)
        let isRoot = geteuid() == 0
        if isRoot { chown(path, 4_711, 4_712) }
        var bytes = try contents(of: path)
        for byte in 0..<40 { bytes[byte] = 7 }
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.write(contentsOf: bytes)
        try handle.close()
        let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
        #expect(try storage.settings.get("device") == "7")
        #expect(storage.events.beginDelivery())
        for name in ["", "-lock", "-wal", "-delivery"] {
            #expect(mode(path + name) == 0o640, "\(name)")
            var status = stat()
            #expect(stat(path + name, &status) == 0)
            if isRoot { #expect(status.st_uid == 4_711 && status.st_gid == 4_712, "\(name)") }
        }
    }
}
