/// A command with an option of every kind.
private let decide = CommandSyntax(
    name: "decide", summary: "Decides which variation of each flag users get.",
    discussion: """
        A decision needs a datafile
        and a user.

          turnout decide -d shop.json
        """,
    options: [
        .value("--datafile", "FILE", "The datafile to decide with.").short("d").required(),
        .value("--flag", "KEY", "The flag to decide. Without it, all flags.").short("f").repeatable(),
        .value("--user", "ID", "The user to decide for.").orEmpty(),
        .value("--attribute", "NAME=VALUE", "What is known about the user.").repeatable(),
        .value("--options", "A,B", "What to leave out.").commaSeparated().oneOf("includeReasons", "excludeVariables"),
        .value("--limit", "COUNT", "How many users to read."), .toggle("--effects", "Also show what would be sent."),
        .value("--output", "FORMAT", "How to print.").oneOf("table", "json", "ndjson").byDefault("table"),
    ], examples: ["turnout decide -d shop.json --user ada": "All flags for one user."])

/// The parsed arguments of a command line, with the required `-d F` added.
private func arguments(_ line: String...) throws -> ParsedArguments {
    guard case .run(let arguments) = try decide.parse(["-d", "F"] + line) else {
        throw UsageError.unexpectedOperand("--help")
    }
    return arguments
}

@Suite struct OptionTests {
    @Test(arguments: [["--datafile", "a=b"], ["--datafile=a=b"], ["-d", "a=b"], ["-d=a=b"]])
    func allOptionSpellingsAreEquivalent(line: [String]) throws {
        guard case .run(let arguments) = try decide.parse(line) else { throw UsageError.unexpectedOperand("help") }
        #expect(arguments["--datafile"] == "a=b")
    }

    @Test func omittedOptionsAreAbsentOrDefault() throws {
        let arguments = try arguments()
        #expect(arguments.value("--user") == nil)
        #expect(arguments.values("--flag") == [])
        #expect(!arguments.has("--effects"))
        #expect(arguments["--output"] == "table")
        #expect(!arguments.has("--output"))
    }

    @Test func repeatableOptionsKeepTheirOrder() throws {
        #expect(try arguments("-f", "b", "--flag=a", "--flag", "b").values("--flag") == ["b", "a", "b"])
    }

    @Test func commasSeparateAndRepetitionsAdd() throws {
        let arguments = try arguments("--options", "includeReasons,,", "--options=excludeVariables")
        #expect(arguments.values("--options") == ["includeReasons", "excludeVariables"])
    }

    @Test func repeatedSwitchesAreHarmless() throws {
        #expect(try arguments("--effects", "--effects").has("--effects"))
    }

    @Test(arguments: ["-5", "-", "-x=1", "a b", "é", "=", "\u{301}"])
    func valuesMayLookUnusual(value: String) throws {
        #expect(try arguments("--user", value).value("--user") == value)
        #expect(try arguments("--user=" + value).value("--user") == value)
    }

    @Test func valuesThatLookLikeOptionsFollowAnEqualsSign() throws {
        #expect(try arguments("--user=--effects").value("--user") == "--effects")
        #expect(try arguments("--user=--help").value("--user") == "--help")
    }

    @Test func onlySomeOptionsAcceptTheEmptyText() throws {
        #expect(try arguments("--user=").value("--user") == "")
        #expect(try arguments("--user", "").value("--user") == "")
        #expect(throws: UsageError.emptyValue(option: "--flag KEY")) { try arguments("--flag=") }
        #expect(throws: UsageError.emptyValue(option: "--flag KEY")) { try arguments("--flag", "") }
    }

    @Test func pairsAreDividedAtTheFirstEqualsSign() throws {
        let pairs = try arguments("--attribute=plan=a=b", "--attribute", "empty=", "--attribute", "accent=\u{301}")
            .pairs("--attribute")
        #expect(pairs.map(\.name) == ["plan", "empty", "accent"])
        #expect(pairs.map(\.value) == ["a=b", "", "\u{301}"])
    }

    @Test(arguments: ["plan", "=gold"])
    func pairsNeedANameAndAnEqualsSign(text: String) throws {
        let arguments = try arguments("--attribute", text)
        #expect(
            throws: UsageError.invalidValue(
                option: "--attribute", value: text, expected: "NAME=VALUE", nearest: nil)
        ) { try arguments.pairs("--attribute") }
    }

    @Test func numbersStayInTheirRange() throws {
        #expect(try arguments("--limit", "10").integer("--limit", in: 1...10) == 10)
        #expect(try arguments().integer("--limit", in: 1...10) == nil)
        for text in ["0", "11", "ten", "1.0", "99999999999999999999"] {
            let arguments = try arguments("--limit", text)
            #expect(throws: UsageError.self) { try arguments.integer("--limit", in: 1...10) }
        }
    }

    @Test func operandsFollowTheDeclaredCount() throws {
        var compare = CommandSyntax(name: "compare", summary: "Compares.", options: [.toggle("--all", "All.")])
        compare.operands = .init("OLD NEW", "The datafiles.", count: 2...2)
        guard case .run(let arguments) = try compare.parse(["a", "--all", "--", "--all"]) else {
            throw UsageError.unexpectedOperand("--help")
        }
        #expect(arguments.operands == ["a", "--all"])
        #expect(arguments.has("--all"))
        #expect(throws: UsageError.missing(anyOf: ["OLD NEW"])) { try compare.parse([]) }
        #expect(throws: UsageError.unexpectedOperand("c")) { try compare.parse(["a", "b", "c"]) }
        #expect(throws: UsageError.missing(anyOf: ["NEW"])) { try compare.parse(["a"]) }
        #expect(compare.usage == "turnout compare [OPTIONS] OLD NEW")
    }
}

@Suite struct UsageErrorTests {
    @Test func missingRequiredOptionsAreErrors() {
        #expect(throws: UsageError.missing(anyOf: ["--datafile FILE"])) { try decide.parse([]) }
    }

    @Test func forgottenValuesDoNotSwallowTheNextOption() {
        #expect(throws: UsageError.missingValue(option: "--user ID", found: nil)) { try arguments("--user") }
        for next in ["--effects", "--", "--unknown", "-d", "-f=x"] {
            #expect(throws: UsageError.missingValue(option: "--user ID", found: next)) { try arguments("--user", next) }
        }
    }

    @Test(
        arguments: zip(
            ["--datafiel", "-datafile", "--DATAFILE", "--attr", "--hepl", "-dshop", "--zebra", "-5", "---"],
            ["--datafile", "--datafile", "--datafile", "--attribute", "--help", "-d shop", nil, nil, nil]))
    func unknownOptionsSuggestTheNearest(spelling: String, nearest: String?) {
        #expect(throws: UsageError.unknownOption(spelling, nearest: nearest)) { try arguments(spelling) }
    }

    @Test func otherMistakes() {
        #expect(throws: UsageError.repeatedOption("--user")) { try arguments("--user", "a", "--user", "b") }
        #expect(throws: UsageError.unexpectedOperand("x")) { try arguments("x") }
        #expect(throws: UsageError.unexpectedValue(option: "--effects", value: "no")) { try arguments("--effects=no") }
        #expect(
            throws: UsageError.invalidValue(
                option: "--output", value: "jsn", expected: "one of table, json, ndjson", nearest: "json")
        ) { try arguments("--output", "jsn") }
    }

    @Test func reportsSuggestACorrection() {
        let error = UsageError.unknownOption("--datafiel", nearest: "--datafile")
        let report = """
            turnout decide: there is no option '--datafiel'.
            Did you mean "--datafile"?
            Try `turnout decide --help`.

            """
        #expect(error.report(from: decide.invocation) == report)
        #expect(UsageError.exitCode == 2)
    }

    @Test func reportsEscapeControlCharacters() {
        let error = UsageError.missingValue(option: "--user ID", found: "--\u{1B}[2J\n")
        #expect(error.report(from: "turnout").contains("Write --user ID, or --user=--␛[2J␊ if that is the value.\n"))
        #expect(UsageError.unexpectedOperand("\u{1B}").message.contains("'␛'"))
        #expect(UsageError.unexpectedOperand(String(repeating: "x", count: 5000)).message.count < 100)
    }

    @Test func everyErrorReadsAsASentence() {
        let missing = UsageError.missing(anyOf: ["--user ID", "--users FILE"])
        #expect(missing.message == "--user ID or --users FILE is missing")
        #expect(UsageError.conflicting("--user", "--users").message == "--user and --users exclude each other")
        #expect(UsageError.missingValue(option: "--user ID", found: nil).advice == "Write --user ID.")
    }
}

@Suite struct HelpTests {
    @Test(arguments: [["--help"], ["-h"], ["--unknown", "-h"], ["-d", "--help"]])
    func helpTakesPrecedenceOverErrors(line: [String]) throws {
        guard case .help = try decide.parse(line) else {
            Issue.record("no help for \(line)")
            return
        }
    }

    @Test func afterTheEndOfOptionsHelpIsAnOperand() {
        #expect(throws: UsageError.unexpectedOperand("--help")) { try arguments("--", "--help") }
    }

    @Test func helpIsAlignedAndWrapped() {
        let expected = """
            Usage: turnout decide --datafile FILE [OPTIONS]

            Decides which variation of each flag users get.

            A decision needs a datafile and a user.

              turnout decide -d shop.json

            Options:
              -d, --datafile FILE         The datafile to decide with. Required.
              -f, --flag KEY              The flag to decide. Without it, all flags. May be
                                          repeated.
                  --user ID               The user to decide for.
                  --attribute NAME=VALUE  What is known about the user. May be repeated.
                  --options A,B           What to leave out. One of: includeReasons,
                                          excludeVariables. Several are separated by commas.
                  --limit COUNT           How many users to read.
                  --effects               Also show what would be sent.
                  --output FORMAT         How to print. One of: table, json, ndjson. Default:
                                          table.
              -h, --help                  Show this help.

            Examples:
              turnout decide -d shop.json --user ada
                  All flags for one user.

            """
        #expect(decide.help(width: 82) == expected)
    }

    @Test func aLongExampleContinuesOnTheNextLineButNotInsideOfQuotes() {
        var syntax = decide
        syntax.examples = [
            .init("turnout decide --datafile shop.json --attribute 'name=Ada King Lovelace' > out", "Text.")
        ]
        let end = """
              turnout decide --datafile shop.json \\
                  --attribute 'name=Ada King Lovelace' \\
                  > out
                  Text.

            """
        #expect(syntax.help(width: 44).hasSuffix(end), "\(syntax.help(width: 44))")
        #expect(syntax.help(width: 100).contains("'name=Ada King Lovelace' > out\n"))
    }

    @Test(arguments: [1, 20, 40, 60, 80, 200])
    func helpFitsEveryWidth(width: Int) {
        let lines = decide.help(width: width).split(separator: "\n")
        for line in lines where line.displayWidth > max(width, 20) {
            // Longer lines have only unbreakable text: option names, examples, single words.
            #expect(line.contains("--") || line.contains("turnout") || !line.drop { $0 == " " }.contains(" "))
        }
        #expect(lines.allSatisfy { $0.last != " " && $0.count <= 100 })
    }

    @Test func headingsAreBoldInColor() {
        #expect(decide.help(width: 80, hasColor: true).contains("\u{1B}[1mOptions:\u{1B}[0m\n"))
    }
}

@Suite struct ToolSyntaxTests {
    private let tool = ToolSyntax(
        name: "turnout", summary: "Decides who gets what.",
        commands: [decide, CommandSyntax(name: "explain", summary: "Explains a decision.")])

    @Test(arguments: [[], ["--help"], ["-h"], ["help"], ["help", "--help"]])
    func helpAndAnEmptyLinePrintTheOverview(line: [String]) throws {
        #expect(try tool.request(for: line) == .overview)
    }

    @Test func commandsAreFoundByName() throws {
        #expect(try tool.request(for: ["decide", "-d", "F"]) == .command(decide, arguments: ["-d", "F"]))
        #expect(try tool.request(for: ["help", "decide"]) == .help(decide))
        #expect(try tool.request(for: ["--version"]) == .version)
    }

    @Test(arguments: zip(["decied", "Explain", "exp", "dance", ""], ["decide", "explain", "explain", nil, nil]))
    func unknownCommandsSuggestTheNearest(name: String, nearest: String?) {
        #expect(throws: UsageError.unknownCommand(name, nearest: nearest)) { try tool.request(for: [name]) }
        #expect(throws: UsageError.unknownCommand(name, nearest: nearest)) { try tool.request(for: ["help", name]) }
    }

    @Test func optionsBeforeTheCommandAreUnknown() {
        #expect(throws: UsageError.unknownOption("--versoin", nearest: "--version")) {
            try tool.request(for: ["--versoin"])
        }
    }

    @Test(arguments: zip([["version"], ["--explain"], ["verison"]], ["--version", "explain", "--version"]))
    func optionsAndCommandsAreSuggestedForEachOther(line: [String], nearest: String) {
        let error = #expect(throws: UsageError.self) { try tool.request(for: line) }
        #expect(error?.advice == "Did you mean \"\(nearest)\"?")
    }

    @Test func theBeginningOfAnOptionSuggestsIt() {
        #expect(throws: UsageError.unknownOption("--out", nearest: "--output")) { try arguments("--out") }
    }

    @Test func theOverviewListsAllCommands() {
        let expected = """
            Usage: turnout COMMAND [OPTIONS]

            Decides who gets what.

            Commands:
              decide   Decides which variation of each flag users get.
              explain  Explains a decision.

            Exit codes: 0 on success, 1 if the command failed, 2 if the command line is invalid, 3 if the
            command did its work and found what it checks for: a difference, a finding, or a file that is out of
            date.

            `turnout help COMMAND` explains a command; `turnout --version` names this release.

            """
        #expect(tool.help(width: 100) == expected)
    }
}
