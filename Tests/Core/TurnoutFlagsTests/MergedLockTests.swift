/// One branch renames, another one edits; git puts the lines of both into the lock.
@Suite("A rename in one branch and an edit in another are merged")
struct MergedLockTests {
    private struct Shop {
        var flag = "checkout"
        var rule = "ab"
        var environment = "production"
        var traffic = "10%"
        var on = "on"
        var hasMore = false
        var former: [String: String] = [:]

        private func was(_ part: String) -> String { former[part].map { #", "was": "\#($0)""# } ?? "" }

        var text: ProjectText {
            let more =
                hasMore
                ? #", {"experiment": "more", "split": ["off"], "audience": {"plan": "a"}, "traffic": "70%"}"# : ""
            return ProjectText(
                """
                {"project": "shop", "attributes": ["plan"],
                 "environments": {"\(environment)": {"sdk_key": "k"\(was("environment"))}},
                 "flags": {"\(flag)": {"variables": {"title": "a"},
                   "variations": {"\(on)": {"enabled": true\(was("on"))}},
                   "rules": [{"experiment": "\(rule)", "traffic": "\(traffic)", "split": ["off", "\(on)"]\(was("rule"))}
                     \(more)]\(was("flag"))}},
                 "groups": {"g": {"traffic": {"\(flag)/\(rule)": "40%"}}}}
                """)
        }
    }

    /// A lock in which everything is in conflict.
    private func merged(_ ours: LockFile, _ theirs: LockFile) throws -> LockFile {
        let lines = { (lock: LockFile) in
            lock.text.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n")
        }
        let all = LockFile().text.split(separator: "\n")
        return try LockFile(
            text: "\(all[0])\n<<<<<<< HEAD\n\(lines(ours))\n=======\n\(lines(theirs))\n>>>>>>> topic\n\(all[1])\n")
    }

    private func check(_ renamed: Shop, _ edited: Shop, _ both: Shop) throws {
        let base = try Shop().text.lock()
        let (ours, theirs) = (try renamed.text.lock(base), try edited.text.lock(base))
        for lock in [try merged(ours, theirs), try merged(theirs, ours)] {
            let compiled = try both.text.compile(lock)
            #expect(compiled.diagnostics.all.map(\.message) == [])
            // As if the edit had been made first, and the rename after it.
            let expected = try both.text.lock(theirs)
            #expect(compiled.lock.ids == expected.ids)
            #expect(compiled.lock.allocations == expected.allocations)
            #expect(Set(compiled.lock.retiredIDs.keys).isSubset(of: expected.retiredIDs.keys))
            #expect(compiled.lock.revisions.keys.sorted() == expected.revisions.keys.sorted())
        }
    }

    @Test(arguments: ["flag", "rule", "environment", "on", "all"])
    func theEditOfAnotherBranchBelongsToTheNewKey(part: String) throws {
        var renamed = Shop()
        let all = part == "all"
        if all || part == "flag" { (renamed.flag, renamed.former["flag"]) = ("payment", "checkout") }
        if all || part == "rule" { (renamed.rule, renamed.former["rule"]) = ("payment_ab", "ab") }
        if all || part == "environment" {
            (renamed.environment, renamed.former["environment"]) = ("live", "production")
        }
        if all || part == "on" { (renamed.on, renamed.former["on"]) = ("big", "on") }
        var edited = Shop()
        edited.traffic = "37%"
        edited.hasMore = true
        var both = renamed
        both.traffic = "37%"
        both.hasMore = true
        try check(renamed, edited, both)
    }

    @Test func aRenameThatTheMergeGivesUpIsUndone() throws {
        let base = try Shop().text.lock()
        var renamed = Shop()
        (renamed.flag, renamed.former["flag"]) = ("payment", "checkout")
        var edited = Shop()
        edited.traffic = "37%"
        let theirs = try edited.text.lock(base)
        let compiled = try edited.text.compile(try merged(try renamed.text.lock(base), theirs))
        #expect(compiled.diagnostics.all.map(\.message) == [])
        #expect(compiled.lock.ids == theirs.ids)
    }

    @Test func twoKeysOfTheProjectWithOneIdAreAnErrorWithTheirLines() throws {
        let fixed = ProjectText(
            """
            {"project": "shop", "environments": {"production": {}},
             "flags": {"a": {},
               "b": {}}}
            """)
        var lines = try fixed.lock().text.split(separator: "\n").map(String.init)
        let a = try #require(lines.first { $0.hasPrefix(#"["id","flag","a""#) })
        let index = try #require(lines.firstIndex { $0.hasPrefix(#"["id","flag","b""#) })
        lines[index] = a.replacing(#""a""#, with: #""b""#)
        let errors = fixed.errors(try LockFile(text: lines.joined(separator: "\n")))
        #expect(errors.count == 1)
        #expect(
            errors.first?.hasPrefix(
                "f:3:4: error: flag a and flag b have the same id in turnout.lock, in the lines "
                    + "\(index) and \(index + 1); ") == true, "\(errors)")
        #expect(errors.first?.hasSuffix("[lock-same-id]") == true)
    }
}
