/// What is said of keys that leave a project.
@Suite struct RemovedKeyTests {
    private static func project(_ flags: String, environments: String = #""production": {}, "development": {}"#) throws
        -> AuthoredProject
    {
        let text = #"{"project": "shop", "environments": {\#(environments)}, "flags": {\#(flags)}}"#
        let file = SourceFile(name: "flags.json", bytes: Array(text.utf8))
        return try ProjectReader.read(try Node(json: file), in: file, lock: LockFile())
    }

    private static func flag(_ key: String, rule: String = "rest", more: String = "") -> String {
        """
        "\(key)": {"variables": {"steps": 3}, "variations": {"on": {}}, \(more)"rules": [
        {"delivery": "\(rule)", "serve": "on"}]}
        """
    }

    /// The keys that are removed between two projects, each with what may be its new name.
    private static func removed(_ before: String, _ after: String) throws -> [[String]] {
        let lock = ProjectCompiler(try project(before), lock: LockFile()).compile().lock
        let compiled = ProjectCompiler(try project(after), lock: lock).compile()
        #expect(compiled.diagnostics.all.isEmpty)
        let findings = ProjectLint(try project(after), lock: lock).findings.filter { $0.code == "key-removed" }
        let removed = compiled.removedKeys(from: lock)
        #expect(findings.count == removed.count)
        return removed.map { [$0.path.description, $0.possibleNewPath?.description].compactMap(\.self) }
    }

    @Test func aRenameWithoutWasIsPointedOut() throws {
        #expect(try Self.removed(Self.flag("dark"), Self.flag("night")) == [["flag dark", "flag night"]])
        #expect(
            try Self.removed(Self.flag("dark"), Self.flag("dark", rule: "all"))
                == [["rule development/dark/rest", "rule development/dark/all"]])
    }

    @Test func aRenameWithWasRemovesNothing() throws {
        #expect(try Self.removed(Self.flag("dark"), Self.flag("night", more: #""was": "dark", "#)) == [])
    }

    @Test func severalNewKeysAreNoGuess() throws {
        #expect(
            try Self.removed(Self.flag("dark"), Self.flag("a", rule: "r") + ", " + Self.flag("b", rule: "s")) == [
                ["flag dark"]
            ])
        #expect(
            try Self.removed(Self.flag("a", rule: "r") + ", " + Self.flag("dark"), Self.flag("a", rule: "r")) == [
                ["flag dark"]
            ])
    }
}
