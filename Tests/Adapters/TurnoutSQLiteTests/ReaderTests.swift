/// Reading the file of a service leaves its directory unchanged.
@Suite struct SQLiteReaderTests {
    let directories = Directories()
    var directory: String { directories.first }

    private enum State: CaseIterable, Sendable {
        /// The file is open in a service; was closed; the process crashed; the index of the log is missing.
        case open, closed, killed, withoutIndex
    }

    /// All visible properties of a directory.
    private func listing(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map { name in
            var status = stat()
            stat(directory + "/" + name, &status)
            let bytes = try contents(of: directory + "/" + name)
            return "\(name) \(status.st_ino) \(status.st_mode) \(status.st_uid) \(bytes.hashValue) "
                + "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        }
    }

    @Test(arguments: State.allCases) private func readingChangesNothing(_ state: State) async throws {
        var storage: SQLiteStorage? = try SQLiteStorage(directory: directory, .durable, log: .silent)
        for user in 0..<30 { try storage?.profiles.save(["e": "v\(user)"], for: "user \(user)") }
        if state == .killed || state == .withoutIndex {
            let copy = directory + "-copy"
            try FileManager.default.copyItem(atPath: directory, toPath: copy)
            storage = nil
            try FileManager.default.removeItem(atPath: directory)
            try FileManager.default.moveItem(atPath: copy, toPath: directory)
        }
        if state == .withoutIndex { try FileManager.default.removeItem(atPath: file(in: directory) + "-shm") }
        if state == .closed { storage = nil }
        let before = try listing(directory)
        // In another process, as in the command: connections of one process share the log's index.
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            let reader = try SQLiteProfileReader(directory: directory)
            #expect(try reader.profile(of: "user 7").assignments == ["e": "v7"])
            #expect(try reader.profile(of: "user 30").assignments == [:])
            #expect(try reader.count == 30)
            #expect(throws: SQLiteError.self) { try reader.save(["e": "v"], for: "user 7") }
        }
        #expect(try listing(directory) == before)
        withExtendedLifetime(storage) {}
    }

    @Test func aDamagedFileIsNotMoved() throws {
        try SQLiteStorage(directory: directory, .durable, log: .silent).profiles.save(["e": "v"], for: "ada")
        var bytes = try contents(of: file(in: directory))
        for byte in 0..<40 { bytes[byte] = 7 }
        try write(bytes, to: file(in: directory))
        let before = try listing(directory)
        let error = #expect(throws: SQLiteError.self) { try SQLiteProfileReader(directory: directory) }
        #expect(error?.message.contains("nothing was changed") == true)
        #expect(try listing(directory) == before)
    }

    /// A directory as a killed process leaves it, whose log has no index, with many users in the file.
    private func withoutIndex() throws -> String {
        let (directory, copy) = (directories.next(), directories.next())
        let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
        try storage.settings.set("device", to: "7")
        for user in 0..<2_000 { try storage.profiles.save(["e": "v\(user)"], for: "user \(user)") }
        let group = OutgoingEvent.Group(region: .us, envelope: "{")
        let large = OutgoingEvent(group: group, visitor: Array(repeating: 0x20, count: 100_000))
        try storage.events.append(large)
        try FileManager.default.copyItem(atPath: directory, toPath: copy)
        try FileManager.default.removeItem(atPath: file(in: copy) + "-shm")
        return withExtendedLifetime(storage) { copy }
    }

    @Test func aHealthyFileWithoutIndexIsRead() throws {
        let reader = try SQLiteProfileReader(directory: try withoutIndex())
        #expect(try reader.count == 2_000 && reader.profile(of: "user 7").assignments == ["e": "v7"])
    }

    @Test func aLogWithoutAnIndexIsReadUpToDamage() throws {
        let directory = try withoutIndex()
        // Each page is in the log several times; the last one counts.
        var bytes = try contents(of: file(in: directory) + "-wal")
        let (header, frame) = (32, 24 + 8_192)
        let count = (bytes.count - header) / frame
        for number in count - 100..<count {
            let start = header + number * frame + 24
            for byte in start..<start + 8_192 { bytes[byte] = 7 }
        }
        try write(bytes, to: file(in: directory) + "-wal")
        let before = try listing(directory)
        let reader = try SQLiteProfileReader(directory: directory)
        #expect(try (1..<2_000).contains(reader.count) && reader.profile(of: "user 7").assignments == ["e": "v7"])
        #expect(try listing(directory) == before)
    }

    @Test func aFileOfAnotherProgramIsRefusedWithoutAnIndex() throws {
        let (directory, copy) = (directories.next(), directories.next())
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try write([], to: file(in: directory))
        let other = try SQLiteConnection(path: file(in: directory))
        try other.run("PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES(1)")
        try FileManager.default.copyItem(atPath: directory, toPath: copy)
        try FileManager.default.removeItem(atPath: file(in: copy) + "-shm")
        let error = #expect(throws: SQLiteError.self) { try SQLiteProfileReader(directory: copy) }
        #expect(error?.message.contains("not a file of this version") == true)
        withExtendedLifetime(other) {}
    }

    @Test func readingDoesNotCreateAFile() throws {
        #expect(throws: SQLiteError.self) { try SQLiteProfileReader(directory: directory) }
        #expect(!FileManager.default.fileExists(atPath: directory))
    }
}
