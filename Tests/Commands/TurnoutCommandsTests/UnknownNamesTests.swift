/// A misspelt attribute has no effect, and no output would show it.
@Suite("Attributes and segments that a datafile does not know are named")
struct UnknownNamesTests {
    private static let datafile = URL(filePath: #filePath)
        .appending(path: "../../../../Examples/Shop/datafile.json").standardized.path

    @Test(arguments: ["decide", "explain"]) func ofOneUser(command: String) async throws {
        let line = [command, "-d", Self.datafile, "-u", "ada"]
        let result = await RunTool.output(of: line + ["-a", "contry=US", "-a", "$opt_user_agent=x", "--segment", "b"])
        #expect(
            result.errors.hasPrefix(
                "turnout: warning: the datafile has no attribute \"contry\"; known are app_version, "),
            "\(result.errors)")
        #expect(result.errors.contains("\n  Did you mean \"country\"?\n"))
        #expect(result.errors.contains("warning: no audience of the datafile names the segment \"b\""))
        #expect(!result.errors.contains("$opt_user_agent"))
        let known = await RunTool.output(of: line + ["-a", "country=US"])
        #expect(!known.errors.contains("warning"), "\(known.errors)")
        #expect(!result.output.contains("warning"))
    }

    @Test(arguments: [
        (["decide", "-d", datafile], "datafile has"), (["impact", datafile, datafile], "datafiles have"),
    ]) func ofAFileOfUsers(line: [String], datafiles: String) async throws {
        let folder = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let users = folder.path + "/users.ndjson"
        let lines = (0..<3_000).map {
            #"{"user": "u\#($0)", "attributes": {"contry": "US", "x\#($0)": 1}, "segments": ["b"]}"#
        }
        try lines.joined(separator: "\n").write(toFile: users, atomically: true, encoding: .utf8)
        let errors = await RunTool.output(of: line + ["-f", "checkout_redesign", "--users", users]).errors
        #expect(
            errors.hasPrefix(
                "turnout: warning: the \(datafiles) no attribute \"contry\", which 3,000 users have; known are "),
            "\(errors.prefix(300))")
        #expect(errors.contains(" names the segment \"b\", which 3,000 users have; "))
        // The number of names is limited.
        #expect(errors.split(separator: "\n").count { $0.contains(" no attribute ") } == 100)
        #expect(errors.contains("the same is true of further names, which occur 2,901 times\n"))
    }
}
