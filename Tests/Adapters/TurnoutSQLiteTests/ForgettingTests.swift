/// No file contains deleted data.
@Suite struct SQLiteForgettingTests {
    let directories = Directories()
    var directory: String { directories.first }

    private func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    /// The names of files in a directory that contain a text.
    private func files(in directory: String, with text: String) throws -> [String] {
        try names(in: directory).filter { name in
            try Data(contentsOf: URL(filePath: directory + "/" + name)).range(of: Data(text.utf8)) != nil
        }
    }

    @Test func aForgottenUserIsInNoFile() throws {
        let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
        for user in 0..<300 { try storage.profiles.save(["e": "v"], for: "user-\(user)@example.com") }
        try storage.profiles.save(["secret-experiment": "secret-variation"], for: "ada@example.com")
        #expect(try !files(in: directory, with: "ada@example.com").isEmpty)
        try storage.profiles.forget("ada@example.com")
        for text in ["ada@example.com", "secret-experiment", "secret-variation"] {
            #expect(try files(in: directory, with: text) == [])
        }
        #expect(try storage.profiles.profile(of: "user-299@example.com").assignments == ["e": "v"])
    }

    /// With an id that JSON escapes, too.
    @Test(arguments: ["ada-1815@example.com", "ada-1815 \"Lovelace\"\n"])
    func refusedEventsOfAForgottenUserAreInNoFile(user: String) async throws {
        let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
        var configuration = ClientConfiguration()
        configuration.keep(in: storage)
        configuration.log = .silent
        configuration.transport = MemoryTransport { request in
            let body = String(decoding: request.body, as: UTF8.self)
            return HTTPResponse(status: body.contains("ada-") ? 400 : 204)
        }
        let client = FlagClient.scripted(Script(.event("purchase")), configuration: configuration)
        for user in [user, "ada-18150", "bob"] { try client.user(user).track("purchase") }
        await client.flush()
        #expect(try storage.events.rejected.count == 2 && storage.events.count == 0)
        #expect(try !files(in: directory, with: "ada-1815").isEmpty)
        try storage.profiles.forget(user)
        let kept = try storage.events.rejected.map { String(decoding: $0.event.visitor, as: UTF8.self) }
        #expect(kept.count == 1 && kept[0].contains("ada-18150"))
        for text in [user, "Lovelace"] { #expect(try files(in: directory, with: text) == []) }
        try storage.profiles.removeAll()
        #expect(try files(in: directory, with: "ada-1815") == [])
    }

    @Test func allForgottenUsersAreInNoFile() throws {
        let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
        for user in 0..<300 { try storage.profiles.save(["e": "v"], for: "user-\(user)@example.com") }
        try storage.profiles.removeAll()
        #expect(try files(in: directory, with: "@example.com") == [])
        #expect(try storage.profiles.count == 0)
    }

    @Test func damagedFilesThatWereKeptAsideAreDeleted() throws {
        do {
            let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
            try storage.profiles.save(["e": "v"], for: "ada@example.com")
        }
        var bytes = try contents(of: file(in: directory))
        for byte in 0..<100 { bytes[byte] = 7 }
        try write(bytes, to: file(in: directory))
        // The remains of a process that crashed while it wrote a new file.
        try write(bytes, to: file(in: directory) + ".new")
        let log = MemoryLog()
        let storage = try SQLiteStorage(directory: directory, .durable, log: log)
        #expect(try storage.profiles.profile(of: "ada@example.com").assignments == ["e": "v"])
        #expect(asides(in: directory).count == 1)
        try storage.profiles.forget("ada@example.com")
        #expect(asides(in: directory).isEmpty)
        #expect(try files(in: directory, with: "ada@example.com") == [])
        #expect(log.entries.last?.message.contains("deleted 1 damaged file moved aside earlier") == true)
    }

    /// When SQLite moves cells between pages, it leaves copies, which later writes may not overwrite.
    @Test func gapsInPagesContainNoForgottenUser() throws {
        try SQLiteStorage(directory: directory, .durable, log: .silent).profiles
            .save(["e": "v"], for: "ada@example.com")
        var bytes = try contents(of: file(in: directory))
        let name = Array("ada@example.com".utf8)
        let row = try #require(Data(bytes).range(of: Data(name))).lowerBound
        // The page has one row, at its end, and a gap in the middle.
        let gap = row / 8_192 * 8_192 + 4_000
        bytes.replaceSubrange(gap..<gap + name.count, with: name)
        try write(bytes, to: file(in: directory))
        let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
        try storage.profiles.forget("ada@example.com")
        #expect(try files(in: directory, with: "ada@example.com") == [])
        #expect(asides(in: directory).isEmpty)
    }

    @Test(arguments: 1...UInt64(rounds(1, thorough: 2))) func someOfManyUsersAreForgotten(seed: UInt64) throws {
        let storage = try SQLiteStorage(directory: directory, log: .silent)
        let random = SeededRandomSource(seed: seed)
        let users = (0..<1_500).map { _ in String(random.next(), radix: 36) + String(random.next(), radix: 36) }
        for user in users { try storage.profiles.save(["1": "2"], for: user) }
        for user in users.prefix(40) {
            try storage.profiles.forget(user)
            #expect(try files(in: directory, with: user) == [], "\(user), seed \(seed)")
        }
        #expect(try storage.profiles.count == 1_460)
    }

    @Test func theLogNamesAReaderThatBlocksTheCheckpoint() throws {
        var options = SQLiteOptions.durable
        options.busyTimeout = .milliseconds(50)
        let storage = try SQLiteStorage(directory: directory, options, log: .silent)
        try storage.profiles.save(["e": "v"], for: "ada@example.com")
        let reader = try SQLiteConnection(path: file(in: directory))
        try reader.run("BEGIN")
        _ = try reader.number("SELECT count(*) FROM users")
        let error = #expect(throws: SQLiteError.self) { try storage.profiles.forget("ada@example.com") }
        #expect(error?.message.contains("the write-ahead log still contains it") == true)
        try reader.run("COMMIT")
        try storage.profiles.forget("ada@example.com")
        #expect(try files(in: directory, with: "ada@example.com") == [])
    }
}
