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
