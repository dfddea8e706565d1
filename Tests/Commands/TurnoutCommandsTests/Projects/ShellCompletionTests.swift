/// Completion in the shells themselves, with the program.
@Suite(.blocking) struct ShellCompletionTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized.path
    private static let programs =
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

    /// Lines, and what the last word of each becomes.
    private static let lines = [
        ("turnout comp", ["compile", "completions"]), ("turnout lint --out", ["--output"]),
        ("turnout lint --output s", ["sarif"]), ("turnout lint fl", ["flags.yaml"]),
        ("turnout profiles c", ["copy", "count", "check"]), ("turnout generate s", ["swift"]),
        ("turnout decide --flag dark", ["dark_mode"]), ("turnout promote d", ["demo"]),
        ("turnout decide --options includeReasons,ignoreU", ["includeReasons,ignoreUserProfileService"]),
        ("turnout set dark", ["dark_mode."]), ("turnout arch", ["archive"]), ("turnout archive fl", ["flag"]),
        ("turnout archive flag dark", ["dark_mode"]), ("turnout set dark_mode.ru", ["dark_mode.rules."]),
        ("turnout set dark_mode.rules.dark_ramp.tr", ["dark_mode.rules.dark_ramp.traffic"]),
        ("turnout explain --environment d", ["demo"]), ("turnout completions z", ["zsh"]),
    ]

    private let directory = TemporaryDirectory(isCreated: true)

    init() throws {
        try FileManager.default.copyItem(
            atPath: Self.root + "/Examples/Shop/flags.yaml", toPath: directory.path + "/flags.yaml")
    }

    private func output(of shell: String, _ script: String) throws -> String {
        let file = directory.url.appending(path: "script")
        try Data("cd '\(directory.path)'\n\(script)".utf8).write(to: file)
        let path = "PATH=\(Self.programs):" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        return try ChildProcess.output(of: "env", [path, shell] + (shell == "zsh" ? ["-f"] : []) + [file.path])
    }

    @Test func bashCompletes() throws {
        let calls = Self.lines.map { line, _ in
            """
            COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _turnout
            IFS=' '; echo "${COMPREPLY[*]}"

            """
        }
        let output = try output(of: "bash", "source <(turnout completions bash)\n" + calls.joined())
        #expect(output == Self.lines.map { $0.1.joined(separator: " ") + "\n" }.joined())
    }

    @Test func fishCompletes() throws {
        let calls = Self.lines.map { line, _ in
            "string join -- ' ' (complete -C '\(line)' | string replace -r '\\t.*' '' | sort); echo\n"
        }
        let output = try output(of: "fish", "turnout completions fish | source\n" + calls.joined())
        let expected = Self.lines.map { $0.1.sorted().joined(separator: " ") + "\n" }
        #expect(output.split(separator: "\n") == expected.joined().split(separator: "\n"))
    }

    /// In a terminal, because the completion of zsh belongs to its line editor. Only lines with one result.
    @Test func zshCompletes() throws {
        let lines = Self.lines.filter { $0.1.count == 1 }
        let presses = lines.map { line, _ in
            """
            zpty -w -n shell $'\\x15\(line)\\t\\x18s'
            for i in {1..600}; do [[ -s line ]] && break; sleep 0.1; done
            cat line; rm -f line

            """
        }
        let script = """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            turnout completions zsh > _turnout
            zpty -w shell "autoload -Uz compinit; compinit -u -D; source ./_turnout"
            zpty -w shell 'show() { print -r -- "$BUFFER" > new; mv new line }; zle -N show; bindkey "^Xs" show'
            \(presses.joined())zpty -d shell

            """
        let expected = lines.map { line, results in
            let start = line.lastIndex(of: " ").map { String(line[...$0]) } ?? ""
            return start + results[0] + (results[0].hasSuffix(".") ? "" : " ") + "\n"
        }
        #expect(try output(of: "zsh", script) == expected.joined())
    }
}
