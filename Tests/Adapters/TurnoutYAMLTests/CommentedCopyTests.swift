@Suite("A copy inside a project file keeps the comments of both places")
struct CommentedCopyTests {
    /// Copies `in.staging` to `in.production`. The text must read as what the copy means.
    private func promoted(_ text: String) throws -> String {
        let source = SourceFile(name: "flags.yaml", bytes: Array(text.utf8))
        let edit = ProjectEdit(try EditPath("in.production"), .copy(from: try EditPath("in.staging")))
        let result = try edit.apply(to: source, root: try Node(yaml: source), format: .yaml)
        let new = String(decoding: result.bytes, as: UTF8.self)
        #expect(try read(new).hasSameContent(as: result.root), "\(new)")
        return new
    }

    private let staging = """
        in:
          # Tried first.
          staging:  # by QA
            rules:
              # Ends in March.
              - experiment: ab
                traffic: 50%   # half
                split: {off: 50, on: 50}
              - delivery: all
                serve: on

        """

    @Test func anEntryThatIsMissingIsCopiedWithItsComments() throws {
        #expect(
            try promoted(staging + "else: off\n")
                == staging + """
                      production:  # by QA
                        rules:
                          # Ends in March.
                          - experiment: ab
                            traffic: 50%   # half
                            split: {off: 50, on: 50}
                          - delivery: all
                            serve: on
                    else: off

                    """)
    }

    @Test func commentsOnWhatStaysAreKept() throws {
        let production = """
              # Ask Ada before a change.
              production:  # live
                rules:
                  - delivery: gone   # goes
                    serve: on
                  # The rest.
                  - delivery: all
                    serve: on  # all of it
                  # The test.
                  - experiment: ab  # checkout
                    # Raise on Monday.
                    traffic: 10%  # a tenth
                    status: paused
                    split: {off: 50, on: 50}
                    # Nothing more.
            # end

            """
        #expect(
            try promoted(staging + production)
                == staging + """
                      # Ask Ada before a change.
                      production:  # live
                        rules:
                          # The test.
                          - experiment: ab  # checkout
                            # Raise on Monday.
                            traffic: 50%  # a tenth
                            split: {off: 50, on: 50}
                            # Nothing more.
                          # The rest.
                          - delivery: all
                            serve: on  # all of it
                    # end

                    """)
    }

    @Test func rulesThatAreNewComeWithTheirComments() throws {
        let production = "    production:\n        rules:\n        -   delivery: all # last\n            serve: off"
        let source = staging.replacing("\n  ", with: "\n    ")
        #expect(
            try promoted(source + production)
                == source + """
                        production:
                            rules:
                            # Ends in March.
                            - experiment: ab
                              traffic: 50%   # half
                              split: {off: 50, on: 50}
                            -   delivery: all # last
                                serve: on

                    """)
    }

    @Test(arguments: [
        "production: {rules: []}  # none", "production: {}", "production:", "\"production\": {else: off}",
    ])
    func otherEntriesAreReplaced(entry: String) throws {
        let text = try promoted(staging + "  # Live.\n  \(entry)\n")
        #expect(text.contains("  # Live.\n  production:"))
        #expect(text.contains("    # Ends in March.\n      - experiment: ab\n        traffic: 50%   # half\n"))
    }

    @Test func flowStyleIsCopiedAsAValue() throws {
        #expect(
            try promoted("in: {staging: {else: on}, b: {}}\n")
                == "in: {staging: {else: on}, b: {}, production: {else: on}}\n")
        #expect(
            try promoted("in:\n  staging: {else: on}\n  production: # live\n    else: off  # now\n")
                == "in:\n  staging: {else: on}\n  production: # live\n    else: on  # now\n")
    }
}
