@Suite struct YAMLReaderTests {
    @Test func scalarsStayTextWithTheirQuotes() throws {
        let root = try read("{a: off, b: 'off', c: \"1\", d: 1.50, e: ~, f: }\n")
        #expect(scalars(of: root) == ["off", "'off'", "'1'", "1.50", "~", ""])
        let block = try read("a: |\n  x\n  y\nb: >-\n  x\n  y\n")
        #expect(scalars(of: block) == ["'x\ny\n'", "'x y'"])
    }

    @Test func aListOfAMappingNeedsNoIndentation() throws {
        let indented = try read("a:\n  - 1\n  - b: 2\n    c: 3\n")
        let flat = try read("a:\n- 1\n- b: 2\n  c: 3\n")
        #expect(indented.hasSameContent(as: flat))
        #expect(indented.jsonValue == (try JSONValue(parsing: #"{"a": [1, {"b": 2, "c": 3}]}"#)))
    }

    @Test(arguments: ["", "\u{FEFF}"])
    func placesAreBytesOfTheSource(mark: String) throws {
        let text = mark + "# é\r\nä: ö\r\n'ü': # €\r\n  - 日本\r\n  - {𝒂: \"b\"}\r\n\r\n# end\r\nlast:\r\n"
        let source = SourceFile(name: "x", bytes: Array(text.utf8))
        guard case .mapping(let members) = try Node(yaml: source).content,
            case .sequence(let list) = members[1].value.content, case .mapping(let inner) = list[1].content
        else {
            Issue.record("another structure")
            return
        }
        let ranges = [
            members[0].key.range, members[0].value.range, members[1].key.range, members[1].value.range, list[0].range,
            list[1].range, inner[0].key.range, inner[0].value.range, members[2].key.range, members[2].value.range,
        ]
        #expect(
            ranges.map(source.text(in:)) == [
                "ä", "ö", "'ü'", "- 日本\r\n  - {𝒂: \"b\"}", "日本", "{𝒂: \"b\"}", "𝒂", "\"b\"", "last", "",
            ])
        #expect(source.text(in: members[2].value.range.lowerBound - 1..<members[2].value.range.lowerBound) == ":")
    }

    @Test func theRangeOfABlockEndsWithItsText() throws {
        let text = "a: |\n  x\n\n\n# comment\nb: |+\n  y\n\n\nc:\n  d: |-\n    z\n\n  # more\n"
        let source = SourceFile(name: "x", bytes: Array(text.utf8))
        guard case .mapping(let members) = try Node(yaml: source).content else { return }
        let texts = members.map { source.text(in: $0.value.range) }
        #expect(texts == ["|\n  x", "|+\n  y\n\n", "d: |-\n    z"])
    }

    @Test func duplicateKeysAreKept() throws {
        #expect(scalars(of: try read("a: 1\nb: 2\na: 3\n")) == ["1", "2", "3"])
    }

    @Test func lineEndsMakeNoDifference() throws {
        let text = "a:\n  - b: |\n      x\n      y\n    c: 1\n\n  - d\n"
        let expected = try read(text)
        for end in ["\r\n", "\r"] {
            let other = try read(String(text.map { $0 == "\n" ? Character(end) : $0 }))
            #expect(other.hasSameContent(as: expected))
        }
    }

    @Test func aliasesStandForCopies() throws {
        let text = "a: &x {b: [1, 2]}\nc: *x\nd: [*x, *x]\ne: &y z\nf: *y\n"
        let source = SourceFile(name: "x", bytes: Array(text.utf8))
        let root = try Node(yaml: source)
        let expected = try read("{a: {b: [1, 2]}, c: {b: [1, 2]}, d: [{b: [1, 2]}, {b: [1, 2]}], e: z, f: z}")
        #expect(root.hasSameContent(as: expected))
        guard case .mapping(let members) = root.content, case .mapping(let copy) = members[1].value.content else {
            return
        }
        #expect(source.text(in: members[1].value.range) == "*x")
        #expect(source.text(in: copy[0].key.range) == "b")
    }

    @Test func aLaterAnchorOfTheSameNameReplacesTheEarlier() throws {
        #expect(scalars(of: try read("[&a 1, *a, &a 2, *a]")) == ["1", "1", "2", "2"])
    }
}

func read(_ text: String) throws(Diagnostic) -> Node {
    try Node(yaml: SourceFile(name: "flags.yaml", bytes: Array(text.utf8)))
}

/// The scalars of a tree; those that are quoted are in single quotes.
func scalars(of node: Node) -> [String] {
    switch node.content {
    case .scalar(let text, let isQuoted): isQuoted ? ["'\(text)'"] : [text]
    case .sequence(let elements): elements.flatMap(scalars)
    case .mapping(let members): members.flatMap { scalars(of: $0.value) }
    }
}
