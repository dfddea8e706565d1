/// Branches that both compile, and are merged by git.
@Suite struct MergedLockTests {
    private let directory = TemporaryDirectory(isCreated: true)
    private var folder: String { directory.path }
    private var project: String { folder + "/flags.yaml" }
    private var lock: String { folder + "/turnout.lock" }

    private static let flags = """
        project: shop
        environments:
          production: {sdk_key: shop}
        flags:
          cart:
            variations: {on: {}}
            rules:
              - experiment: cart_test
                traffic: 10%
                split: {off: 50, on: 50}
            # Far enough from the other edit for git.
            else: off
          checkout:
            variations: {on: {}}
            rules:
              - experiment: checkout_test
                traffic: 20%
                split: {off: 50, on: 50}
            else: off

        """

    @discardableResult private func git(_ arguments: String...) throws -> Int32 {
        let settings = ["user.name=Ada", "user.email=ada@example.com", "merge.conflictStyle=merge"]
        let process = try ChildProcess("git", ["-C", folder] + settings.flatMap { ["-c", $0] } + arguments)
        process.closeInput()
        return process.waitUntilExit()
    }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: project)) }

    private func compile(exitCode: Int32 = 0) async -> String {
        await RunTool.output(of: ["compile", project], exitCode: exitCode).errors
    }

    /// Edits the file, compiles and commits.
    private func commit(_ edits: (String, String)...) async throws {
        let text = try String(contentsOfFile: project, encoding: .utf8)
        try write(edits.reduce(text) { $0.replacing($1.0, with: $1.1) })
        _ = await compile()
        try #require(try git("add", ".") == 0 && git("commit", "--quiet", "-m", "Edit") == 0)
    }

    /// A repository with a branch `other` that does one edit, and a branch `main` that does another.
    private func branch(_ other: (String, String), _ main: (String, String)) async throws {
        try #require(try git("init", "--quiet", "--initial-branch", "main") == 0)
        try write(Self.flags)
        try await commit()
        try git("switch", "--quiet", "--create", "other")
        try await commit(other)
        try git("switch", "--quiet", "main")
        try await commit(main)
    }

    @Test func aMergeOfTwoEditsCompilesAsIfOneFollowedTheOther() async throws {
        let (cart, checkout) = (("traffic: 10%", "traffic: 15%"), ("traffic: 20%", "traffic: 60%"))
        try await branch(cart, checkout)
        try #require(try git("merge", "--quiet", "other") != 0)
        try #require(try String(contentsOfFile: lock, encoding: .utf8).contains("<<<<<<<"))
        _ = await compile()
        let merged = try [lock, folder + "/datafiles/production.json"].map {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
        try git("merge", "--abort")
        try git("switch", "--quiet", "other")
        try await commit(checkout)
        let sequential = try [lock, folder + "/datafiles/production.json"].map {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
        #expect(merged == sequential)
    }

    @Test func theChosenTrafficOfOneRuleDecidesWhichBranchIsRight() async throws {
        try await branch(("traffic: 10%", "traffic: 15%"), ("traffic: 10%", "traffic: 30%"))
        let right = try String(contentsOfFile: lock, encoding: .utf8)
        try #require(try git("merge", "--quiet", "other") != 0)
        try write(Self.flags.replacing("traffic: 10%", with: "traffic: 40%"))
        let errors = await compile(exitCode: 1)
        #expect(errors.contains("turnout.lock has two lines for the traffic of rule production/cart/cart_test"))
        try write(Self.flags.replacing("traffic: 10%", with: "traffic: 30%"))
        _ = await compile()
        let traffic = try String(contentsOfFile: lock, encoding: .utf8).split(separator: "\n")
            .filter { $0.contains(#"["traffic""#) }
        #expect(traffic == right.split(separator: "\n").filter { $0.contains(#"["traffic""#) })
    }
}
