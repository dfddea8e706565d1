#if os(Linux) && Curl
    import Foundation
    import LoopbackServer
    import TestSupport
    import Testing
    import TurnoutCommands
    import TurnoutEngine

    /// Lists that the command uploads.
    @Suite("turnout segments", .blocking)
    struct SegmentsCommandTests {
        private static let path = "/segments/v%C3%ADp/users"
        private static let success = Reply.json(#"{"added":2,"removed":1}"#)
        private let folder = TemporaryDirectory()

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
            let server = try LoopbackServer()
            try server.always(Self.success, to: Self.path)
            let file = try file("vip.csv", "user_id\nada\n\ngrace\n")
            let result = await upload(server, file, environment: ["TURNOUT_TOKEN": "s3cret"])
            #expect(result.output.hasPrefix("v\u{ED}p: 3 lines in 1 request and "))
            #expect(result.output.hasSuffix(": 2 added, 1 removed\n"))
            let request = try #require(try server.requests(to: Self.path).first)
            #expect(request.method == "POST" && request.target == Self.path + "?replace=true")
            #expect(String(decoding: request.body, as: UTF8.self) == "user_id\nada\n\ngrace\n")
            #expect(request.headers["authorization"] == "Bearer s3cret")
            #expect(request.headers["content-type"] == "text/csv")
        }

        @Test func linesOfATableMayEndInCR() async throws {
            let server = try LoopbackServer()
            try server.always(Self.success, to: Self.path)
            let text = (0..<100_000).map { "user-\($0)\r" }.joined()
            let result = await upload(server, "--add", try file("vip.csv", text))
            #expect(result.output.contains("100,000 lines in 2 requests"), "\(result)")
            let bodies = try server.requests(to: Self.path).map { String(decoding: $0.body, as: UTF8.self) }
            #expect(bodies.joined() == text.replacing("\r", with: "\n"))
        }

        @Test func aSegmentThatNoAudienceNamesIsPointedOut() async throws {
            let server = try LoopbackServer()
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
            let server = try LoopbackServer()
            try server.always(Self.success, to: Self.path)
            let file = try file("vip.txt", "{\"user_id\": \"ada\"}\n\"grace\"")
            let result = await upload(
                server, "--add", "--format", "ndjson", "--token", "other", "-",
                environment: ["TURNOUT_TOKEN": "s3cret"], input: file)
            #expect(result.output.contains("2 lines in 1 request"))
            let request = try #require(try server.requests(to: Self.path).first)
            #expect(request.target == Self.path && request.headers["content-type"] == "application/x-ndjson")
            #expect(request.headers["authorization"] == "Bearer other")
        }

        @Test func aFileWithoutUsersIsRefused() async throws {
            let server = try LoopbackServer()
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
            let server = try LoopbackServer()
            try server.always(.json("<html>Log in</html>"), to: Self.path)
            let result = await upload(server, try file("vip.csv", "ada\n"), exitCode: 1)
            #expect(result.errors.contains("not the content that a turnout server sends"))
        }

        @Test func aFailureOfTheServerIsRepeated() async throws {
            let server = try LoopbackServer()
            try server.always(Self.success, to: Self.path)
            try server.reply(to: Self.path, with: .status(503))
            let result = await upload(server, try file("vip.csv", "ada\n"))
            #expect(result.output.contains("1 line in 2 requests, 1 of them again and "))
            // The first request may have changed the list before it failed.
            #expect(result.output.hasSuffix(": at least 2 added, at least 1 removed\n"))
            #expect(result.errors.contains("the server answered with status 503; trying again in "))
            #expect(try server.requests(to: Self.path).allSatisfy { $0.target.hasSuffix("?replace=true") })
        }

        @Test func aRefusalIsExplained() async throws {
            let server = try LoopbackServer()
            try server.reply(
                to: Self.path, with: .status(400, body: Array(#"{"error":"line 2: x; nothing was changed"}"#.utf8)))
            let file = try file("vip.csv", "ada\n")
            let result = await upload(server, file, exitCode: 1)
            #expect(result.errors.contains("400: line 2: x; nothing was changed"))
            try server.reply(to: Self.path, with: .status(401))
            #expect(await upload(server, file, exitCode: 1).errors.contains("Set TURNOUT_TOKEN"))
            #expect(try server.requests(to: Self.path).count == 2)
            #expect(await upload(server, folder.path + "/vip.xml", exitCode: 2).errors.contains("--format"))
        }

        @Test(.thorough, arguments: ["csv", "ndjson"])
        func aLineThatIsTooLongLeavesTheListAlone(format: String) async throws {
            let server = try LoopbackServer()
            try server.always(Self.success, to: Self.path)
            let file = try file("vip." + format, "\"ada\"\n" + String(repeating: "a", count: 16 << 20) + "\n")
            let result = await upload(server, file, exitCode: 1)
            #expect(result.errors.contains("vip.\(format):2: the line has more than 15,728,640 bytes\n"))
            #expect(result.errors.contains(format == "csv" ? "one user per line" : "one string per line"))
            #expect(try server.requests(to: Self.path).isEmpty)
        }

        @Test(arguments: [
            "flags.example.com", "ftp://127.0.0.1", "http://flags.example.com", "https://a@b", "https://a?b",
        ])
        func anAddressThatCannotBeUsedIsRefused(address: String) async throws {
            let result = await RunTool.output(
                of: ["segments", "upload", "--server", address, "--list", "vip", "vip.csv"], exitCode: 2)
            #expect(result.errors.contains("--server cannot be "))
            #expect(!result.errors.contains("a@b"))
        }

        @Test func aTokenThatCannotBeSentIsNotTriedAgain() async throws {
            let server = try LoopbackServer()
            let result = await upload(server, "--token", "a\nb", try file("vip.csv", "ada\n"), exitCode: 1)
            #expect(result.errors.contains("header") && !result.errors.contains("trying again"))
        }

        @Test(.thorough) func aLargeFileIsSentInParts() async throws {
            let server = try LoopbackServer()
            try server.always(Self.success, to: Self.path)
            let text = (0..<2_000_000).map { "user-\($0)\n" }.joined()
            let result = await upload(server, try file("all.csv", text))
            #expect(result.output.contains("2,000,000 lines in 2 requests"))
            let requests = try server.requests(to: Self.path)
            let first = try #require(requests.first?.target)
            #expect(first.hasPrefix(Self.path + "?upload=") && first.hasSuffix("&part=1"))
            #expect(requests.last?.target == first.dropLast() + "2&last=true")
            #expect(requests.reduce(into: Data()) { $0 += Data($1.body) } == Data(text.utf8))
        }

        @Test(.thorough, arguments: [("upload", "Another upload"), ("limit", "segments.maximum_users")])
        func aLargeFileThatIsRefusedLeavesTheListAsItWas(code: String, advice: String) async throws {
            let server = try LoopbackServer()
            let refusal = Reply.status(409, body: Array(#"{"error":"no","code":"\#(code)"}"#.utf8))
            try server.always(refusal, to: Self.path)
            try server.reply(to: Self.path, with: Self.success)
            let text = (0..<2_000_000).map { "user-\($0)\n" }.joined()
            let result = await upload(server, try file("all.csv", text), exitCode: 1)
            #expect(result.errors.contains("409: no"), "\(result.errors)")
            #expect(result.errors.contains("; the list is as it was"), "\(result.errors)")
            #expect(result.errors.contains(advice), "\(result.errors)")
            // The last part may have arrived before.
            try server.reply(to: Self.path, with: Self.success)
            try server.reply(to: Self.path, with: .status(503))
            let repeated = await upload(server, try file("all.csv", text), exitCode: 1)
            #expect(repeated.errors.contains("; the list has been replaced, or is as it was"), "\(repeated.errors)")
        }
    }
#endif
