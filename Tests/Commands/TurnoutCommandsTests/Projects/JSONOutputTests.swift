/// `--output json` prints one object, whose members are explained by `--help`, the manual and a page.
@Suite struct JSONOutputTests {
    private let directory = TemporaryDirectory(isCreated: true)
    private var folder: String { directory.path }
    private var project: String { folder + "/flags.yaml" }

    /// The JSON that a command line prints. All of its members must be explained.
    private func json(_ line: String..., exitCode: Int32 = 0) async throws -> JSONValue {
        let result = await RunTool.output(of: line + ["--output", "json"], exitCode: exitCode)
        #expect(!result.errors.contains("turnout"))
        let value = try JSONValue(parsing: result.output)
        let help = await RunTool.output(of: [line[0], "--help"]).output
        let explained = Set(
            try #require(help.components(separatedBy: "Members of the JSON:\n").last).split { !$0.isLetter })
        var names: Set<String> = []
        Self.collectNames(in: value, to: &names)
        for name in names { #expect(explained.contains(Substring(name)), "\(line[0]): \(name)") }
        return value
    }

    private static func collectNames(in value: JSONValue, to names: inout Set<String>) {
        switch value {
        case .array(let elements): for element in elements { collectNames(in: element, to: &names) }
        case .object(let members):
            names.formUnion(members.keys)
            for member in members.values { collectNames(in: member, to: &names) }
        default: break
        }
    }

    private func elements(_ value: JSONValue?) throws -> [JSONValue] {
        guard case .array(let elements)? = value else { throw CommandError("expected a list") }
        return elements
    }

    @Test func commandsThatWriteFilesSayWhich() async throws {
        #expect(try await json("init", folder)["file"] == .string(project))
        let first = try await json("compile", project)
        #expect(try elements(first["files"]).map { $0["isCurrent"] } == Array(repeating: .bool(false), count: 3))
        #expect(try elements(first["files"])[1]["environment"] == .string("production"))
        #expect(try elements(first["files"])[1]["revision"] == .integer(1))
        let checked = try await json("compile", project, "--check")
        #expect(try elements(checked["files"]).allSatisfy { $0["isCurrent"] == .bool(true) })
        let path = "checkout.rules.checkout_ab.traffic"
        #expect(try await json("set", path, "60%", "-p", project)["isChanged"] == .bool(true))
        #expect(try await json("set", path, "60%", "-p", project)["isChanged"] == .bool(false))
        let promoted = try await json("promote", "development", "production", "-p", project)
        #expect(promoted["flags"] == .array([.string("checkout")]))
        let stale = try await json("compile", project, "--check", exitCode: 3)
        #expect(try elements(stale["files"])[1]["isCurrent"] == .bool(false))
        let imported = try await json("import", folder + "/datafiles/production.json", "--into", folder + "/other")
        #expect(try elements(imported["files"]).count == 2)
    }

    @Test func commandsThatReadFilesSayWhatTheyFound() async throws {
        _ = try await json("init", folder)
        _ = try await json("compile", project)
        let datafile = folder + "/datafiles/production.json"
        let flags = try elements(try await json("inspect", "-d", datafile)["flags"])
        #expect(flags.map { $0["key"] } == [.string("checkout")])
        #expect(try elements(flags[0]["rules"])[0]["audience"] == .string("\"paying\""))
        let text = try String(contentsOfFile: project, encoding: .utf8)
        try Data((text + "groups: {g: {traffic: {}}}\n").utf8).write(to: URL(filePath: folder + "/new.yaml"))
        _ = try await json("lint", folder + "/new.yaml")
        let changes = try elements(try await json("diff", project, folder + "/new.yaml")["changes"])
        #expect(changes.count == 1)
    }

    @Test func aPlanIsNumbersAndAMemberOfTheProjectFile() async throws {
        let line = ["--base-rate", "20%", "--effect", "+5pp", "--per-day", "300"]
        let plan = try await json("plan", line[0], line[1], line[2], line[3], line[4], line[5])
        #expect(plan["fixed"]?["perArm"] == .integer(1_091) && plan["fixed"]?["visitors"] == .integer(2_182))
        #expect(plan["sequential"]?["visitors"] == .integer(3_710) && plan["sequential"]?["days"] == .integer(13))
        #expect(plan["before"] == .double(0.2) && plan["after"] == .double(0.25))
        #expect(plan["plan"] == .string("plan: {visitors: 3710, per_day: 300}"))
    }

    @Test func filesOnStandardOutputExcludeJSON() async throws {
        for line in [["init", "--ci", "github"], ["compile", "-e", "production"]] {
            let errors = await RunTool.output(of: line + ["--output", "json"], exitCode: 2).errors
            #expect(errors.contains("and --output json exclude each other"))
        }
    }

    /// The tables of the page are those of the commands. With `TURNOUT_WRITE_PAGES` set, this test writes them.
    @Test func thePageExplainsAllMembers() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
        let page = root.appending(path: "Documentation/Guides/JSONForPrograms.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let tables = Tool.syntax.commands.filter { !$0.json.isEmpty }.map { command in
            let rows = command.json.map { "| `\($0.text)` | \($0.meaning) |\n" }
            return "\n## turnout \(command.name)\n\n| Member | Value |\n| --- | --- |\n" + rows.joined()
        }
        let expected = text.components(separatedBy: "\n## turnout ")[0] + tables.joined()
        if ProcessInfo.processInfo.environment["TURNOUT_WRITE_PAGES"] != nil {
            try Data(expected.utf8).write(to: page)
        } else {
            #expect(text == expected, "run this test with TURNOUT_WRITE_PAGES=1")
        }
    }
}
