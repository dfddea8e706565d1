import LoopbackServer
import ServerTestSupport
import TurnoutSQLite
import TurnoutServer

/// The events in a server's folder, as the command exports and forwards them.
@Suite("turnout events", .blocking)
struct EventsCommandTests {
    private let folder = TemporaryDirectory()

    /// Creates a folder with ten events of two requests each, the second of which arrived twice.
    private func fill() async throws {
        let log = SegmentLog(directory: folder.path + "/log", log: folder.log)
        for number in [0, 1, 1] { try await log.append(EventBodies.ten(number), receivedAt: EventBodies.time) }
        let database = EventDatabase(directory: folder.path, log: folder.log)
        let clock = FixedWallClock(EventBodies.time)
        try EventProcessing(log, into: database, wallClock: clock, messages: .silent).processAll()
        await log.close()
    }

    private func run(_ arguments: String..., exitCode: Int32 = 0) async -> (output: String, errors: String) {
        await RunTool.output(of: ["events"] + arguments + ["--data", folder.path], exitCode: exitCode)
    }

    @Test func eventsAreExportedAsLinesOfJSON() async throws {
        try await fill()
        let lines = await run("export").output.split(separator: "\n")
        let events = try lines.map { try JSONValue(parsing: String($0)) }
        #expect(events.count == 20)
        #expect(Set(lines).count == 20)
        #expect(events.count { $0["kind"] == .string("conversion") } == 2)
        #expect(events.allSatisfy { $0["timestamp"] == .integer(EventBodies.time) })
        #expect(await run("export", "--kind", "conversion").output.split(separator: "\n").count == 2)
        let none = await run("export", "--before", "2026-01-15")
        #expect(!none.output.contains("uuid") && none.errors == "turnout: 0 events were exported\n")
        #expect(await run("export", "--from", "2026-01-15").output.split(separator: "\n").count == 20)
    }

    @Test func eventsAreExportedAsATable() async throws {
        try await fill()
        let rows = await run("export", "--format", "csv", "--kind", "exposure").output.split(separator: "\r\n")
        #expect(rows.count == 19)
        #expect(rows.first.map(String.init) == ExportedEvent.names.joined(separator: ","))
        #expect(rows.dropFirst().allSatisfy { $0.hasPrefix("exposure,2026-01-15T12:00:00.000Z,1768478400000,") })
    }

    @Test func anExportSaysThatTheLogHasMore() async throws {
        try await fill()
        #expect(await !run("export").errors.contains("are missing"))
        let log = SegmentLog(directory: folder.path + "/log", log: folder.log)
        try await log.append(EventBodies.ten(2), receivedAt: EventBodies.time)
        await log.close()
        let result = await run("export")
        #expect(result.output.split(separator: "\n").count == 20)
        #expect(result.errors.contains("of the log are missing, because no server has processed them yet"))
        let results = await RunTool.output(of: ["results", "--data", folder.path], exitCode: 0)
        #expect(results.errors.contains("of the log are missing"))
    }

    @Test(arguments: [
        ("export", "--user", "ada"), ("expire", "--kind", "exposure"), ("forget", "--from", "2026-01-15"),
        ("forward", "--days", "1"),
    ]) func optionsOfOtherActionsAreRefused(_ action: String, _ option: String, _ value: String) async throws {
        let result = await run(action, option, value, exitCode: 2)
        #expect(result.errors.contains("\(action) and \(option) exclude each other"), "\(result.errors)")
    }

    @Test func requestsAreForwardedOnce() async throws {
        try await fill()
        let server = try LoopbackServer()
        let address = server.address + "/v1/events"
        try server.reply(to: "/v1/events", with: .status(503))
        let failed = await run("forward", "--to", address, exitCode: 1)
        #expect(failed.errors.contains("Run the command again: it continues"))
        let result = await run("forward", "--to", address)
        #expect(result.errors.contains(" were sent, 0 were refused.\n"), "\(result.errors)")
        let requests = try server.requests(to: "/v1/events").dropFirst()
        let bodies = try requests.map { try JSONValue(parsing: Array($0.body)) }
        let visitors = bodies.flatMap { body -> [JSONValue] in
            if case .array(let visitors)? = body["visitors"] { visitors } else { [] }
        }
        // As received, duplicates included: the receiver drops them by their ids.
        #expect(visitors.count == 30)
        #expect(await run("forward", "--to", address).errors.contains("0 requests were sent, 0 were refused.\n"))
    }

    @Test func aForwardingIsEnded() async throws {
        try await fill()
        let server = try LoopbackServer()
        let address = server.address + "/v1/events"
        #expect(
            await run("forward", "--to", address, "--forget", exitCode: 1).errors.contains(
                "nothing is kept for \(address)"))
        _ = await run("forward", "--to", address + "?token=s3cret")
        let other = await run("forward", "--to", address + "2", "--forget", exitCode: 1)
        #expect(other.errors.contains("Events are kept for: \(address)\n"), "\(other.errors)")
        let ended = await run("forward", "--to", address, "--forget")
        #expect(ended.output == "nothing is kept for \(address) any more\n")
        #expect(try SegmentLogReader(directory: folder.path + "/log").readers.keys.sorted() == ["processing"])
    }

    @Test func aUserIsForgottenInTheFolder() async throws {
        try await fill()
        let id = "visitor-\(EventBodies.uuid(0))"
        let before = await run("export").output.split(separator: "\n")
        let events = before.count { $0.contains(id) }
        #expect(events == 3)
        let result = await run("forget", "--user", id)
        #expect(result.output == "The user is forgotten. 3 events and parts of 1 request in the log were deleted.\n")
        #expect(await run("export").output.split(separator: "\n").count == before.count - events)
        #expect(try Self.files(in: folder.path, with: id).isEmpty)
        // Nothing was created that was not there.
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/segments.sqlite"))
        #expect(await run("forget", "--user", id).output.contains(" 0 events and parts of 0 requests "))
    }

    @Test func assignmentsListsAndDevicesAreForgottenInTheFolder() async throws {
        try await fill()
        let id = "visitor-\(EventBodies.uuid(0))"
        let segments = SegmentDatabase(directory: folder.path, log: folder.log)
        _ = try segments.change("vip", .add(["ada"]))
        _ = try segments.link([.init(device: id, user: "ada")], at: EventBodies.time)
        let store = "sqlite:" + folder.path
        let profiles = try SQLiteStorage(directory: folder.path).profiles
        try profiles.save(["1": "2"], for: "ada")
        await profiles.flush(within: .seconds(10))
        let result = await run("forget", "--user", "ada")
        #expect(
            result.output == "The user is forgotten, with 1 device. 3 events and parts of 1 request in the log were "
                + "deleted.\n")
        #expect(try segments.users(of: "vip", after: "", limit: 10) == [])
        let profile = await RunTool.output(of: ["profiles", "get", "--store", store, "--user", "ada"], exitCode: 0)
        #expect(!profile.output.contains("variation_id"))
    }

    /// The database is gone, but the log beside it contains ids.
    @Test(arguments: ["segments.sqlite-wal", "turnout.sqlite-wal", "devices.sqlite"])
    func aFolderWithoutAFileIsAnError(file: String) async throws {
        try await fill()
        try Data("ada".utf8).write(to: URL(filePath: folder.path + "/" + file))
        let errors = await run("forget", "--user", "ada", exitCode: 1).errors
        #expect(errors.contains("which may contain the user"), "\(errors)")
    }

    @Test func aRunningServerForgetsTheUser() async throws {
        try await fill()
        let log = SegmentLog(directory: folder.path + "/log", log: folder.log)
        let refused = await run("forget", "--user", "ada", exitCode: 1).errors
        #expect(refused.contains("in use by another process") && refused.contains("--server URL"), "\(refused)")
        await log.close()
        let server = try LoopbackServer()
        let path = "/users/forget"
        let body = #"{"events":12,"ids":["a/b","vuid_1"],"requests":1,"scope":"this node"}"#
        try server.always(.json(body), to: path)
        func forget(exitCode: Int32 = 0) async -> (output: String, errors: String) {
            await RunTool.output(
                of: ["events", "forget", "--user", "a/b", "--server", server.address + "/"], exitCode: exitCode,
                environment: ["TURNOUT_TOKEN": "s3cret"])
        }
        let summary = await forget().output
        #expect(summary.hasPrefix("The user is forgotten, with 1 device. 12 events and parts of 1 request "))
        #expect(summary.hasSuffix("\nOnly this server was asked; if there are others, ask each of them.\n"))
        let request = try #require(try server.requests(to: path).first)
        #expect(request.method == "POST" && request.headers["authorization"] == "Bearer s3cret")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"user_id":"a/b"}"#)
        try server.always(.json("<html>Log in</html>"), to: path)
        #expect(await forget(exitCode: 1).errors.contains("not the content that a turnout server sends"))
        try server.always(.status(403), to: path)
        #expect(await forget(exitCode: 1).errors.contains("a management token with the scope \"users\""))
        try server.always(.status(503), to: path)
        #expect(await forget(exitCode: 1).errors.contains("Run the command again"))
    }

    /// The files below a folder that contain a text.
    private static func files(in folder: String, with text: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
            guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { return false }
            return data.range(of: Data(text.utf8)) != nil
        }
    }

    @Test func aFolderWithoutEventsIsAnError() async {
        #expect(await run("export", exitCode: 1).errors.contains("events.sqlite"))
        #expect(await run("forward", exitCode: 2).errors.contains("--to"))
        #expect(await run("expire", exitCode: 2).errors.contains("--days"))
        #expect(await run("forget", exitCode: 2).errors.contains("--user ID"))
        #expect(await run("forget", "--user", "ada", exitCode: 1).errors.contains("events.sqlite"))
        #expect(await run("forget", "--user", "", exitCode: 2).errors.contains("is empty"))
        let long = String(repeating: "a", count: 1_025)
        #expect(await run("forget", "--user", long, exitCode: 2).errors.contains("1 to 1,024 bytes"))
        let both = await run("forget", "--user", "ada", "--server", "http://127.0.0.1:1", exitCode: 2)
        #expect(both.errors.contains("--data and --server exclude each other"))
        let none = await RunTool.output(of: ["events", "export"], exitCode: 2)
        #expect(none.errors.contains("--data DIR is missing"))
        #expect(await run("exprt", exitCode: 2).errors.contains("export"))
    }

    @Test func oldEventsAreDeleted() async throws {
        try await fill()
        #expect(await run("expire", "--days", "36500").output == "0 events were deleted.\n")
        // As if the log had been written long ago.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/log")
        let log = try #require(names.first { $0.hasSuffix(".log") })
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_768_478_400)], ofItemAtPath: folder.path + "/log/" + log)
        let deleted = await run("expire", "--days", "1").output
        #expect(deleted.hasPrefix("20 events were deleted.\n"))
        #expect(deleted.hasSuffix(" bytes were deleted from the log.\n"))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/log/" + log))
        #expect(await !run("export").output.contains("uuid"))
    }
}
