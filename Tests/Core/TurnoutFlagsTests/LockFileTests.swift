@Suite struct LockFileTests {
    private func problems(_ text: String) -> [String] {
        do {
            _ = try LockFile(text: text)
            return []
        } catch { return error.all.map { $0.text(in: "turnout.lock") } }
    }

    /// A lock without entries. Further lines may follow its end.
    private let header = LockFile().text

    @Test func textIsReadBack() throws {
        var lock = LockFile()
        lock.ids[EntityPath(.project)] = "1"
        lock.ids[EntityPath(.flag, "a\"b\n")] = "2"
        lock.ids[EntityPath(.variation, "production", "", "rule", "é")] = "3"
        lock.types[EntityPath(.variable, "checkout", "steps")] = ["integer"]
        lock.retiredIDs[EntityPath(.flag, "old")] = ["4", "5"]
        lock.allocations[EntityPath(.rule, "production", "checkout", "ab")] = TrafficAllocation([
            .init("off", end: 2_500), .init("", end: 2_600), .init("on", end: 5_000),
        ])
        lock.revisions["production"] = LockFile.Revision(number: 42, contentHash: "ab")
        #expect(try LockFile(text: lock.text) == lock)
        #expect(try LockFile(text: lock.text).text == lock.text)
    }

    @Test func linesAreSortedArrays() throws {
        var lock = LockFile()
        for number in 0..<50 { lock.ids[EntityPath(.flag, "flag \(number)")] = "\(number)" }
        let lines = lock.text.split(separator: "\n")
        #expect(lines.count == 52)
        #expect(lines[0].hasPrefix(#"["turnout.lock",3,"#))
        #expect(lines[51] == #"["turnout.lock","end"]"#)
        #expect(Array(lines.dropFirst()) == lines.dropFirst().sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        for line in lines { #expect(throws: Never.self) { try JSONValue(parsing: String(line)) } }
    }

    @Test func orderAndLineEndsDoNotMatter() throws {
        let text = header + "[\"id\",\"flag\",\"b\",\"1\"]\r\n\n[\"id\",\"flag\",\"a\",\"2\"]"
        #expect(try LockFile(text: text).ids == [EntityPath(.flag, "a"): "2", EntityPath(.flag, "b"): "1"])
    }

    @Test func emptyTextIsAnEmptyLock() throws { #expect(try LockFile(text: "") == LockFile()) }

    @Test(arguments: [
        "x", "{}", "[]", "[1]", #"["id"]"#, #"["id","flag"]"#, #"["id","flag","a"]"#, #"["id","flag","a","b","1"]"#,
        #"["id","planet","a","1"]"#, #"["id","flag",7,"1"]"#, #"["id","flag","a",1]"#, #"["id","flag","a",""]"#,
        #"["retired","flag","1"]"#, #"["traffic","rule","p","f","r"]"#, #"["traffic","rule","p","f","r",[["on"]]]"#,
        #"["traffic","rule","p","f","r",[["on",0.5]]]"#, #"["revision","p",-1,"x"]"#, #"["revision","p","1","x"]"#,
        #"["turnout.lock",4]"#, #"["type","f","a","integer"]"#, #"["type","flag","a","integer"]"#, #"["other"]"#,
        "[\"id\",\"flag\",\"\u{0}\",\"1\"]", #"["traffic","rule","p","f","r",[["on",5000],["off",4000]]]"#,
        #"["traffic","rule","p","f","r",[["on",10001]]]"#, #"["traffic","rule","p","f","r",[["on",-1]]]"#,
    ])
    func malformedLinesAreErrorsWithTheirLine(line: String) throws {
        let found = problems(header + line + "\n")
        #expect(found.count == 1)
        #expect(found.allSatisfy { $0.hasPrefix("turnout.lock:3:1: error: ") }, "\(found)")
    }

    @Test func allProblemsAreReportedAtOnce() {
        #expect(problems(header + "x\n[\"id\",\"flag\",\"a\",\"1\"]\ny\n").count == 2)
    }

    @Test func otherFilesAreNoLock() { #expect(problems("[\"id\",\"flag\",\"a\",\"1\"]\n").count == 1) }

    @Test func aLockThatIsCutAnywhereIsAnError() throws {
        var lock = LockFile()
        lock.projectKey = "shop"
        for key in ["a", "b"] {
            lock.ids[EntityPath(.flag, key)] = key + "1"
            lock.allocations[EntityPath(.rule, "p", key, "r")] = TrafficAllocation([.init("on", end: 5_000)])
        }
        let text = Array(lock.text.utf8)
        for count in 1..<text.count - 1 {
            #expect(throws: Diagnostics.self, "\(count) bytes") { try LockFile(bytes: Array(text[..<count])) }
        }
        #expect(try LockFile(bytes: text.dropLast()) == lock)
    }

    @Test func aLockThatIsCutAtTheEndOfALineSaysWhatToDo() {
        let lines = LockFile().text.split(separator: "\n")
        let found = problems(lines[0] + "\n[\"id\",\"flag\",\"a\",\"1\"]\n")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(#"turnout.lock:2:1: error: the file is cut: its last line, ["#) == true)
        #expect(found.first?.contains("restore the whole file from your repository's history") == true)
        #expect(found.first?.hasSuffix("[lock-cut]") == true)
    }

    /// Version 1 had no last line. The next compilation writes one.
    @Test func locksOfTheFirstVersionAreRead() throws {
        let lock = try LockFile(text: "[\"turnout.lock\",1,\"\"]\n[\"id\",\"flag\",\"a\",\"1\"]\n")
        #expect(lock.ids == [EntityPath(.flag, "a"): "1"])
        #expect(lock.text.hasSuffix("[\"turnout.lock\",\"end\"]\n"))
    }

    /// Both spellings of a conflict: without and with the lines that both branches started from.
    @Test(arguments: ["", "||||||| base\n[\"id\",\"flag\",\"c\",\"3\"]\n"])
    func aConflictIsReadAsTheUnionOfBothBranches(base: String) throws {
        let text =
            header + "<<<<<<< HEAD\n[\"id\",\"flag\",\"a\",\"1\"]\n" + base
            + "=======\n[\"id\",\"flag\",\"b\",\"2\"]\n>>>>>>> x\n"
        #expect(try LockFile(text: text).ids == [EntityPath(.flag, "a"): "1", EntityPath(.flag, "b"): "2"])
    }

    @Test func oneIdForTwoKeysIsKeptForTheCompiler() throws {
        let text = header + "[\"id\",\"flag\",\"a\",\"1\"]\n[\"id\",\"flag\",\"b\",\"1\"]\n"
        let shared = try LockFile(text: text).sharedIDs
        #expect(shared.map(\.first) == [EntityPath(.flag, "a")])
        #expect(shared.map(\.second) == [EntityPath(.flag, "b")])
        #expect(shared.map(\.lines) == [[3, 4]])
    }

    @Test func variationsOfOneFlagMayShareAnId() throws {
        let text =
            header
            + "[\"id\",\"variation\",\"f\",\"on\",\"1\"]\n[\"id\",\"variation\",\"p\",\"f\",\"r\",\"on\",\"1\"]\n"
        #expect(try LockFile(text: text).sharedIDs.isEmpty)
        #expect(try LockFile(text: text + "[\"id\",\"variation\",\"g\",\"on\",\"1\"]\n").sharedIDs.count == 1)
    }

    @Test func twoIdsForOneKeyAreAnError() {
        let found = problems(header + "[\"id\",\"flag\",\"a\",\"1\"]\n[\"id\",\"flag\",\"a\",\"2\"]\n")
        #expect(found.first?.contains("flag a has two ids, 1 and 2") == true)
    }

    @Test func twoAllocationsOfOneRuleAreKeptForTheCompiler() throws {
        let line = #"["traffic","rule","p","f","r",[["on",5000]]]"#
        #expect(try LockFile(text: header + line + "\n" + line).mergedAllocations.isEmpty)
        let lock = try LockFile(text: header + line + "\n" + line.replacing("5000", with: "4000"))
        let path = EntityPath(.rule, "p", "f", "r")
        #expect(lock.allocations[path] == TrafficAllocation([.init("on", end: 5_000)]))
        #expect(lock.mergedAllocations[path] == [TrafficAllocation([.init("on", end: 4_000)])])
    }

    @Test func revisionsOfTwoBranchesGrow() throws {
        let lock = try LockFile(text: header + "[\"revision\",\"p\",42,\"a\"]\n[\"revision\",\"p\",43,\"b\"]\n")
        #expect(lock.revisions["p"] == LockFile.Revision(number: 43, contentHash: ""))
    }
}
