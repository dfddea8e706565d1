import Foundation
import TestSupport
import Testing
import TurnoutCommands

#if os(Linux)
    /// `turnout generate` from the outside.
    @Suite struct GenerateCommandTests {
        private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized.path
        private static let datafile = root + "/Examples/Shop/datafile.json"
        /// The generated code that the tests of the pages use.
        private static let flags = root + "/Tests/Documentation/Flags.swift"

        private let directory = TemporaryDirectory()

        init() throws {
            try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        }

        private static func run(_ arguments: String..., exitCode: Int32 = 0) async -> (output: String, errors: String) {
            await RunTool.output(of: ["generate"] + arguments, exitCode: exitCode)
        }

        @Test func theCodeOfTheShopIsTheCommittedOne() async throws {
            let code = await Self.run("swift", "--datafile", Self.datafile).output
            #expect(try code == String(contentsOfFile: Self.flags, encoding: .utf8))
            _ = await Self.run("swift", "-d", Self.datafile, "--to", Self.flags, "--check")
        }

        @Test func aFileIsWrittenOnceAndFoundCurrent() async throws {
            let file = directory.path + "/Flags.swift"
            for _ in 0..<2 { _ = await Self.run("swift", "-d", Self.datafile, "--to", file, "--access", "public") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["Flags.swift"])
            _ = await Self.run("swift", "-d", Self.datafile, "--to", file, "--access", "public", "--check")
            _ = await Self.run("swift", "-d", Self.datafile, "--to", file, "--check", exitCode: 3)
        }

        @Test func checkNamesTheFlagsThatDiffer() async throws {
            let file = directory.path + "/Flags.swift"
            let code = try String(contentsOfFile: Self.flags, encoding: .utf8)
            let old = code.replacing("?? 4\n", with: "?? 5\n").replacing("// MARK: dark_mode", with: "// MARK: dimmed")
            try Data(old.utf8).write(to: URL(filePath: file))
            let errors = await Self.run("swift", "-d", Self.datafile, "--to", file, "--check", exitCode: 3).errors
            #expect(
                errors == """
                    turnout: \(file): is not what the datafile gives: dark_mode was added, dimmed was removed, \
                    recommendations changed
                      Run the same command without --check, and commit the file.

                    """)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == old)
        }

        @Test func theReportReadsFolders() async throws {
            let sources = directory.url.appending(path: "Sources/.build")
            try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
            try Data(#"ada.decide("dark_mode")"#.utf8).write(to: sources.appending(path: "../A.swift"))
            try Data(#"ada.decide("search_ranking")"#.utf8).write(to: sources.appending(path: "B.swift"))
            try Data(#"ada.decide("search_ranking")"#.utf8).write(to: sources.appending(path: "../C.txt"))
            let report = await Self.run("--report", "-d", Self.datafile, directory.path).output
            #expect(report.hasPrefix("The code in 1 file uses 1 of 7 flags.\n"))

            let json = await Self.run("--report", "-d", Self.datafile, directory.path, "--output", "json").output
            let document = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            #expect((document?["unused"] as? [String])?.count == 6)
            #expect((document?["stale"] as? [Any])?.isEmpty == true)
        }

        @Test func checkFailsIfTheDatafileLacksAFlag() async throws {
            let file = directory.path + "/A.swift"
            try Data(#"ada.decide("dark_mod")"#.utf8).write(to: URL(filePath: file))
            let report = await Self.run("--report", "--check", "-d", Self.datafile, file, exitCode: 3).output
            #expect(report.contains("dark_mod\n    \(file):1: decide(\"dark_mod\")"))
        }

        @Test(arguments: [
            ["generate", "-d", "F"], ["generate", "kotlin", "-d", "F"], ["generate", "swift", "swift", "-d", "F"],
            ["generate", "swift", "-d", "F", "--check"], ["generate", "--report", "-d", "F"],
            ["generate", "--report", "-d", "F", "Sources", "--output", "yaml"],
            ["generate", "--report", "-d", "F", "Sources", "--access", "public"],
            ["generate", "--report", "-d", "F", "Sources", "--to", "F.json"],
            ["generate", "swift", "-d", "F", "--output", "F.swift"],
            ["generate", "swift", "-d", "F", "--output", "json"],
        ])
        func contradictionsAreUsageErrors(arguments: [String]) async {
            let errors = await RunTool.output(of: arguments, exitCode: 2).errors
            #expect(errors.hasPrefix("turnout generate: "))
        }
    }
#endif
