/// The commands print for the example project what the files beside it contain.
@Suite(.blocking) struct ExampleCommandTests {
    private static let shop = URL(filePath: #filePath).appending(path: "../../../../Examples/Shop").standardized.path

    private static func contents(of name: String) throws -> String {
        try String(contentsOfFile: shop + "/" + name, encoding: .utf8)
    }

    @Test func decidePrintsTheDecisionsOfAllUsers() async throws {
        let decisions = await RunTool.output(of: [
            "decide", "--datafile", Self.shop + "/datafile.json", "--users", Self.shop + "/users.ndjson",
            "--profiles", Self.shop + "/profiles.json", "--output", "table",
        ]).output
        #expect(try decisions == Self.contents(of: "decisions.txt"))
    }

    @Test func inspectDescribesTheProject() async throws {
        let report = await RunTool.output(of: ["inspect", "--datafile", Self.shop + "/datafile.json"]).output
        #expect(try report == Self.contents(of: "inspection.txt"))
    }

    @Test func explainPrintsTheStepsOfADecision() async throws {
        let tree = await RunTool.output(of: [
            "explain", "--datafile", Self.shop + "/datafile.json", "--profiles", Self.shop + "/profiles.json",
            "--user", "olga", "--attribute", "country=US", "--attribute", "app_version=3.2.0", "--attribute",
            "cart_total=120", "--attribute", "orders=5",
        ]).output
        #expect(tree.contains("checkout_redesign for \"olga\""))
        #expect(try Self.contents(of: "explanations.txt").hasPrefix(tree))
    }

    /// The first screen of the README: a session in the folder of the example. Its commands are run here,
    /// and print what it shows. `turnout impact` decides for 100,000 users, so only a thorough run shows it.
    @Test func theSessionOfTheReadmeIsReal() async throws {
        let steps = try Self.session()
        for (step, output) in zip(steps, try await Self.run(steps.map(\.command))) {
            // Of a process without output, the test library returns bytes of its own.
            guard step.shown.contains(where: { $0 != "\n" }) else { continue }
            // An ellipsis stands for lines that the page leaves out.
            var rest = Substring(output)
            for part in step.shown.split(separator: "…\n") where part != "\n" {
                let range = try #require(rest.range(of: part), "\(step.command): \(output)")
                rest = rest[range.upperBound...]
            }
            #expect(rest.isEmpty || step.shown.hasSuffix("…\n"), "\(step.command): \(rest)")
        }
    }

    /// The command lines of the README, and what it shows that each prints.
    private static func session() throws -> [(command: Substring, shown: Substring)] {
        let text = try contents(of: "../../README.md")
        let start = try #require(text.range(of: "```console\n"))
        let end = try #require(text[start.upperBound...].range(of: "```"))
        return text[start.upperBound..<end.lowerBound].split(separator: "$ ").map { step in
            let lines = step.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            return (lines[0], lines[1])
        }.filter { isThorough || !$0.command.contains("turnout impact ") }
    }

    /// Runs command lines in a copy of the example's folder, which `main` has, and returns what each prints.
    private static func run(_ lines: [Substring]) async throws -> [String] {
        let directory = TemporaryDirectory()
        try FileManager.default.copyItem(atPath: shop, toPath: directory.path)
        let git = "-C \(directory.path) -c user.name=a -c user.email=a@example.com -c commit.gpgsign=false"
        for command in ["init --quiet --initial-branch=main", "add .", "commit --quiet -m first"] {
            try ChildProcess.run("git", "\(git) \(command)".split(separator: " ").map(String.init))
        }
        var outputs: [String] = []
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            try #require(words[0] == "turnout")
            let result = await RunTool.output(of: Array(words.dropFirst()), in: directory.path)
            outputs.append(result.errors + result.output)
        }
        return outputs
    }

    @Test(arguments: ["decide", "explain", "generate", "impact", "inspect", "profiles", "replay", "rollout", "serve"])
    func everyCommandHasAHelpText(name: String) async {
        let help = await RunTool.output(of: [name, "--help"]).output
        #expect(help.contains("turnout \(name)") && help.contains("--help"))
    }

    /// What each scope of a token allows is said in the same words where a person makes one.
    @Test func scopesAreDescribedAlike() async throws {
        func words(_ text: String) -> String { text.split { " #\n".contains($0) }.joined(separator: " ") }
        let guide = try Self.contents(of: "../../Documentation/Guides/OperatingAServer.md")
        let rows = guide.matches(of: /\| `(read|flags|events|users)` \| (.+) \|\n/).map { "\($0.1) \($0.2)" }
        #expect(rows.count == 4)
        let file = try words(Self.contents(of: "../Deploy/tokens.yaml"))
        let token = await words(RunTool.output(of: ["token", "--help"]).output)
        let serve = await words(RunTool.output(of: ["serve", "--help"]).output)
        for row in rows { #expect(file.contains(row) && token.contains(row) && serve.contains(row), "\(row)") }
    }

    @Test func anUnknownCommandSuggestsTheNearest() async {
        let errors = await RunTool.output(of: ["inspekt"], exitCode: 2).errors
        #expect(errors.contains("inspekt") && errors.contains("inspect"))
    }
}
