@Suite struct NodeTests {
    private func node(_ text: String) throws -> Node { try Node(json: SourceFile(name: "x", bytes: Array(text.utf8))) }

    @Test func jsonKeepsOrderTextAndPlaces() throws {
        let text = #"{"b": [1.50, "x"], "a": {"é": null}}"#
        let root = try node(text)
        guard case .mapping(let members) = root.content, case .sequence(let list) = members[0].value.content else {
            Issue.record("not a mapping")
            return
        }
        #expect(members.map(\.key.text) == ["b", "a"])
        #expect(list.map(\.text) == ["1.50", "x"])
        let source = SourceFile(name: "x", bytes: Array(text.utf8))
        #expect(source.text(in: list[0].range) == "1.50")
        #expect(source.text(in: members[1].key.range) == #""a""#)
        #expect(root.jsonValue == (try JSONValue(parsing: text)))
    }

    @Test func jsonIsWrittenAsItWasRead() throws {
        let text = "{\n  \"b\": [\n    1,\n    \"1\"\n  ],\n  \"a\": {}\n}\n"
        #expect(try node(text).json == text)
    }

    @Test func syntaxErrorsNameTheirPlace() throws {
        #expect(throws: Diagnostic.self) { try node("{\n  \"a\" 1}") }
        do { _ = try node("{\n  \"a\" 1}") } catch let error as Diagnostic {
            #expect(error.text(in: "flags.json").hasPrefix("flags.json:2:7: error: "))
        }
    }

    @Test func columnsCountScalars() {
        let source = SourceFile(name: "x", bytes: Array("a\néb".utf8))
        #expect(source.position(of: 4) == SourcePosition(line: 2, column: 2))
    }

    @Test func placesInLongLinesAreFoundInConstantTime() throws {
        let lines = [String(repeating: "aé\u{1F600}", count: 1_000), String(repeating: "日", count: 900)]
        let text = Array(lines.joined(separator: "\n").utf8)
        let source = SourceFile(name: "x", bytes: text)
        for offset in stride(from: 0, through: text.count, by: 7) {
            let line = text[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            #expect(source.position(of: offset).column == text[line..<offset].count { $0 & 0xC0 != 0x80 } + 1)
        }
        try expectLinearTime("places", sizes: (1_000, 4_000)) { count in
            let source = SourceFile(name: "x", bytes: Array(repeating: 0x61, count: 100 * count))
            return { (0..<count).reduce(0) { $0 &+ source.position(of: 100 * $1).column } }
        }
    }
}
