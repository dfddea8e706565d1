@Suite("Errors in the text of a project name the place and what to do")
struct SyntaxErrorTests {
    @Test func aTrailingCommaIsNamed() {
        #expect(
            ProjectText("{\"project\": \"é\",\n \"events\": [\"a\", \"é\" ,\n ]}").errors() == [
                "f:2:22: error: a comma before ], with nothing between them; JSON has no trailing commas. Remove the "
                    + "comma. [syntax]"
            ])
        #expect(
            ProjectText(#"{"project": "a",}"#).errors().first?.hasPrefix("f:1:16: error: a comma before }, with")
                == true)
    }

    @Test func theCodeTellsAnEncodingAndALimitFromSyntax() throws {
        func code(_ bytes: [UInt8]) -> String? {
            do throws(Diagnostic) {
                _ = try Node(json: SourceFile(name: "f", bytes: bytes))
                return nil
            } catch { return error.code }
        }
        #expect(code(Array(#"{"project": "p"#.utf8) + [0xFF] + Array(#""}"#.utf8)) == "encoding")
        #expect(code([0xFF, 0xFE, 0x7B, 0]) == "encoding")
        #expect(code(Array(repeating: UInt8(ascii: "["), count: 600)) == "limit")
        #expect(code(Array("{".utf8)) == "syntax")
    }

    @Test func conflictMarkersAreNamed() {
        let text =
            "{\"project\": \"shop\",\n<<<<<<< HEAD\n\"events\": []\n=======\n\"events\": [\"a\"]\n>>>>>>> topic\n}"
        let advice =
            "Edit the text between the markers as needed, delete the lines of the markers, and compile again. "
            + "[conflict-markers]"
        let marked = "that git marked with <<<<<<<, ======= and >>>>>>>. "
        #expect(ProjectText(text).errors() == ["f:2:1: error: the file has an unresolved conflict \(marked)\(advice)"])
        let two = ProjectText("{\n" + text + "\n" + text).errors()
        #expect(two == ["f:3:1: error: the file has 2 unresolved conflicts \(marked)\(advice)"])
    }

    /// A file can have several problems; only those of its syntax hide others.
    @Test func errorsOfTheCompilerAreReportedWithThoseOfTheReader() throws {
        let conditions = (1...50).map { #""a\#($0)": {"not": "a\#($0 - 1)"}"# }.joined(separator: ",\n")
        let text = ProjectText(
            """
            {"project": "shop", "environments": {"production": {}}, "attributes": ["a"], "tarffic": 5,
             "audiences": {"a0": {"a": 1}, \(conditions)}}
            """)
        var lock = LockFile()
        lock.projectKey = "other"
        let codes = text.errors(lock).map { $0.split(separator: "[").last.map(String.init) ?? "" }
        #expect(codes == ["other-project]", "unknown-key]", "condition-depth]"])
    }
}

@Suite("Errors of the compiler have a place")
struct CompilingErrorTests {
    private let text = ProjectText(
        """
        {
         "project": "shop",
         "environments": {"production": {}},
         "attributes": ["plan"],
         "flags": {
          "first": {},
          "second": {"datafile": {"variables": 7}, "rules": [
            {"experiment": "ab", "split": ["off"], "traffic": "30%"}]}
         }
        }
        """)

    @Test func aLockOfAnotherProjectIsReportedAtTheProject() {
        var lock = LockFile()
        lock.projectKey = "other"
        let errors = text.errors(lock)
        #expect(
            errors.first?.hasPrefix(#"f:2:2: error: the lock belongs to the project "other", not to "shop";"#) == true)
    }

    @Test func anInvalidDatafileIsReportedAtItsPart() {
        let errors = text.errors()
        #expect(errors.count == 1)
        #expect(
            errors.first?.hasPrefix(
                "f:7:3: error: the datafile of production would be invalid: $.featureFlags[1].variables")
                == true, "\(errors)")
    }

    @Test func twoDivisionsOfTheTrafficAreReportedAtTheRuleWithTheirLines() throws {
        let valid = ProjectText(
            String(decoding: text.source.bytes, as: UTF8.self).replacing(#""datafile": {"variables": 7}, "#, with: ""))
        let lines = try valid.lock().text.split(separator: "\n").map(String.init)
        let index = try #require(lines.firstIndex { $0.hasPrefix(#"["traffic""#) })
        let ends = ["2000", "4000"].map { lines[index].replacing("3000", with: $0) }
        let merged = lines[..<index] + ends + lines[(index + 1)...]
        let errors = valid.errors(try LockFile(text: merged.joined(separator: "\n")))
        #expect(
            errors.first?.hasPrefix(
                "f:8:6: error: turnout.lock has two lines for the traffic of rule production/second/ab, \(index + 1) "
                    + "and \(index + 2), from two branches, and the project does not say which is right; keep the line"
            ) == true, "\(errors)")
    }
}
