import Foundation

@Suite struct HostileYAMLTests {
    private func error(_ text: String) -> String? {
        do throws(Diagnostic) {
            _ = try read(text)
            return nil
        } catch { return error.text(in: "f") }
    }

    @Test(arguments: ["[", "- ", "? ", "{a: ", "[{a: "])
    func deepNestingIsRefusedAtTheLimit(opening: String) {
        let text = String(repeating: opening, count: 100_000)
        #expect(error(text)?.hasPrefix("f:1:") == true)
    }

    @Test func theDeepestNestingThatIsReadIsThatOfJSON() throws {
        let deepest = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(error(deepest) == nil)
        #expect(error("[" + deepest + "]") == "f:1:513: error: nested too deeply; the limit is 512 levels [limit]")
        let blocks = (0..<600).map { String(repeating: " ", count: $0) + "a:\n" }.joined()
        #expect(error(blocks)?.hasPrefix("f:513:513: error: nested too deeply") == true)
        #expect(throws: Never.self) { try read(try read(deepest).yaml()) }
    }

    @Test func manyAliasesOfAliasesAreRefusedWhereTheyExceedTheLimit() {
        let lines = (1...30).map {
            "a\($0): &a\($0) [" + Array(repeating: "*a\($0 - 1)", count: 9).joined(separator: ", ") + "]"
        }
        let text = "a0: &a0 x\n" + lines.joined(separator: "\n")
        #expect(error(text)?.hasPrefix("f:8:") == true)
        #expect(error(text)?.contains("stand for more than 1000000 values. Use fewer aliases") == true)
    }

    @Test func aliasesCountForTheDepth() {
        let lines = (1...600).map { "a\($0): &a\($0) [*a\($0 - 1)]" }
        let text = "a0: &a0 x\n" + lines.joined(separator: "\n")
        #expect(error(text)?.contains("nested too deeply; the limit is 512 levels") == true)
    }

    @Test func anyPrefixOfAFileIsANodeOrAnErrorWithAPlace() {
        let bytes = Array("\u{FEFF}a: &x {é: [1, 'b', \"\\u00e9\"]}\r\nc: |+\r\n  d\r\n\r\n? e\r\n: *x\r\n".utf8)
        for count in bytes.indices {
            for other in [nil, 0x09, 0x00, 0x0D, 0xC3, 0x22, 0x5D, 0x2A] as [UInt8?] {
                let source = SourceFile(name: "f", bytes: bytes[..<count] + (other.map { [$0] } ?? []))
                do throws(Diagnostic) { _ = try Node(yaml: source) } catch { #expect(error.position != nil) }
            }
        }
    }

    @Test func filesOverTheLimitAreNotReadAndTheErrorIsWhereTheyExceedIt() throws {
        var limits = YAMLLimits()
        limits.text.size = 10
        do throws(Diagnostic) {
            _ = try Node(yaml: SourceFile(name: "f", bytes: Array("a: 1\nb: 23456".utf8)), limits: limits)
            Issue.record("the limit has no effect")
        } catch { #expect(error.position == SourcePosition(line: 2, column: 6) && error.code == "limit") }
    }

    @Test func valuesOverTheLimitAreNotReadInYAMLAndJSON() throws {
        var limits = YAMLLimits()
        limits.nodes = 8
        let text = "{\"a\": [1, 2],\n\"b\": [3, 4, 5, 6]}"
        let source = SourceFile(name: "f", bytes: Array(text.utf8))
        do throws(Diagnostic) {
            _ = try Node(json: source, countLimit: 8)
            Issue.record("the limit has no effect")
        } catch { #expect(error.text(in: "f").hasPrefix("f:2:10: error: the file has more than 8 values. Divide")) }
        do throws(Diagnostic) {
            _ = try Node(yaml: source, limits: limits)
            Issue.record("the limit has no effect")
        } catch { #expect(error.position?.line == 2 && error.message == "the file has more than 8 values") }
        #expect(throws: Never.self) { try Node(json: source, countLimit: 11) }
    }

    /// libyaml takes time for each value and each bracket around it.
    @Test func valuesInBracketsAreLimitedByTheirDepth() throws {
        var limits = YAMLLimits()
        limits.flowLevels = 1_000
        func read(_ text: String) throws(Diagnostic) -> Node {
            try Node(yaml: SourceFile(name: "f", bytes: Array(text.utf8)), limits: limits)
        }
        let deep = String(repeating: "[", count: 30) + "\n" + String(repeating: "a,\n", count: 60)
        do throws(Diagnostic) {
            _ = try read(deep)
            Issue.record("the limit has no effect")
        } catch {
            #expect(error.position?.line == 20)
            #expect(error.message == "too many values inside 30 brackets and braces")
            #expect(error.advice?.contains("block style") == true)
        }
        #expect(throws: Never.self) { try read("[" + String(repeating: "a, ", count: 900) + "]") }
        #expect(throws: Never.self) { try read("a:\n" + String(repeating: "  - b\n", count: 2_000)) }
    }

    /// One megabyte in a thorough run; four of the kind that takes longest.
    @Test(arguments: ["scalar", "quoted", "keys", "flow", "deep", "comments", "anchors"])
    func largeFilesAreRead(kind: String) throws {
        let size = rounds(100_000, thorough: kind == "deep" ? 4_000_000 : 1_000_000)
        func repeated(_ text: String) -> String { String(repeating: text, count: size / text.utf8.count) }
        let text =
            switch kind {
            case "scalar": "a: " + repeated("word ")
            case "quoted": "a: \"" + repeated("é\\n") + "\""
            case "keys": (0..<size / 10).map { "k\($0): 1\n" }.joined()
            case "flow": "[" + repeated("ab, ") + "]"
            case "deep": String(repeating: "[", count: 512) + repeated("abcd, ") + String(repeating: "]", count: 512)
            case "comments": repeated("# text\n") + "a: 1"
            default: (0..<size / 20).map { "- &a\($0) b\n" }.joined()
            }
        #expect(throws: Never.self) { try read(text) }
    }

    // MARK: Damaged YAML

    private static let shop = URL(filePath: #filePath).appending(path: "../../../../Examples/Shop").standardized

    /// Bytes and lines are removed, repeated, replaced and moved. What still compiles is written and read back.
    @Test func damagedYAMLIsRefusedWithAPlaceOrCompiled() throws {
        let text = [UInt8](try Data(contentsOf: Self.shop.appending(path: "flags.yaml")))
        let lock = try LockFile(bytes: [UInt8](Data(contentsOf: Self.shop.appending(path: "turnout.lock"))))
        var compiled = 0
        for seed in 0..<UInt64(rounds(40, thorough: 300)) {
            var random = SplitMix(state: seed)
            let source = SourceFile(name: "f", bytes: text.mutated(&random))
            do throws(Diagnostics) {
                let project = try ProjectReader.read(try node(source), in: source)
                let written = ProjectWriter.node(of: project).yaml()
                let other = SourceFile(name: "f", bytes: Array(written.utf8))
                let reread = try ProjectReader.read(try node(other), in: other)
                #expect(reread == project, "seed \(seed)")
                let result = ProjectCompiler(project, lock: lock, source: source).compile()
                let again = ProjectCompiler(reread, lock: lock).compile()
                #expect(result.datafiles.map(\.bytes) == again.datafiles.map(\.bytes), "seed \(seed)")
                compiled += result.diagnostics.hasErrors ? 0 : 1
            } catch { #expect(error.all.allSatisfy { $0.position != nil }, "seed \(seed): \(error)") }
        }
        #expect(compiled > rounds(1, thorough: 10))
    }

    private func node(_ source: SourceFile) throws(Diagnostics) -> Node {
        do throws(Diagnostic) { return try Node(yaml: source) } catch { throw Diagnostics([error]) }
    }
}
