import Foundation
import TestSupport
import Testing
import TurnoutCommands

#if os(Linux)
    /// The commands print for the example project what the files beside it contain.
    @Suite struct ExampleCommandTests {
        private static let shop = URL(filePath: #filePath).appending(path: "../../../../Examples/Shop").standardized
            .path

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

        #if YAML
            /// The first screen of the README: a session in the folder of the example. Its commands are run here,
            /// and print what it shows.
            @Test(arguments: ["../../README.md", "README.md"])
            func theSessionOfAPageIsReal(page: String) async throws {
                let text = try Self.contents(of: page)
                let start = try #require(text.range(of: "```console\n"))
                let end = try #require(text[start.upperBound...].range(of: "```"))
                let directory = TemporaryDirectory()
                try FileManager.default.copyItem(atPath: Self.shop, toPath: directory.path)
                for step in text[start.upperBound..<end.lowerBound].split(separator: "$ ") {
                    let lines = step.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
                    let commands = lines[0].split(separator: " | ").map { $0.split(separator: " ").map(String.init) }
                    let command = try #require(commands.last)
                    try #require(command[0] == "turnout")
                    // What `git show HEAD:./FILE` prints.
                    let file = commands.count == 1 ? nil : commands[0].last?.split(separator: "/", maxSplits: 1).last
                    let result = await RunTool.output(
                        of: Array(command.dropFirst()), in: directory.path, input: file.map { "\(Self.shop)/\($0)" })
                    // Of a process without output, the test library returns bytes of its own.
                    guard lines[1].contains(where: { $0 != "\n" }) else { continue }
                    // An ellipsis stands for lines that the page leaves out.
                    var rest = Substring(result.output)
                    for part in lines[1].split(separator: "…\n") where part != "\n" {
                        let range = try #require(rest.range(of: part), "\(lines[0]): \(result)")
                        rest = rest[range.upperBound...]
                    }
                    #expect(rest.isEmpty || lines[1].hasSuffix("…\n"), "\(lines[0]): \(rest)")
                }
            }
        #endif

        @Test(arguments: [
            "decide", "explain", "generate", "impact", "inspect", "profiles", "replay", "rollout", "serve",
        ])
        func everyCommandHasAHelpText(name: String) async {
            let help = await RunTool.output(of: [name, "--help"]).output
            #expect(help.contains("turnout \(name)") && help.contains("--help"))
        }

        @Test func anUnknownCommandSuggestsTheNearest() async {
            let errors = await RunTool.output(of: ["inspekt"], exitCode: 2).errors
            #expect(errors.contains("inspekt") && errors.contains("inspect"))
        }
    }
#endif
