@Suite struct ProjectEditTests {
    private static let project = """
        {
          "flags": {
            "checkout": {
              "rules": [
                {"experiment": "checkout_ab", "traffic": "50%", "split":{"off":50}},
                {"delivery": "all", "serve": "on", "metrics": []}
              ],
              "else": "off"
            },
            "a.b": {}, "twice": 1, "twice": 2
          }
        }

        """

    /// The text after an edit, which reads as the edit says.
    private func edited(_ text: String, _ path: String, _ value: String?) throws(Diagnostic) -> String {
        let source = SourceFile(name: "flags.json", bytes: Array(text.utf8))
        let node = try value.map { (value) throws(Diagnostic) in
            try ProjectEdit.value(value) { (source) throws(Diagnostic) in try Node(json: source) }
        }
        let edit = ProjectEdit(try EditPath(path), node.map(ProjectEdit.Change.set) ?? .remove)
        let result = try edit.apply(to: source, root: try Node(json: source), format: .json)
        let reread = try Node(json: SourceFile(name: "flags.json", bytes: result.bytes))
        #expect(reread.hasSameContent(as: result.root))
        return String(decoding: result.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("flags.checkout.rules.checkout_ab.traffic", "25%", "\"50%\"", "\"25%\""),
        ("flags.checkout.rules[0].split.off", "1.50", "\"off\":50", "\"off\":1.50"),
        ("flags.checkout.rules.checkout_ab.split.on", "5", "\"off\":50}", "\"off\":50, \"on\": 5}"),
        ("flags.checkout.rules.all.metrics", "[\"a\", 1]", "\"metrics\": []", "\"metrics\": [\"a\", 1]"),
        ("flags.\"a.b\".else", "on", "\"a.b\": {}", "\"a.b\": {\"else\": \"on\"}"),
        ("flags.checkout.enabled", "false", "\"off\"\n", "\"off\",\n      \"enabled\": false\n"),
        ("flags.checkout.else", nil, ",\n      \"else\": \"off\"\n", "\n"),
        (
            "flags.checkout.rules.all", nil, "},\n        {\"delivery\": \"all\", \"serve\": \"on\", \"metrics\": []}",
            "}"
        ),
        ("version", "\"x\"", "  }\n}", "  },\n  \"version\": \"x\"\n}"),
    ])
    func onlyTheValueChanges(path: String, value: String?, old: String, new: String) throws {
        let range = try #require(Self.project.utf8.firstRange(of: old.utf8))
        let expected = Self.project[..<range.lowerBound] + new + Self.project[range.upperBound...]
        #expect(try edited(Self.project, path, value) == expected)
    }

    @Test(arguments: [
        ("flags.chekout.else", "2:12", "its keys are checkout, \"a.b\", twice, twice. Did you mean \"checkout\"?"),
        ("flags.checkout.rules.chekout_ab", "4:16", "its rules are checkout_ab, all. Did you mean \"checkout_ab\"?"),
        ("flags.checkout.rules[2].serve", "4:16", "\"flags.checkout.rules\" has no element [2]; it has 2"),
        ("flags.checkout.else.x", "8:15", "\"flags.checkout.else\" is a single value"),
        ("flags[0]", "2:12", "\"flags\" is a mapping, not a list"),
        ("flags.twice", "10:37", "\"flags\" has \"twice\" 2 times"),
        ("x.y", "1:1", "the file has no \"x\"; its keys are flags"),
    ])
    func wrongPathsAreExplained(path: String, place: String, message: String) {
        #expect {
            try edited(Self.project, path, "1")
        } throws: { error in
            let text = (error as? Diagnostic)?.text(in: "f") ?? ""
            return text.contains(message) && text.hasPrefix("f:\(place): ")
        }
        #expect(throws: Diagnostic.self) { try edited(Self.project, path, nil) }
    }

    /// Imported rules carry the ids that they have in their environment.
    @Test func copiedRulesKeepTheIdsOfTheirEnvironment() throws {
        let text = """
            {
              "in": {
                "staging": {"rules": [{"delivery": "a", "serve": "on", "datafile": {"id": "7", "type": "td"}},
                  {"delivery": "b", "serve": "on", "datafile": {"layerId": "9"}}],
                  "else": {"serve": "on", "datafile": {"key": "x"}}},
                "production": {"rules": [{"delivery": "a", "serve": "off", "datafile": {"id": "1"}}]}
              }
            }
            """
        let source = SourceFile(name: "flags.json", bytes: Array(text.utf8))
        let edit = ProjectEdit(try EditPath("in.production"), .copy(from: try EditPath("in.staging")))
        let result = try edit.apply(to: source, root: try Node(json: source), format: .json)
        let reread = try Node(json: SourceFile(name: "flags.json", bytes: result.bytes))
        #expect(reread.hasSameContent(as: result.root))
        let production = try #require(reread["in"]?["production"])
        let expected = """
            {"rules": [{"delivery": "a", "serve": "on", "datafile": {"type": "td", "id": "1"}},
              {"delivery": "b", "serve": "on"}], "else": {"serve": "on"}}
            """
        #expect(production.hasSameContent(as: try Node(json: SourceFile(name: "e", bytes: Array(expected.utf8)))))
    }

    // MARK: Edit path

    @Test(arguments: [
        "flags.checkout.rules.checkout_ab.traffic", "a", "rules[0]", "[0][12].a", "flags.\"a.b\".else", "\"\"",
        "a.\"x\\\"y\\\\z\"", "a.\"[0]\"", "é.ü", "a b.c-d",
    ])
    func pathsAreWrittenAsTheyAreRead(text: String) throws {
        #expect(try EditPath(text).description == text)
    }

    @Test func stepsAreKeysAndPositions() throws {
        #expect(throws: Diagnostic.self) { try EditPath("a" + String(repeating: ".a", count: 512)) }
        #expect(try EditPath("a.\"b.c\"[2].d.[3]").steps == [.key("a"), .key("b.c"), .index(2), .key("d"), .index(3)])
    }

    @Test(arguments: [
        "", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "a[1", "a[1]b", "\"a", "\"a\"b", "a[99999999999999999999]",
        "\"\\",
    ])
    func invalidPathsAreExplained(text: String) {
        #expect {
            try EditPath(text)
        } throws: { error in
            (error as? Diagnostic)?.message.hasPrefix("\"\(text)\" is not the path of a value: ") == true
        }
    }
}
