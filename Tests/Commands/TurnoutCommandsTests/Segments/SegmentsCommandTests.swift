import LoopbackServer

/// Lists that the command uploads.
@Suite("turnout segments", .blocking)
struct SegmentsCommandTests {
    private static let path = "/segments/v%C3%ADp/users"
    private static let success = Reply.json(#"{"added":2,"removed":1}"#)
    private let folder = TemporaryDirectory()
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func file(_ name: String, _ text: String) throws -> String {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
        return folder.path + "/" + name
    }

    private func upload(
        _ server: LoopbackServer, _ arguments: String..., exitCode: Int32 = 0, environment: [String: String] = [:],
        input: String? = nil
    ) async -> (output: String, errors: String) {
        await RunTool.output(
            of: ["segments", "upload", "--server", server.address, "--list", "v\u{ED}p"] + arguments,
            exitCode: exitCode, environment: environment, input: input)
    }

    @Test func aFileReplacesTheUsers() async throws {
        try server.always(Self.success, to: Self.path)
        let file = try file("vip.csv", "user_id\nada\n\ngrace\n")
        let result = await upload(server, file, environment: ["TURNOUT_TOKEN": "s3cret"])
        #expect(result.output == "v\u{ED}p: 2 added, 1 removed\n")
        let request = try #require(try server.requests(to: Self.path).first)
        #expect(request.method == "POST" && request.target == Self.path + "?replace=true")
        #expect(String(decoding: request.body, as: UTF8.self) == "user_id\nada\n\ngrace\n")
        #expect(request.headers["authorization"] == "Bearer s3cret")
        #expect(request.headers["content-type"] == "text/csv")
    }

    @Test func aSegmentThatNoAudienceNamesIsPointedOut() async throws {
        let reply = Reply.json(#"{"added":1,"removed":0,"segments":["beta","v\u00edps"]}"#)
        try server.always(reply, to: Self.path)
        let result = await upload(server, try file("vip.csv", "ada\n"))
        #expect(
            result.errors == """
                turnout: warning: no audience of a datafile on the server names the segment "v\u{ED}p"; known are \
                beta, v\u{ED}ps
                  Did you mean "v\u{ED}ps"?

                """)
        #expect(result.output.hasSuffix(": 1 added, 0 removed\n"))
    }

    @Test(arguments: [".", ".."]) func aListThatNoAddressCanNameIsRefused(list: String) async throws {
        let result = await RunTool.output(
            of: ["segments", "upload", "--server", "http://127.0.0.1:1", "--list", list, "-"], exitCode: 2)
        #expect(result.errors.contains("a name that can be a part of an address"))
    }

    @Test func aPipeIsAddedToTheList() async throws {
        try server.always(Self.success, to: Self.path)
        let file = try file("vip.txt", "{\"user_id\": \"ada\"}\n\"grace\"")
        _ = await upload(
            server, "--add", "--format", "ndjson", "--token", "other", "-",
            environment: ["TURNOUT_TOKEN": "s3cret"], input: file)
        let request = try #require(try server.requests(to: Self.path).first)
        #expect(request.target == Self.path && request.headers["content-type"] == "application/x-ndjson")
        #expect(request.headers["authorization"] == "Bearer other")
    }

    @Test func aFileWithoutUsersIsRefused() async throws {
        let body = Array(#"{"error":"the new list has no users","code":"empty"}"#.utf8)
        try server.always(.status(409, body: body), to: Self.path)
        let result = await upload(server, "-", exitCode: 1, input: try file("vip.txt", "user_id\r\n"))
        #expect(result.errors.contains("409: the new list has no users"))
        #expect(result.errors.contains("pass --allow-empty"))
        try server.always(Self.success, to: Self.path)
        _ = await upload(server, "--allow-empty", "-", input: try file("vip.txt", ""))
        let targets = try server.requests(to: Self.path).map(\.target)
        #expect(targets == [Self.path + "?replace=true", Self.path + "?replace=true&allow_empty=true"])
    }

    /// A proxy or another program, which has stored nothing.
    @Test func anotherProgramIsNoServer() async throws {
        try server.always(.json("<html>Log in</html>"), to: Self.path)
        let result = await upload(server, try file("vip.csv", "ada\n"), exitCode: 1)
        #expect(result.errors.contains("not the content that a turnout server sends"))
    }

    @Test func aFailureOfTheServerIsRepeated() async throws {
        try server.always(Self.success, to: Self.path)
        try server.reply(to: Self.path, with: .status(503))
        let result = await upload(server, try file("vip.csv", "ada\n"))
        // The first request may have changed the list before it failed.
        #expect(result.output == "v\u{ED}p: at least 2 added, at least 1 removed\n")
        #expect(result.errors.contains("the server answered with status 503; trying again in "))
        #expect(try server.requests(to: Self.path).allSatisfy { $0.target.hasSuffix("?replace=true") })
    }

    @Test func aRefusalIsExplained() async throws {
        try server.reply(
            to: Self.path, with: .status(400, body: Array(#"{"error":"line 2: x; nothing was changed"}"#.utf8)))
        let file = try file("vip.csv", "ada\n")
        let result = await upload(server, file, exitCode: 1)
        #expect(result.errors.contains("400: line 2: x; nothing was changed"))
        try server.reply(to: Self.path, with: .status(401))
        #expect(await upload(server, file, exitCode: 1).errors.contains("Set TURNOUT_TOKEN"))
        // The list may have been replaced before the first response was lost.
        for reply in [Reply.status(503), .status(409, body: Array(#"{"error":"no","code":"limit"}"#.utf8))] {
            try server.reply(to: Self.path, with: reply)
        }
        let repeated = await upload(server, file, exitCode: 1)
        #expect(repeated.errors.contains("409: no; the list has been changed, or is as it was"), "\(repeated.errors)")
        #expect(repeated.errors.contains("segments.maximum_users"), "\(repeated.errors)")
        #expect(try server.requests(to: Self.path).count == 4)
        #expect(await upload(server, folder.path + "/vip.xml", exitCode: 2).errors.contains("--format"))
    }

    @Test func aFileThatIsTooLargeIsNotSent() async throws {
        let file = try file("all.csv", String(repeating: "user-67\n", count: 2 << 20) + "x")
        for input in [file, "-"] {
            let result = await upload(server, input, exitCode: 1, input: file)
            #expect(result.errors.contains("has more than 16,777,216 bytes"), "\(result.errors)")
            #expect(result.errors.contains("upload the first part, and the others with --add"), "\(result.errors)")
        }
        #expect(try server.requests(to: Self.path).isEmpty)
    }

    /// A proxy in front of the server takes less than the server.
    @Test func aListThatTheServerFindsTooLargeIsToBeSplit() async throws {
        try server.always(.status(413), to: Self.path)
        let result = await upload(server, "--add", try file("vip.csv", "ada\n"), exitCode: 1)
        #expect(result.errors.contains("status 413"), "\(result.errors)")
        #expect(result.errors.contains("upload the first part so, and the others with --add"), "\(result.errors)")
    }

    @Test(arguments: ["flags.example.com", "ftp://127.0.0.1", "http://flags.example.com", "https://a@b", "https://a?b"])
    func anAddressThatCannotBeUsedIsRefused(address: String) async throws {
        let result = await RunTool.output(
            of: ["segments", "upload", "--server", address, "--list", "vip", "vip.csv"], exitCode: 2)
        #expect(result.errors.contains("--server cannot be "))
        #expect(!result.errors.contains("a@b"))
    }

    @Test func aTokenThatCannotBeSentIsNotTriedAgain() async throws {
        let result = await upload(server, "--token", "a\nb", try file("vip.csv", "ada\n"), exitCode: 1)
        #expect(result.errors.contains("header") && !result.errors.contains("trying again"))
    }
}
