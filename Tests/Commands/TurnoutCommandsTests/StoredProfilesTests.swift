import TurnoutMemcached
import TurnoutRedis
import TurnoutSQLite

/// `--profiles` with the address of a store, in all commands that decide.
@Suite struct StoredProfilesTests {
    private let directory = TemporaryDirectory(isCreated: true)

    /// A datafile, and one that gives fewer users the first arm.
    private func datafiles() throws -> [String] {
        var new = ImpactDatafile()
        new.flags[0].ends[0] = 2_000
        return [
            try directory.write(ImpactDatafile().text, to: "old.json"), try directory.write(new.text, to: "new.json"),
        ]
    }

    /// The ids of users with stored assignments, more than are looked up at once.
    private let userIDs = (1...2_500).map { "user-\($0)" }

    private func profilesFile(variationID: String) throws -> String {
        let profiles = userIDs.map {
            #""\#($0)": {"experiment_bucket_map": {"e1": {"variation_id": "\#(variationID)"}}}"#
        }
        return try directory.write("{\(profiles.joined(separator: ", "))}", to: "profiles.json")
    }

    /// The id of the arm `a`.
    private func variationID() throws -> String {
        let experiment = try #require(try ImpactDatafile().project.experiment("test_1"))
        return try #require(experiment.variations.first { $0.key == "a" }).id
    }

    /// Runs each command with a file of assignments and with a store of the same ones.
    private func compare(store: String, withFile file: String) async throws {
        let files = try datafiles()
        let users = try directory.write(userIDs.map { "{\"user\":\"\($0)\"}\n" }.joined(), to: "users.ndjson")
        for line in [
            ["impact"] + files + ["-n", "3000", "-o", "json"], ["impact"] + files + ["--users", users],
            ["impact"] + files + ["--explain", "user-7"], ["decide", "-d", files[1], "--users", users],
            ["decide", "-d", files[1], "--user", "user-2"], ["explain", "-d", files[1], "--user", "user-2"],
        ] {
            let expected = await RunTool.output(of: line + ["--profiles", file]).output
            let result = await RunTool.output(of: line + ["--profiles", store])
            #expect(result.output == expected, "\(line[0]): \(result.errors)")
            // Without stored assignments the output is another one, except for a user that does not move.
            guard !line.contains("--explain") else { continue }
            #expect(await RunTool.output(of: line).output != expected, "\(line[0])")
        }
        let log = try directory.write(
            await RunTool.output(of: ["decide", "-d", files[1], "--users", users, "--profiles", file]).output,
            to: "log")
        _ = await RunTool.output(of: ["replay", log, "-d", files[1], "--users", users, "--profiles", store])
    }

    @Test(arguments: [
        "5", "{}", #"{"experiment_bucket_mapp": {}}"#, #"{"experiment_bucket_map": {"e1": "a1"}}"#,
        #"{"experiment_bucket_map": {"e1": {"variation_id": 1}}}"#,
    ]) func aMalformedProfileIsAnError(profile: String) async throws {
        let file = try directory.write(
            "{\"ada\": {\"experiment_bucket_map\": {}},\n\"secret-id\": \(profile)}", to: "profiles.json")
        let files = try datafiles()
        for line in [["impact"] + files + ["-n", "9"], ["decide", "-d", files[0], "--user", "ada"]] {
            let result = await RunTool.output(of: line + ["--profiles", file], exitCode: 1)
            #expect(result.errors.contains("profiles.json:2:1: the profile of user 2 is not readable"))
            #expect(result.errors.contains("Expected {") && !result.errors.contains("secret-id"))
            #expect(!result.output.contains("flag"))
        }
    }

    @Test(.thorough) func assignmentsAreReadFromAFileOfSQLiteAndNotChanged() async throws {
        let variation = try variationID()
        let folder = directory.path + "/store"
        let storage = try SQLiteStorage(directory: folder, log: directory.log)
        for user in userIDs { try storage.profiles.save(["e1": variation], for: user) }
        try storage.synchronize()
        let before = try FileManager.default.contents(of: folder)
        try await compare(store: "sqlite:" + folder, withFile: profilesFile(variationID: variation))
        #expect(try FileManager.default.contents(of: folder) == before)
    }

    @Test func aMissingStoreIsNotCreated() async throws {
        let line = ["impact"] + (try datafiles()) + ["--profiles", "sqlite:\(directory.path)/none"]
        let errors = await RunTool.output(of: line, exitCode: 1).errors
        #expect(errors.contains("/none/turnout.sqlite: cannot be opened: No such file or directory"))
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/none"))
    }

    @Test func aDamagedStoreEndsTheCommand() async throws {
        let folder = directory.path + "/store"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 20_000).write(to: URL(filePath: folder + "/turnout.sqlite"))
        let line = ["impact"] + (try datafiles()) + ["--profiles", "sqlite:" + folder]
        let result = await RunTool.output(of: line, exitCode: 1)
        #expect(!result.output.contains("users") && result.errors.contains("\(folder)/turnout.sqlite"), "\(result)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["turnout.sqlite"])
    }

    private func startMemcached() async throws -> (process: ChildProcess, address: String) {
        let ports = directory.path + "/ports"
        let server = try ChildProcess(
            "memcached", ["-l", "127.0.0.1", "-U", "0", "-p", "-1", "-u", NSUserName()],
            environment: ["MEMCACHED_PORT_FILENAME": ports])
        var port: Int?
        try await wait("the port") {
            let line = (try? String(contentsOfFile: ports, encoding: .utf8))?.split(separator: "\n").first
            port = line.flatMap { Int($0.split(separator: " ").last ?? "") }
            return port != nil
        }
        return (server, "memcached://127.0.0.1:\(try #require(port))")
    }

    /// The client would take the users of the other server as new ones.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/memcached")))
    func oneOfTwoServersThatFailsEndsTheCommand() async throws {
        let server = try await startMemcached()
        defer { server.process.end() }
        let line = ["impact"] + (try datafiles()) + ["-n", "3000", "--profiles", server.address + ",127.0.0.1:1"]
        let errors = await RunTool.output(of: line, exitCode: 1).errors
        #expect(errors.contains("turnout: stored assignments cannot be looked up: memcached 127.0.0.1:1:"), "\(errors)")
    }

    @Test(.thorough, .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/memcached")))
    func assignmentsAreReadFromServers() async throws {
        let server = try await startMemcached()
        defer { server.process.end() }
        let address = server.address + "?timeout=60s"
        let store = try MemcachedProfileStore(MemcachedOptions(url: address))
        let variation = try variationID()
        for user in userIDs { try store.save(["e1": variation], for: user) }
        try await compare(store: address, withFile: profilesFile(variationID: variation))
    }

    /// Debian's tools package has the server under another name; it acts by the name it is started with.
    private func startRedis() async throws -> (process: ChildProcess, address: String)? {
        let (link, socket) = (directory.path + "/redis-server", directory.path + "/s")
        let programs = ["/usr/bin/redis-server", "/usr/bin/redis-check-rdb"]
        guard let program = programs.first(where: FileManager.default.isExecutableFile(atPath:)) else { return nil }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: program)
        let server = try ChildProcess(
            link, ["--port", "0", "--unixsocket", socket, "--dir", directory.path, "--save", ""])
        try await wait("the socket") { FileManager.default.fileExists(atPath: socket) }
        return (server, "redis+unix://" + socket)
    }

    @Test func assignmentsAreReadFromRedis() async throws {
        guard let server = try await startRedis() else { return }
        defer { server.process.end() }
        let store = try RedisProfileStore(RedisOptions(url: server.address))
        let variation = try variationID()
        for user in userIDs { try store.save(["e1": variation], for: user) }
        let line = ["impact"] + (try datafiles()) + ["-n", "3000", "-o", "json", "--profiles"]
        let expected = await RunTool.output(of: line + [try profilesFile(variationID: variation)]).output
        let result = await RunTool.output(of: line + [server.address])
        #expect(result.output == expected, "\(result.errors)")
    }

    /// Not as new users: the report would say that they move.
    @Test(arguments: ["impact", "decide", "explain", "replay", "impact --explain"])
    func aStoreThatFailsEndsTheCommandAndIsNamed(command: String) async throws {
        let files = try datafiles()
        let users = try directory.write("{\"user\":\"ada\"}\n{\"user\":\"grace\"}\n", to: "users.ndjson")
        let log = try directory.write(
            #"{"user":"ada","flag":"flag_1","variation":"a","attributes":{}}"# + "\n", to: "log")
        let line =
            switch command {
            case "impact": ["impact"] + files + ["--users", users]
            case "impact --explain": ["impact"] + files + ["--users", users, "--explain", "ada"]
            case "replay": ["replay", log, "-d", files[0]]
            default: [command, "-d", files[0], "--user", "ada"]
            }
        let result = await RunTool.output(of: line + ["--profiles", "memcached://127.0.0.1:1"], exitCode: 1)
        #expect(result.errors.contains("memcached 127.0.0.1:1: connection refused"), "\(result.errors)")
        #expect(!result.output.contains("ada") && !result.output.contains("users"))
    }

    @Test func unknownAddressesAreNeitherFilesNorRepeated() async throws {
        let line = ["impact"] + (try datafiles()) + ["--profiles", "mysql://ada:secret@db"]
        let errors = await RunTool.output(of: line, exitCode: 2).errors
        #expect(errors.contains("--profiles cannot be 'mysql'") && !errors.contains("secret"))
    }
}

extension FileManager {
    /// The contents of all files in a folder, by name.
    fileprivate func contents(of folder: String) throws -> [String: Data] {
        try contentsOfDirectory(atPath: folder).reduce(into: [:]) { $0[$1] = contents(atPath: folder + "/" + $1) }
    }
}
