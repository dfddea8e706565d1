@Suite struct YAMLErrorTests {
    /// Texts with the beginning of what is said of them.
    private static let errors: KeyValuePairs<String, String> = [
        "": "1:1: error: the file is empty", "# only a comment\n": "1:1: error: the file is empty",
        "---\n": "1:1: error: the file is empty", "a: *b\n": "1:4: error: no anchor &b comes before the alias *b",
        "a: &good 1\nb: *goot\n": "2:4: error: no anchor &goot comes before the alias *goot. Did you mean \"*good\"?",
        "a: &x [1, *x]\n": "1:11: error: the alias *x is inside the node that it names",
        "a: &x\n  b: {c: *x}\n": "2:10: error: the alias *x is inside the node that it names",
        "a: 1\nb: !secret x\n": "2:4: error: tags such as !name are not supported",
        "!!map {a: 1}\n": "1:1: error: tags such as !name are not supported",
        "a: &x {b: 1}\nc:\n  <<: *x\n": "3:3: error: merge keys (<<) are not supported",
        "? [a, b]\n: 1\n": "1:3: error: expected a key, found a list",
        "{{a: 1}: 2}": "1:2: error: expected a key, found a list",
        "&x a: 1\n*x : 2\n": "2:1: error: expected a key, found a list, a mapping or an alias",
        "a: 1\n---\nb: 2\n": "2:1: error: a second document", "a: 1\n...\nb: 2\n": "3:1: error: a second document",
        "%YAML 1.1\n---\na: 1\n": "1:1: error: directives such as %YAML are not supported",
        "# x\n\n%TAG ! a\n": "3:1: error: directives such as %YAML are not supported",
        "a:\n\tb: 1\n": "2:1: error: a tab cannot indent YAML", "\ta: 1\n": "1:1: error: a tab cannot indent YAML",
        "a: |\n\tx\n": "2:1: error: a tab cannot indent YAML",
        "a: x\u{0}y\n": "1:5: error: a NUL character in the text",
        "é: x\u{7}\n": "1:5: error: the character U+0007 in the text",
        "a: \"x\nb: 1\n": "1:4: error: a quote without its end", "a: 'x\n---\n": "2:1: error: a quote without its end",
        "a: \"\\q\"\n": "1:5: error: an unknown escape after the backslash",
        "a: [1, 2\nb: 3\n": "2:2: error: expected a comma or ] in the list",
        "a: {b: 1\n": "2:1: error: expected a comma or } in the mapping",
        "a: 1\n b: 2\n": "2:3: error: a colon and a space are not expected here",
        "a: 1\nb\nc: 2\n": "2:1: error: expected a colon and a space after this key",
        "a: b: c\n": "1:5: error: a colon and a space are not expected here",
        "a:\n  - 1\n  b: 2\n": "3:3: error: expected a list item that begins with - (the block collection",
        "a:\n    b: 1\n  c: 2\n": "3:3: error: expected a key",
        "a: - b\n": "1:4: error: a list item (-) is not expected here",
        "a: @b\n": "1:4: error: this character cannot begin a value",
        "a: &\n": "1:5: error: expected a name after & or *",
        "a: |x\n": "1:5: error: expected the end of the line after | or >", "[1] 2\n": "1:5: error: ",
    ]

    /// In a list of several lines, markers are text for YAML.
    @Test(arguments: [
        "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> topic\n",
        "a: [1,\n<<<<<<< HEAD\n2,\n=======\n3,\n>>>>>>> topic\n]\n", "a: 1\n>>>>>>> topic\nb: [",
    ]) func conflictMarkersAreNamed(text: String) {
        do throws(Diagnostic) {
            _ = try read(text)
            Issue.record("no error in \(text.debugDescription)")
        } catch {
            #expect(error.code == "conflict-markers")
            #expect(error.text(in: "f").hasPrefix("f:2:1: error: the file has an unresolved conflict that git marked"))
        }
    }

    @Test func whatAnAnchorNamesIsReportedOnce() throws {
        let text = """
            project: p
            environments: {production: {}}
            flags:
              a:
                rules: &rules
                  - delivery: d
                    serve: onn
                    traffik: 300%
              b:
                rules: *rules
              c:
                rules: *rules

            """
        let source = SourceFile(name: "f", bytes: Array(text.utf8))
        let root = try Node(yaml: source)
        do throws(Diagnostics) {
            _ = try ProjectReader.read(root, in: source)
            Issue.record("no error")
        } catch {
            #expect(
                error.all.map { "\($0.position?.line ?? 0) \($0.code)" }
                    == ["6 duplicate-rule", "7 unknown-variation", "8 unknown-key", "8 percentage"])
        }
    }

    @Test func markersInATextAreNoConflict() throws { _ = try read("a: |\n  <<<<<<< HEAD\n  >>>>>>> topic\nb: x\n") }

    @Test func errorsAreInPlainWordsWithTheirPlace() {
        for (text, start) in Self.errors {
            do throws(Diagnostic) {
                _ = try read(text)
                Issue.record("no error in \(text.debugDescription)")
            } catch {
                let said = error.text(in: "f")
                #expect(said.hasPrefix("f:" + start), "\(text.debugDescription): \(said)")
                #expect(error.advice != nil || error.code == "empty")
            }
        }
    }

    @Test(arguments: [
        [0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61], [0x61, 0x3A, 0x20, 0xFF], [0x61, 0x3A, 0x20, 0xC3],
        [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    ]) func onlyUTF8IsRead(bytes: [Int]) {
        #expect { try Node(yaml: SourceFile(name: "x", bytes: bytes.map(UInt8.init))) } throws: { error in
            let text = (error as? Diagnostic)?.text(in: "f") ?? ""
            return text.contains("UTF-8") && text.hasPrefix("f:1:") && text.hasSuffix("[encoding]")
        }
    }
}
