import LoopbackServer

@testable import TurnoutServer

@Suite("turnout serve")
struct ServeCommandTests {
    private static let datafile =
        URL(filePath: #filePath).appending(path: "../../../../../Examples/Shop/datafile.json").standardized.path

    private let folder = TemporaryDirectory(isCreated: true)

    @Test func theConfigurationIsPrintedWithItsSources() async {
        let text = await RunTool.output(of: [
            "serve", "--flags", "flags.yaml", "--port", "9090", "--set", "upstream_token=hunter2", "--set",
            "access.allowed_hosts=a,.b", "--print-configuration",
        ]).output
        #expect(text.contains("flags: flags.yaml                       # --flags\n"))
        #expect(text.contains("port: 9090                              # --port\n"))
        #expect(text.contains("upstream_token: \"****\"                  # --set upstream_token\n"))
        #expect(text.contains("allowed_hosts: [a, \".b\"]"))
        #expect(!text.contains("hunter2"))
    }

    @Test func thePrintedConfigurationIsAFile() async throws {
        let file = folder.path + "/server.yaml"
        let text = await RunTool.output(of: ["serve", "--port", "9090", "--print-configuration"]).output
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let again = await RunTool.output(of: ["serve", "--config", file, "--print-configuration"]).output
        #expect(again.contains("port: 9090"))
        let values = { (text: String) in text.split(separator: "\n").map { $0.prefix { $0 != "#" } } }
        #expect(values(again).map { $0.filter { $0 != " " } } == values(text).map { $0.filter { $0 != " " } })
    }

    @Test func routesArePrintedWithTheirAccess() async {
        let text = await RunTool.output(of: ["serve", "--routes"]).output
        let lines = text.split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        #expect(lines.contains { $0.starts(with: ["GET", "/health", "all"]) })
        #expect(lines.contains { $0.starts(with: ["GET", "/metrics", "token:", "read"]) })
        #expect(lines.contains { $0.starts(with: ["POST", "/v1/decide", "clients"]) })
        #expect(lines.contains { $0.starts(with: ["POST", "/v3/graphql", "clients"]) })
        #expect(lines.contains { $0.starts(with: ["PUT", "/segments/{segment}/users", "token:", "flags"]) })
    }

    @Test(arguments: [
        (["--port", "http"], 1, "option --port: expected a whole number from 0 to 65535"),
        (["--set", "limit.streams=5"], 1, "there is no such setting"),
        (["--flags", "/nonexistent"], 1, "/nonexistent: cannot be opened"),
        (["--flags", datafile, "--set", "environment=production"], 1, "an environment can only be chosen"),
        (["--flags", datafile, "--token-file", datafile], 1, "expected a mapping \"tokens\""),
        (["--flags", datafile, "--set", "tls.certificate=/x"], 1, "tls.private_key"),
        ([], 2, "--flags PATH or --datafiles FOLDER or --upstream ADDRESS or --hub ADDRESS is missing"),
    ]) func aMistakeIsExplained(options: [String], exitCode: Int32, message: String) async {
        let errors = await RunTool.output(of: ["serve"] + options, exitCode: exitCode).errors
        #expect(errors.contains(message))
    }

    @Test func aServerReloadsAndStopsOnSignals() async throws {
        let path: String = folder.path
        try FileManager.default.copyItem(atPath: Self.datafile, toPath: path + "/shop.json")
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            [path = path as String] in
            try await serve(["--datafiles", path, "--set", "rollouts=\(path)/r"]) {
                try operate($0, file: path + "/shop.json")
            }
        }
        let log = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(log.contains("info listening host=127.0.0.1"))
        #expect(log.contains("info reading all files again"))
        #expect(log.contains("shop.json") && log.contains("the datafiles served before stay in use"))
        #expect(log.hasSuffix("info stopped\n"))
    }

    /// The log of a server that serves the flags of a folder, and is stopped when it listens.
    private func log(_ options: [String] = [], in folder: String? = nil) async throws -> String {
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            [options, folder] in
            if let folder { try #require(chdir(folder) == 0) }
            try await serve(options) { port in
                try waitBlocking("a server that listens") {
                    answer(to: "/health", port)?.hasPrefix("HTTP/1.1 200") == true
                }
                kill(getpid(), SIGTERM)
            }
        }
        return String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func aServerWithoutAFolderOfItsOwnLeavesNothing() async throws {
        let text = try await log(["--flags", Self.datafile])
        let folder = try #require(text.firstMatch(of: /lists of users are in (\/\S+), which is deleted then/)?.1)
        #expect(!FileManager.default.fileExists(atPath: String(folder)))
        #expect(text.contains("--data FOLDER keeps them"))
        #expect(!text.contains(" error "), "\(text)")
    }

    @Test func sdkKeysWithoutAnotherServerAreTold() async throws {
        #expect(
            try await log(["--flags", Self.datafile, "--sdk-keys", "a"]).contains(
                "warning sdk_keys has no effect without upstream"))
    }

    @Test func aFolderOfDatafilesServesNothingElse() async throws {
        for option in ["--flags", "--datafiles"] {
            let empty = try await log([option, folder.path])
            #expect(empty.contains("warning \(folder.path): has no datafile"), "\(empty)")
            #expect(empty.contains("datafiles=0"))
        }
        try FileManager.default.copyItem(atPath: Self.datafile, toPath: folder.path + "/shop.json")
        for (name, text) in [("users.json", #"{"users": []}"#), ("server.yaml", "port: 8080\n")] {
            try text.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
        }
        let text = try await log(["--flags", folder.path])
        #expect(text.contains("datafiles=1"))
        let unused = "\(folder.path): not served, because not a datafile: users.json, server.yaml"
        #expect(text.contains(unused), "\(text)")
        try FileManager.default.copyItem(atPath: Self.datafile, toPath: folder.path + "/shop2.json")
        let errors = await RunTool.output(of: ["serve", "--flags", folder.path], exitCode: 1).errors
        #expect(errors.contains("\(folder.path)/shop2.json: has the SDK key of shop.json"), "\(errors)")
    }

    @Test func namesOfFilesThatAreNotTheirKeysAreTold() async throws {
        try FileManager.default.copyItem(atPath: Self.datafile, toPath: folder.path + "/shop.json")
        let text = try await log(["--datafiles", folder.path])
        #expect(text.contains("other ones are in shop.json: clients with those are refused"), "\(text)")
    }

    @Test func aSecondServerOnAFolderDoesNotStart() async throws {
        let folder = TemporaryDirectory()
        let first = ServerStorage(directory: folder.path, messages: .silent)
        let options = ["--flags", Self.datafile, "--data", folder.path, "--port", "0"]
        let errors = await RunTool.output(of: ["serve"] + options, exitCode: 1).errors
        #expect(errors.contains("\(folder.path): another process has it open"), "\(errors)")
        await first.close()
    }

    @Test func datafilesAtHandAreServed() async throws {
        let (code, missing) = (Int32(2), "This folder has neither flags.yaml, which `turnout init` writes, nor")
        #expect(await RunTool.output(of: ["serve"], exitCode: code, in: folder.path).errors.contains(missing))
        let datafiles = folder.path + "/datafiles"
        try FileManager.default.createDirectory(atPath: datafiles, withIntermediateDirectories: true)
        #expect(await RunTool.output(of: ["serve"], exitCode: code, in: folder.path).errors.contains(missing))
        try FileManager.default.copyItem(atPath: Self.datafile, toPath: datafiles + "/production.json")
        let text = try await log(in: folder.path)
        #expect(text.contains("info serves datafiles, because --flags is not given"), "\(text)")
        #expect(text.contains("serving revision 42") && text.contains("datafiles=1"), "\(text)")
    }

    @Test func aFolderServesTheProjectFileThatItGetsLater() async throws {
        let (folder, source) = (TemporaryDirectory(isCreated: true), TemporaryDirectory(isCreated: true))
        _ = await RunTool.output(of: ["init", source.path])
        await #expect(processExitsWith: .exitCode(0)) {
            [folder = folder.path as String, source = source.path as String] in
            try await serve(["--flags", folder]) { port in
                try waitBlocking("a server without flags") {
                    answer(to: "/ready", port)?.hasPrefix("HTTP/1.1 503") == true
                }
                try FileManager.default.copyItem(atPath: source + "/flags.yaml", toPath: folder + "/flags.yaml")
                try rename("checkout", to: "payment", in: folder + "/flags.yaml", port)
            }
        }
    }

    @Test func aFolderWithAProjectFileIsThatProject() async throws {
        let shop = (Self.datafile as NSString).deletingLastPathComponent
        let text = try await log(["--flags", shop])
        let found = "info \(shop): serving its project file flags.yaml; not used: datafile.json"
        #expect(text.contains(found), "\(text)")
        #expect(text.contains("datafiles=1"))
    }

    @Test func aRevokedTokenIsRefusedAfterTheReload() async throws {
        let tokens = folder.path + "/tokens.json"
        // The SHA-256 of "old".
        try Self.tokens("cba06b5736faf67e54b07b561eae94395e774c517a7d910a54369e1263ccfbd4")
            .write(toFile: tokens, atomically: true, encoding: .utf8)
        await #expect(processExitsWith: .exitCode(0)) {
            [tokens = tokens as String, datafile = Self.datafile as String] in
            try await serve(["--flags", datafile, "--token-file", tokens]) { try revoke($0, tokens) }
        }
    }

    @Test func savedAssignmentsReplaceThoseInTheFile() async throws {
        let data: String = folder.path
        await #expect(processExitsWith: .exitCode(0)) { [data = data as String, datafile = Self.datafile as String] in
            try await serve(["--flags", datafile, "--data", data, "--set", "access.profile_routes=true"]) {
                try save($0, answersTo: data + "/answers")
            }
        }
        let answers = try String(contentsOfFile: data + "/answers", encoding: .utf8).split(separator: "\n")
        #expect(answers.first == #"{"userId":"bob","experimentBucketMap":{"4101":{"variation_id":"41012"}}}"#)
        #expect(answers.last == #"{"userId":"bob","experimentBucketMap":{}}"#)
    }

    @Test func aFullDiskIsVisible() async throws {
        let folder = TemporaryDirectory()
        await #expect(processExitsWith: .exitCode(0)) {
            [data = folder.path as String, datafile = Self.datafile as String] in
            try await serve(["--flags", datafile, "--data", data]) { try decideOnAFullDisk($0) }
        }
        #expect(try String(contentsOfFile: folder.path + "/.gitignore", encoding: .utf8) == "*\n")
    }

    fileprivate static func tokens(_ hash: String) -> String {
        #"{"tokens": {"ci": {"sha256": "\#(hash)", "scopes": ["read"]}}}"#
    }

    @Test func anUpstreamThatHangsDoesNotDelayThePort() async throws {
        let upstream = try LoopbackServer()
        await #expect(processExitsWith: .exitCode(0)) { [address = upstream.address as String] in
            try await serve(["--upstream", address + "/never", "--sdk-keys", "a"]) { port in
                try waitBlocking("a server that is not ready") {
                    answer(to: "/ready", port)?.contains("being downloaded from the other server") == true
                }
                kill(getpid(), SIGTERM)
            }
        }
    }

    @Test func aTraceIsPassedOnToUpstream() async throws {
        let upstream = try LoopbackServer()
        let datafile = try String(contentsOfFile: Self.datafile, encoding: .utf8)
        try upstream.reply(to: "/ShopDemoSdkKey.json", with: .body(Array(datafile.utf8)))
        try upstream.always(.body(Array(withRevision43(datafile).utf8)), to: "/ShopDemoSdkKey.json")
        let address = upstream.address + "/{sdkKey}.json"
        await #expect(processExitsWith: .exitCode(0)) { [address = address as String] in
            try await serve(["--upstream", address, "--set", "polling_interval=1s"]) { port in
                let trace = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
                try waitBlocking("the datafile") {
                    answer(to: "/datafiles/ShopDemoSdkKey.json", port, trace)?.hasPrefix("HTTP/1.1 200") == true
                }
                // Polling is not a part of that trace.
                try waitForRevision43(port)
                kill(getpid(), SIGTERM)
            }
        }
        let traces = try upstream.requests(to: "/ShopDemoSdkKey.json").map { $0.headers["traceparent"] }
        #expect(traces.first??.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") == true)
        #expect(traces.count > 1 && traces.dropFirst().allSatisfy { $0 == nil })
    }

    @Test func aBrokenEditIsReportedWithItsLinesOnce() async throws {
        let project = folder.path + "/flags.yaml"
        _ = await RunTool.output(of: ["init", folder.path])
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            [project = project as String] in
            try await serve(["--flags", project, "--set", "log.format=json"]) { try breakProject($0, project) }
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("{") }, "\(lines)")
        #expect(lines.count { $0.contains("[unknown-key]") } == 1)
        #expect(lines.contains { $0.contains("1 error; the datafiles served before stay in use") })
        #expect(lines.contains { $0.contains("can be used again") })
    }

    @Test func aServerSaysThatTheLockOfItsProjectIsMissing() async throws {
        let project = folder.path + "/flags.yaml"
        _ = await RunTool.output(of: ["init", folder.path])
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            [project = project as String] in
            try await serve(["--flags", project]) { try rename("checkout", to: "payment", in: project, $0) }
        }
        let log = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        // Once, and not after each edit.
        let notes = log.split(separator: "warning \(project): has no turnout.lock beside it")
        #expect(notes.count == 2, "\(log)")
    }
}

/// Serves beside the steps of a test, which get the port, and ends the process.
private func serve(_ options: [String], beside steps: @escaping @Sendable (Int) throws -> Void) async throws {
    StandardStream.reserve()
    let port = try TestSocket.listening().port
    beside { try steps(port) }
    exit(await Tool.run(["serve", "--port", "\(port)", "--set", "shutdown.delay=0"] + options))
}

/// The answer of a server, or nil if it does not listen.
private func answer(
    to path: String, _ port: Int, _ header: String = "Accept: */*", posting body: String? = nil
) -> String? {
    guard let socket = try? TestSocket.connected(to: port) else { return nil }
    var head = "\(body == nil ? "GET" : "POST") \(path) HTTP/1.1\r\nHost: localhost\r\n\(header)"
    head += "\r\nConnection: close"
    if let body { head += "\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)" }
    socket.write(Array("\(head)\r\n\r\n\(body ?? "")".utf8))
    var answer = ""
    while socket.isReadable(within: 5_000) {
        let bytes = socket.read()
        if bytes.isEmpty { break }
        answer += String(decoding: bytes, as: UTF8.self)
    }
    return answer
}

private func withRevision43(_ datafile: String) -> String {
    datafile.replacing("\"revision\": \"42\"", with: "\"revision\": \"43\"")
}

private func waitForRevision43(_ port: Int) throws {
    try waitBlocking("revision 43") { answer(to: "/metrics", port)?.contains("revision=\"43\"") == true }
}

private func waitUntilReady(_ port: Int) throws {
    try waitBlocking("a server that is ready") { answer(to: "/ready", port)?.hasPrefix("HTTP/1.1 200") == true }
}

/// Waits for a server in this process, and saves a user's assignments, then none. Writes what it then knows to a
/// file.
private func save(_ port: Int, answersTo file: String) throws {
    try waitUntilReady(port)
    let post = { answer(to: $0, port, "X-Optimizely-SDK-Key: ShopDemoSdkKey", posting: $1) ?? "" }
    let known = { post("/v1/lookup", #"{"userId": "bob"}"#).split(separator: "\r\n").last ?? "" }
    var answers: [Substring] = []
    for assignments in [#""4101": {"variation_id": "41012"}"#, ""] {
        _ = post("/v1/save", #"{"userId": "bob", "experimentBucketMap": {\#(assignments)}}"#)
        answers.append(known())
    }
    try answers.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    kill(getpid(), SIGTERM)
}

/// Waits for a server in this process, lets no file grow, and decides, until the server says that it cannot store
/// assignments.
private func decideOnAFullDisk(_ port: Int) throws {
    try waitUntilReady(port)
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 1, rlim_max: .max)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    let user = #"{"userId": "ada", "userAttributes": {"country": "US", "orders": 12}}"#
    let key = "X-Optimizely-SDK-Key: ShopDemoSdkKey"
    let decision = answer(to: "/v1/decide?keys=checkout_redesign", port, key, posting: user)
    #expect(decision?.contains("one_page") == true)
    try waitBlocking("the problem of the store") {
        answer(to: "/ready", port)?.contains(#""profiles":"standard: "#) == true
    }
    #expect(answer(to: "/metrics", port)?.contains(#"assignments_waiting{store="standard"} 1"#) == true)
    kill(getpid(), SIGTERM)
}

/// Waits for a server in this process, and replaces its management token.
private func revoke(_ port: Int, _ file: String) throws {
    let status = { (token: String) in answer(to: "/status", port, "Authorization: Bearer " + token)?.dropFirst(9) }
    try waitBlocking("the old token to be accepted") { status("old")?.hasPrefix("200") == true }
    // The SHA-256 of "new".
    try ServeCommandTests.tokens("11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437")
        .write(toFile: file, atomically: true, encoding: .utf8)
    kill(getpid(), SIGHUP)
    try waitBlocking("only the new token to be accepted") {
        status("old")?.hasPrefix("401") == true && status("new")?.hasPrefix("200") == true
    }
    kill(getpid(), SIGTERM)
}

/// Waits for a server in this process, and makes a mistake in its project, until the status tells of it.
private func breakProject(_ port: Int, _ project: String) throws {
    try waitUntilReady(port)
    let text = try String(contentsOfFile: project, encoding: .utf8)
    try ("paint: red\n" + text).write(toFile: project, atomically: true, encoding: .utf8)
    let wanted = #""code":"unknown-key","column":1,"file":"\#(project)","line":1,"message":"unknown key"#
    try waitBlocking("the mistake in the status") {
        answer(to: "/status", port)?.replacing("\\/", with: "/").contains(wanted) == true
    }
    try text.write(toFile: project, atomically: true, encoding: .utf8)
    try waitBlocking("the correction") {
        answer(to: "/metrics", port)?.contains("turnout_datafile_sources_failing 0\n") == true
    }
    kill(getpid(), SIGTERM)
}

/// Waits for a server in this process, and renames a flag, until it is served.
private func rename(_ flag: String, to name: String, in project: String, _ port: Int) throws {
    try waitUntilReady(port)
    let text = try String(contentsOfFile: project, encoding: .utf8)
    try text.replacing(flag, with: name).write(toFile: project, atomically: true, encoding: .utf8)
    try waitBlocking("the new name") { answer(to: "/datafiles/shop_production.json", port)?.contains(name) == true }
    kill(getpid(), SIGTERM)
}

/// Waits for a server in this process, changes its datafile, and sends the signals of an operator.
private func operate(_ port: Int, file: String) throws {
    try waitUntilReady(port)
    // A folder that did not exist at the start.
    let rollouts = (file as NSString).deletingLastPathComponent + "/r"
    try FileManager.default.createDirectory(atPath: rollouts, withIntermediateDirectories: true)
    try #"{"exp": {"Variants": {"a": 1}}}"#.write(toFile: rollouts + "/app.plist", atomically: true, encoding: .utf8)
    try waitBlocking("the new rollout") { answer(to: "/rollouts/app.plist", port)?.contains("Variants") == true }
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try withRevision43(text).write(toFile: file, atomically: true, encoding: .utf8)
    kill(getpid(), SIGHUP)
    try waitForRevision43(port)
    try "garbage".write(toFile: file, atomically: true, encoding: .utf8)
    kill(getpid(), SIGHUP)
    // Signals of different kinds may overtake each other.
    try waitBlocking("the mistake in the metrics") {
        answer(to: "/metrics", port)?.contains("turnout_datafile_sources_failing 1\n") == true
    }
    kill(getpid(), SIGTERM)
}
