import TurnoutMemcached
import TurnoutRedis
import TurnoutSQLite

/// The output of a command line.
private func output(_ line: String...) throws -> String { try output(line) }

private func output(_ line: [String]) throws -> String {
    guard case .run(let arguments) = try ProfilesCommand.syntax.parse(line) else {
        throw UsageError.unexpectedOperand("--help")
    }
    return try ProfilesCommand(arguments).output()
}

@Suite struct ProfilesCommandTests {
    @Test func usageErrorsAreReported() {
        #expect(throws: UsageError.missing(anyOf: ["--user"])) { try output("get", "--store", "sqlite:a") }
        #expect(throws: UsageError.conflicting("count", "--user")) {
            try output("count", "--store", "sqlite:a", "--user", "ada")
        }
        let error = #expect(throws: UsageError.self) { try output("got", "--store", "sqlite:a", "--user", "ada") }
        #expect(error?.message == "ACTION cannot be 'got'; it must be get, delete, copy, count, check or schema")
        #expect(error?.advice == "Did you mean \"get\"?")
    }

    @Test func aCheckOfAStoreThatCannotBeReachedFails() async throws {
        let line = ["check", "--store", "memcached://127.0.0.1:1"]
        guard case .run(let arguments) = try ProfilesCommand.syntax.parse(line) else { throw CommandError("help") }
        let command = try ProfilesCommand(arguments)
        let error = await #expect(throws: CommandError.self) { try await command.check() }
        #expect(error?.message.hasPrefix("the check ended early: ") == true)
    }

    @Test func unknownAddressesAreNotRepeatedInErrors() throws {
        let error = #expect(throws: UsageError.self) { try output("count", "--store", "mysql://ada:secret@db") }
        let message = try #require(error?.message)
        #expect(
            message.hasPrefix("--store cannot be 'mysql'; it must be an address that begins with sqlite:, memcached"))
    }

    @Test func profilesInAFileAreShownAndDeleted() throws {
        let directory = TemporaryDirectory()
        let storage = try SQLiteStorage(directory: directory.path, log: directory.log)
        for user in ["ada", "grace \"G\"\n"] { try storage.profiles.save(["1": "a"], for: user) }
        try storage.synchronize()
        let store = "sqlite:" + directory.path
        #expect(try output("count", "--store", store) == "2")
        #expect(
            try output("get", "--store", store, "-u", "grace \"G\"\n")
                == #"{"experiment_bucket_map":{"1":{"variation_id":"a"}},"user_id":"grace \"G\"\n"}"#)
        #expect(try output("delete", "--store", store, "-u", "ada") == "The user was known, and is forgotten.")
        #expect(try output("delete", "--store", store, "-u", "ada") == "The user was not known.")
        #expect(try output("get", "--store", store, "-u", "ada") == #"{"experiment_bucket_map":{},"user_id":"ada"}"#)
        #expect(try output("count", "--store", store) == "1")
    }

    @Test(arguments: [["count"], ["get", "--user", "ada"]]) func readingDoesNotChangeADamagedFile(
        _ arguments: [String]
    ) throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 20_000).write(to: URL(filePath: directory.path + "/turnout.sqlite"))
        #expect(throws: SQLiteError.self) { try output(arguments + ["--store", "sqlite:" + directory.path]) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["turnout.sqlite"])
    }

    /// The other store keeps what it has.
    @Test func assignmentsAreCopiedToAnotherStore() throws {
        let (old, new) = (TemporaryDirectory(), TemporaryDirectory())
        let storage = try SQLiteStorage(directory: old.path, log: old.log)
        for user in UnusualUsers.ids + ["ada"] { try storage.profiles.save(["1": "a", "2": "b"], for: user) }
        try storage.synchronize()
        let target = try SQLiteStorage(directory: new.path, log: new.log)
        try target.profiles.save(["1": "c"], for: "ada")
        try target.synchronize()
        let known = UnusualUsers.ids + ["ada"]
        let lines = try (known + ["unknown"]).map { try JSONEncoder().encode(["user": $0]) + Data("\n".utf8) }
        let users = new.path + "/users.ndjson"
        try Data(lines.joined()).write(to: URL(filePath: users))
        let line = ["copy", "--store", "sqlite:" + old.path, "--to", "sqlite:" + new.path, "--users", users]
        #expect(try output(line) == "Copied assignments of \(known.count) of \(known.count + 1) users.")
        #expect(try target.profiles.profile(of: "ada").assignments == ["1": "c", "2": "b"])
        for user in UnusualUsers.ids {
            #expect(try target.profiles.profile(of: user).assignments == ["1": "a", "2": "b"])
        }
        #expect(try output(line) == "Copied assignments of 0 of \(known.count + 1) users.")
        #expect(throws: UsageError.missing(anyOf: ["--to"])) { try output("copy", "--store", "sqlite:a") }
    }

    @Test func aDirectoryIsNeeded() {
        let error = #expect(throws: UsageError.self) { try output("count", "--store", "sqlite:") }
        #expect(error?.message.contains("sqlite: followed by a directory") == true)
    }

    @Test func aMissingFileIsNotCreated() {
        let directory = TemporaryDirectory()
        let error = #expect(throws: CommandError.self) { try output("count", "--store", "sqlite:" + directory.path) }
        #expect(error?.message == "\(directory.path)/turnout.sqlite: cannot be opened: No such file or directory")
    }

    @Test func addressesOfRedisAreReadAsInPrograms() {
        for store in ["redis://s3cret@h", "redis://h?s3cret=1", "redis-cluster://h/1", "redis+unix://h"] {
            let error = #expect(throws: ProfileServerError.self) { try output("count", "--store", store) }
            #expect(error?.code == .badOptions && error?.description.contains("s3cret") == false)
        }
    }

    @Test func operationsUnsupportedByMemcachedAreReported() {
        let error = #expect(throws: CommandError.self) { try output("count", "--store", "memcached://localhost") }
        #expect(error?.message == "this store cannot count its users")
        #expect(throws: ProfileServerError.self) { try output("count", "--store", "memcached://localhost?x=y") }
    }
}
