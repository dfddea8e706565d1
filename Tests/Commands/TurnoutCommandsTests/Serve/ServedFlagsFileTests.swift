import TurnoutFlags
import TurnoutServer

/// The project file of a server, as its pages see it.
@Suite(.blocking) struct ServedFlagsFileTests {
    private let directory = TemporaryDirectory()
    private var file: ServedFlagsFile { ServedFlagsFile(directory.path + "/flags.yaml") }

    init() throws { try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true) }

    private func write(_ flags: String) throws {
        let text = "project: shop\nenvironments:\n  production: {sdk_key: shop}\nflags:\n\(flags)\n"
        try text.write(to: directory.url.appending(path: "flags.yaml"), atomically: false, encoding: .utf8)
    }

    private func git(_ arguments: String...) throws {
        let settings = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"]
        _ = try ChildProcess.output(of: "git", ["-C", directory.path] + settings + arguments)
    }

    private func commit(_ subject: String, _ flags: String) throws {
        try write(flags)
        try git("add", "flags.yaml")
        try git("commit", "-q", "-m", subject)
    }

    @Test func findingsAreThoseOfLintByFlag() throws {
        try write("  cart: {variations: {on: {}}, else: on}\n  old: {}")
        let content = try file.read()
        #expect(content.findingsByFlag["old"]?.map(\.code) == ["flag-always-off"])
        #expect(content.findingsByFlag["cart"] == nil)
        try write("  cart: {variations: {on: {}}, else: on}")
        #expect(try file.read().tag != content.tag)
    }

    @Test func whatIsWrongIsSaid() throws {
        #expect(throws: FlagsFileProblem.self) { try file.read() }
        try write("  cart: {else: nothing}")
        let problem = #expect(throws: FlagsFileProblem.self) { try file.read() }
        #expect(problem?.description.hasPrefix("flags.yaml:5:") == true)
    }

    @Test func aFileOutsideOfGitHasNoHistory() throws {
        try write("  cart: {}")
        #expect(try file.history(of: nil, limit: 10).isEmpty)
        #expect(!file.isInGit)
    }

    @Test func historySaysWhatCommitsMean() throws {
        try git("init", "-q")
        try commit("First", "  cart: {variations: {on: {}}, else: off}\n  menu: {variations: {on: {}}}")
        try commit("On", "  cart: {variations: {on: {}}, else: on}\n  menu: {variations: {on: {}}}")
        try commit("Layout", "  cart: {variations: {on: {}}, else: on}\n\n  menu: {variations: {on: {}}}")
        try commit("Name", "  basket: {was: cart, variations: {on: {}}, else: on}\n  menu: {variations: {on: {}}}")
        let file = file
        #expect(file.isInGit)
        let all = try file.history(of: nil, limit: 10)
        #expect(all.map(\.subject) == ["Name", "Layout", "On", "First"])
        #expect(all.map(\.author) == ["Ada", "Ada", "Ada", "Ada"])
        #expect(all[1].meaning.text() == "Comments or layout alone\n")
        #expect(all[2].meaning.text().contains("everyone else off → on"))
        #expect(all[2].flags == ["cart"])
        #expect(all[3].meaning.text() == "The file is new: 2 flags\n")
        #expect(try file.history(of: "basket", limit: 10).map(\.subject) == ["Name", "On", "First"])
        #expect(try file.history(of: "menu", limit: 10).map(\.subject) == ["First"])
        #expect(try file.history(of: nil, limit: 1).count == 1)
        try commit("Off", "  basket: {was: cart, variations: {on: {}}}\n  menu: {variations: {on: {}}}")
        #expect(try file.history(of: "menu", limit: 10).count == 1)
        #expect(try file.history(of: "basket", limit: 1).map(\.subject) == ["Off"])
    }
}
