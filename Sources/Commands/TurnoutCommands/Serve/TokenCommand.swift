import LibC
import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

#if Server
    import TurnoutServer
#endif

/// `turnout token`: makes a token for requests that manage a server.
enum TokenCommand: Command {
    static let syntax = CommandSyntax(
        name: "token", summary: "Makes a token for requests that manage a server.",
        discussion: """
            Prints a random token, and writes its SHA-256 and its scopes into the file of tokens that the server reads \
            (--token-file, or the setting access.token_file). The token is shown only now: give it to the program that \
            uses it. A running server reads the file again after SIGHUP. To withdraw a token, delete its entry.

            The scopes are:

            \(scopes)
            """,
        operands: .init("ACTION", "new.", count: 1...1, choices: .words(["new"])),
        options: [
            .value("--scope", "SCOPE", "What the token allows.").short("s").oneOf("read", "flags", "events", "users")
                .commaSeparated().required(),
            .value("--name", "NAME", "Its name in the file. Default: the first of token-1, token-2, … that is free."),
            .value("--file", "FILE", "The file of tokens; a missing one is created.").byDefault("tokens.yaml"),
        ],
        examples: [
            "turnout token new --scope read": "For a monitoring system.",
            "turnout token new -s read,flags --name deployment --file /etc/turnout/tokens.yaml": "For a deployment.",
        ])

    /// What each scope allows, for texts of help.
    static let scopes = """
          read    reading the flags, results, changes and health, the status, the metrics, the
                  configuration, the weights of bandits, and the names of lists and of
                  configurations for RolloutManager
          flags   changing flags, changing and deleting lists of users, and removing a user,
                  with the user's devices, from all of them
          events  reading the last events, why a user gets what, the users of a list, and the
                  segments and devices of a user
          users   forgetting a user: events, assignments, places in lists, and devices, and
                  reading the addresses from which flags were changed; what a spoke asks
                  of its hub
        """

    #if Server
        static func run(_ arguments: ParsedArguments) throws -> Int32 {
            try checkAction(arguments, among: ["new"], "new")
            let file = arguments["--file"]
            let token = Base64.urlSafe.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
            let scopes = arguments.values("--scope")
            // The lock is on the file, so it has to exist.
            let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
            if descriptor >= 0 { close(descriptor) }
            let name = try FileLock.whileHeld(on: file) {
                try add(token, scopes, named: arguments.value("--name"), to: file)
            }
            try StandardStream.output.print(token + "\n", "the token")
            StandardStream.error.put(
                """
                \(file.printable): has the token \(name.printable) with the scopes \(scopes.joined(separator: ", ")). \
                The token above is shown only now.
                A server that was started with --token-file accepts it after SIGHUP: systemctl reload turnout

                """)
            return 0
        }

        /// Adds an entry to the file, and returns its name.
        private static func add(
            _ token: String, _ scopes: [String], named wanted: String?, to file: String
        ) throws -> String {
            let text = try InputFile(file).readAll()
            let bytes = text.isEmpty ? Array("tokens: {}\n".utf8) : text
            let (root, source) = try ProjectSource.root(of: file, bytes)
            let names = root["tokens"]?.members.map(\.key.text) ?? []
            let name = wanted ?? (1...).lazy.map { "token-\($0)" }.first { !names.contains($0) } ?? "token"
            if names.contains(name) {
                throw CommandError("\(file): has a token \(name) already", advice: "Choose another --name.")
            }
            let hash = NettleCryptography().sha256(Array(token.utf8)).map { $0.hexadecimal(width: 2) }.joined()
            let entry = Node(.object(["sha256": .string(hash), "scopes": .strings(scopes)]))
            let edit = ProjectEdit(EditPath([.key("tokens"), .key(name)]), .set(entry))
            let result: ProjectEdit.Result
            do throws(Diagnostic) {
                result = try edit.apply(to: source, root: root, format: file.hasSuffix(".json") ? .json : .yaml)
            } catch { throw CommandError(error.text(in: file), advice: "Nothing was changed.") }
            let (edited, editedSource) = try ProjectSource.root(of: file, result.bytes)
            do throws(TokenFileError) { _ = try ManagementTokens.read(edited, in: editedSource) } catch {
                throw CommandError("\(error)", advice: "Nothing was changed. See \"turnout help token\".")
            }
            try OutputFile.write(result.bytes, to: file)
            return name
        }
    #else
        static func run(_ arguments: ParsedArguments) throws -> Int32 { throw CommandError.withoutServer }
    #endif
}
