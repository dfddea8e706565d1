@Suite struct ProjectEditTests {
    private static let project = """
        # Head
        project: shop  # the key
        flags:
          checkout:   # one page
            title: 'Pay: now'
            variations:
              on: {}
              big: {variables: {title: Pay now, retries: 5}}  # more
            rules:
              - experiment: checkout_ab
                traffic: 50%     # half
                split: {off: 50, on: 50}
              # the rest
              - delivery: all
                serve: on
            else: off
          "a.b":
            note: |
              Two
              lines

            else:
        # end

        """

    /// A path, its new value or nil to remove it, and the line that changes with its new text or texts.
    private static let edits: [(path: String, value: String?, old: String, new: String)] = [
        ("flags.checkout.rules.checkout_ab.traffic", "25%", "traffic: 50%     #", "traffic: 25%     #"),
        ("flags.checkout.rules[0].split.on", "25", "on: 50}", "on: 25}"),
        ("flags.checkout.rules.checkout_ab.split", "{off: 1}", "split: {off: 50, on: 50}", "split: {off: 1}"),
        ("flags.checkout.rules.checkout_ab.split.big", "5", "on: 50}", "on: 50, big: 5}"),
        ("flags.checkout.variations.on.enabled", "true", "on: {}", "on: {enabled: true}"),
        ("flags.checkout.variations.big.variables.title", "A, b", "title: Pay now,", "title: \"A, b\","),
        ("flags.checkout.title", "A, b", "'Pay: now'", "A, b"), ("flags.checkout.title", "'5'", "'Pay: now'", "\"5\""),
        ("flags.checkout.title", "a: b", "'Pay: now'", "\"a: b\""),
        ("flags.checkout.rules.all.audience", "[paying]", "serve: on\n", "serve: on\n        audience: [paying]\n"),
        ("flags.checkout.in", "{x: {else: on}}", "else: off\n", "else: off\n    in:\n      x: {else: on}\n"),
        ("flags.\"a.b\".else", "on", "else:\n", "else: on\n"),
        ("flags.\"a.b\".note", "One", "|\n      Two\n      lines", "One"),
        ("flags.\"a.b\".enabled", "false", "else:\n", "else:\n    enabled: false\n"),
        ("flags.new", "{}", "else:\n", "else:\n  new: {}\n"), ("version", "x", "else:\n", "else:\nversion: x\n"),
        ("project", "", "project: shop", "project: \"\""),
        (
            "flags.checkout.variations", "{}",
            """
            variations:
                  on: {}
                  big: {variables: {title: Pay now, retries: 5}}
            """, "variations: {}"
        ), ("flags.\"a.b\"", "off", "\"a.b\":\n    note: |\n      Two\n      lines\n\n    else:", "\"a.b\": off"),
        ("flags.checkout.title", nil, "    title: 'Pay: now'\n", ""),
        ("flags.checkout.rules.checkout_ab.experiment", nil, "experiment: checkout_ab\n        ", ""),
        ("flags.checkout.rules.all", nil, "      - delivery: all\n        serve: on\n", ""),
        ("flags.checkout.rules.checkout_ab.split.off", nil, "{off: 50, on", "{on"),
        ("flags.checkout.rules.checkout_ab.split.on", nil, ", on: 50}", "}"),
        ("flags.checkout.variations.big.variables", nil, "big: {variables: {title: Pay now, retries: 5}}", "big: {}"),
        ("project", nil, "project: shop  # the key\n", ""),
    ]

    @Test(arguments: edits.indices)
    func onlyTheValueChanges(index: Int) throws {
        let edit = Self.edits[index]
        let parts = Self.project.components(around: edit.old)
        let expected = try #require(parts.map { $0.before + edit.new + $0.after })
        #expect(try Self.edited(Self.project, edit.path, edit.value) == expected)
        // Windows line ends stay.
        let windows = Self.project.replacing("\n", with: "\r\n")
        #expect(try Self.edited(windows, edit.path, edit.value) == expected.replacing("\n", with: "\r\n"))
    }

    @Test func anEmptyMappingIsLeftWhenTheLastMemberGoes() throws {
        #expect(try Self.edited("a:\n  # why\n  b: 1\nc: 2\n", "a.b", nil) == "a: {}\n  # why\nc: 2\n")
        #expect(try Self.edited("a:\n- b\nc: 2\n", "a[0]", nil) == "a: []\nc: 2\n")
        #expect(try Self.edited("a: 1\n", "a", nil) == "{}\n")
        #expect(try Self.edited("- - a: 1\n", "[0][0].a", nil) == "- - {}\n")
        #expect(try Self.edited("{a: {b: 1,},}", "a.b", nil) == "{a: {},}")
    }

    @Test func commentsBetweenAKeyAndItsValueStay() throws {
        #expect(try Self.edited("a: # why\n- b\n# c\n- d # e\nf: 1\n", "a", "x") == "a: x # why # e\nf: 1\n")
        #expect(try Self.edited("- # c\n  a: 1 # d\n  # e\n  b: 2\n", "[0].a", nil) == "- # c\n  # e\n  b: 2\n")
        #expect(try Self.edited("- a: 1 # d\n  # e\n  b: 2\n", "[0].a", nil) == "-  # d\n  # e\n  b: 2\n")
    }

    @Test func membersOfFlowMappingsOnLinesOfTheirOwnStayOnTheirs() throws {
        let text = "{\n  a: 1, # one\n  b: 2 # two\n}\n"
        #expect(try Self.edited(text, "c", "3") == "{\n  a: 1, # one\n  b: 2, # two\n  c: 3\n}\n")
        #expect(try Self.edited(text, "a", nil) == "{\n  # one\n  b: 2 # two\n}\n")
        #expect(try Self.edited(text, "b", nil) == "{\n  a: 1 # one\n   # two\n}\n")
        #expect(try Self.edited("{\n  a: 1,\n}\n", "c", "3") == "{\n  a: 1,\n  c: 3,\n}\n")
        #expect(try Self.edited("[a: 1, b]", "[0].c", "3") == "[{a: 1, c: 3}, b]")
        #expect(try Self.edited("{a, b: 1}", "a", "3") == "{a: 3, b: 1}")
    }

    @Test func commentsInListsInBracketsStay() throws {
        let lines = "[\n  a, # one\n  b, # two\n  c # three\n]"
        #expect(try Self.edited(lines, "[0]", nil) == "[\n  # one\n  b, # two\n  c # three\n]")
        #expect(try Self.edited(lines, "[2]", nil) == "[\n  a, # one\n  b # two\n   # three\n]")
        #expect(try Self.edited("[\n  a, # one\n  b, # two\n]", "[1]", nil) == "[\n  a, # one\n   # two\n]")
        #expect(try Self.edited("[\n  a,\n  b,\n]", "[1]", nil) == "[\n  a,\n]")
        #expect(try Self.edited("[a, b,]", "[1]", nil) == "[a,]")
        #expect(try Self.edited("[a, # one\n  b]", "[1]", nil) == "[a # one\n  ]")
        #expect(try Self.edited("[\n  a,\n  # about b\n  b\n]", "[1]", nil) == "[\n  a\n  # about b\n]")
        #expect(try Self.edited("[\n  a # one\n  , b\n]", "[0]", nil) == "[\n   # one\n  b\n]")
        #expect(try Self.edited("[\n  a # one\n  , b # two\n]", "[1]", nil) == "[\n  a # one\n   # two\n]")
        #expect(try Self.edited("[\n  # why\n  a # one\n]", "[0]", nil) == "[\n  # why\n   # one\n]")
        #expect(try Self.edited("{a: # why\n  [b, # one\n  ]}", "a[0]", nil) == "{a: # why\n  [ # one\n  ]}")
        #expect(try Self.edited("[a, # one\n  b]", "[0]", nil) == "[ # one\n  b]")
        #expect(try Self.edited("[a,\n  # about b\n  b]", "[0]", nil) == "[\n  # about b\n  b]")
        #expect(try Self.edited("[ a, ]", "[0]", nil) == "[]")
        #expect(try Self.edited("[ # none\n]", adding: "a") == "[a # none\n]")
        #expect(try Self.edited("[# none\n]", adding: "a") == "[a # none\n]")
        #expect(try Self.edited("[]", adding: "a") == "[a]")
    }

    @Test func valuesOfAnchorsAndAliasesAreNotChangedInPlace() {
        let text = "a: &x {b: 1}\nc: *x\nd: &y 5\ne: [&z 1]\n"
        let said = ["a.b", "c.b", "d", "a", "e", "c.q"].map { path in
            do throws(Diagnostic) {
                _ = try Self.edited(text, path, "2")
                return "nothing"
            } catch { return error.text(in: "f") }
        }
        #expect(said[0].hasPrefix("f:1:4: error: \"a\" has the anchor &x; a change inside"))
        #expect(said[1].hasPrefix("f:2:4: error: \"c\" is the alias *x; a change inside"))
        #expect(said[2].hasPrefix("f:3:4: error: \"d\" has the anchor &y"))
        #expect(said[3].hasPrefix("f:1:4: error: \"a\" has the anchor &x"))
        #expect(said[4].hasPrefix("f:4:5: error: \"e\" has the anchor &z"))
        #expect(said[5].hasPrefix("f:2:4: error: \"c\" is the alias *x"))
        #expect(throws: Never.self) { try Self.edited(text, "c", "{b: 2}") }
    }

    @Test func anAnchorDeepInsideIsFoundInLinearTime() throws {
        let text = "a: " + String(repeating: "[", count: 400) + "&x 1" + String(repeating: "]", count: 400)
        #expect(throws: Diagnostic.self) { try Self.edited(text, "a", "1") }
    }

    /// The text of a list after an element is added.
    private static func edited(_ text: String, adding element: String) throws(Diagnostic) -> String {
        let append = ProjectEdit.Change.add(Node(.scalar(element, isQuoted: false)), after: nil)
        return String(try edited("a: " + text, try EditPath("a"), append).dropFirst(3))
    }

    /// The text after a value is set, or removed.
    static func edited(_ text: String, _ path: String, _ value: String?) throws(Diagnostic) -> String {
        let node = try value.map { (value) throws(Diagnostic) in
            try ProjectEdit.value(value) { (source) throws(Diagnostic) in try Node(yaml: source) }
        }
        return try edited(text, try EditPath(path), node.map(ProjectEdit.Change.set) ?? .remove)
    }

    /// The text after an edit, which reads as the edit says.
    private static func edited(
        _ text: String, _ path: EditPath, _ change: ProjectEdit.Change
    ) throws(Diagnostic) -> String {
        let source = SourceFile(name: "flags.yaml", bytes: Array(text.utf8))
        let result = try ProjectEdit(path, change).apply(to: source, root: try Node(yaml: source), format: .yaml)
        let text = String(decoding: result.bytes, as: UTF8.self)
        let reread = try Node(yaml: SourceFile(name: "flags.yaml", bytes: result.bytes))
        #expect(reread.hasSameContent(as: result.root), "\(text)")
        return text
    }
}

extension String {
    /// The text before and after a part that occurs once.
    fileprivate func components(around part: String) -> (before: String, after: String)? {
        guard let range = utf8.firstRange(of: part.utf8) else { return nil }
        return (String(self[..<range.lowerBound]), String(self[range.upperBound...]))
    }

    fileprivate func replacing(_ part: String, with other: String) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).joined(separator: other)
    }
}
