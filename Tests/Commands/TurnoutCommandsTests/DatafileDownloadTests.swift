import LoopbackServer

/// `--url` and `--sdk-key`: datafiles from a server, and the copies that are kept.
@Suite struct DatafileDownloadTests {
    private let cache = TemporaryDirectory()
    private let server: LoopbackServer
    private static let path = "/k.json"
    private var address: String { server.address + Self.path }

    init() throws {
        server = try LoopbackServer()
        try publish(ImpactDatafile(), etag: "\"1\"")
    }

    private func publish(_ datafile: ImpactDatafile, etag: String? = nil) throws {
        try server.publish(datafile: Array(datafile.text.utf8), path: Self.path, etag: etag)
    }

    /// Decides with the datafile of the server.
    private func decide(_ arguments: [String] = [], exitCode: Int32 = 0) async -> (output: String, errors: String) {
        await run(["decide", "--url", address, "--user", "ada", "-o", "ndjson"] + arguments, exitCode)
    }

    private func run(_ line: [String], _ exitCode: Int32 = 0) async -> (output: String, errors: String) {
        await RunTool.output(of: line, exitCode: exitCode, environment: ["XDG_CACHE_HOME": cache.path])
    }

    private func requestedTags() throws -> [String?] {
        try server.requests(to: Self.path).map { $0.headers["if-none-match"] }
    }

    @Test func aCopyIsKeptAndRevalidated() async throws {
        let first = await decide()
        #expect(first.output.contains("flag_1") && !first.errors.contains("turnout:"), "\(first.errors)")
        let second = await decide()
        #expect(second.output == first.output && !second.errors.contains("turnout:"))
        #expect(try requestedTags() == [nil, "\"1\""])
        // A new datafile replaces the copy.
        var new = ImpactDatafile()
        new.flags = [.init(2)]
        try publish(new, etag: "\"2\"")
        #expect(await decide().output.contains("flag_2"))
        _ = await decide()
        #expect(try requestedTags() == [nil, "\"1\"", "\"1\"", "\"2\""])
        // Other users of the machine cannot read it.
        let attributes = try FileManager.default.attributesOfItem(atPath: cache.path + "/turnout/turnout.sqlite")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: ["no server", "503", "not a datafile"])
    func theCopyIsUsedWithAWarningWhileTheNetworkFails(failure: String) async throws {
        let first = await decide()
        switch failure {
        case "no server": server.stop()
        case "503": try server.always(.status(503), to: Self.path)
        default: try server.always(.json("<html>Log in to this network</html>"), to: Self.path)
        }
        let second = await decide()
        #expect(second.output == first.output)
        let warning = "turnout: warning: the datafile cannot be downloaded: "
        #expect(second.errors.contains(warning), "\(second.errors)")
        let age = "; the copy that is used instead is less than a minute old\n"
        #expect(second.errors.contains(age), "\(second.errors)")
        for line in [["inspect"], ["explain", "--user", "ada"]] {
            let result = await run(line + ["--url", address])
            #expect(result.errors.contains(age) && !result.output.isEmpty)
        }
    }

    @Test func aRefusalIsAnErrorAlsoWithACopy() async throws {
        _ = await decide()
        try server.always(.status(403), to: Self.path)
        let result = await decide(exitCode: 1)
        #expect(result.errors.contains("responded with 403") && !result.output.contains("flag_1"), "\(result.errors)")
    }

    @Test func copiesOfOtherAddressesAndKeysAreNotUsed() async throws {
        _ = await decide()
        server.stop()
        let other = ["--url", server.address + "/other.json"]
        let result = await run(["inspect"] + other, 1)
        #expect(result.errors.contains("cannot be downloaded"), "\(result.errors)")
        let key = await run(["inspect", "--url", address, "--sdk-key", "k"], 1)
        #expect(key.errors.contains("cannot be downloaded"), "\(key.errors)")
    }

    @Test func anotherProjectOfTheServerIsAccepted() async throws {
        let line = ["inspect", "--url", server.address + "/{sdkKey}.json", "--sdk-key", "k"]
        _ = await run(line)
        let other = ImpactDatafile().text.replacing("\"projectId\": \"P\"", with: "\"projectId\": \"Q\"")
            .replacing("flag_1", with: "flag_of_q")
        try server.publish(datafile: Array(other.utf8), path: Self.path, etag: "\"q\"")
        for _ in 1...2 {
            let result = await run(line)
            #expect(result.output.contains("flag_of_q") && !result.errors.contains("turnout:"), "\(result.errors)")
        }
    }

    @Test func aCacheThatCannotBeOpenedIsReportedAndNotNeeded() async throws {
        try Data().write(to: cache.url)
        let result = await decide()
        #expect(result.output.contains("flag_1"))
        #expect(result.errors.contains("turnout: warning: no copy of the datafile is used or kept: "))
        #expect(await !decide(["--no-cache"]).errors.contains("turnout:"))
    }

    @Test func withoutCacheNothingIsKeptOrUsed() async throws {
        for _ in 1...2 { #expect(await !decide(["--no-cache"]).errors.contains("turnout:")) }
        #expect(try requestedTags() == [nil, nil])
        #expect(!FileManager.default.fileExists(atPath: cache.path))
        _ = await decide()
        server.stop()
        #expect(await decide(["--no-cache"], exitCode: 1).errors.contains("connection refused"))
    }

    @Test func anAddressForKeysNeedsAKey() async throws {
        let result = await run(["inspect", "--url", server.address + "/{sdkKey}.json"], 2)
        #expect(result.errors.contains("--sdk-key KEY is missing"))
    }
}
