import TurnoutCommandIO

#if Server
    import TurnoutServer
#endif

/// `turnout serve`: serves datafiles and decisions over HTTP.
struct ServeCommand: Command {
    static let syntax = CommandSyntax(
        name: "serve", summary: "Serves datafiles and decisions over HTTP.",
        discussion: """
            Serves the datafiles of a project file, of a folder, or of another server, and decides with them: over the \
            interface of Optimizely's Agent (/v1/decide) and over OpenFeature's protocol (/ofrep/v1/evaluate/flags). \
            --routes lists everything that it answers.

            Values come from --config FILE, then from environment variables (TURNOUT_PORT, and the Agent's own names \
            such as OPTIMIZELY_API_PORT), then from options; --print-configuration shows all of them, and where each \
            comes from. Options without a name here are set with --set KEY=VALUE.

            SIGTERM stops the server when requests in progress are answered. SIGHUP makes it read its files again, \
            also the management tokens and the TLS certificate.

            Management needs a token. Make one with `openssl rand -base64 32`, and write its SHA-256 (`printf %s \
            "$TOKEN" | sha256sum`) and its scopes to --token-file:

              read    reading the status, the metrics, and the names of lists
              flags   changing lists of users
              events  reading the users of lists, and the segments of a user
              users   forgetting a user

            Without tokens, requests from this machine have the scope read, and the other scopes are refused. If \
            administrators of the Agent's interface have tokens, requests from this machine need one, too. No route \
            reads events: `turnout events export` exports them from the folder.
            """,
        options: [
            .value("--flags", "PATH", "The project file, its folder, or a folder of datafiles.").short("f"),
            .value("--environment", "KEY", "The only environment of the project file to serve.").short("e"),
            .value("--datafiles", "FOLDER", "A folder of datafiles, named by SDK key."),
            .value("--upstream", "ADDRESS", "Get datafiles from another server; {sdkKey} stands for the SDK key."),
            .value("--sdk-keys", "A,B", "The SDK keys to load from upstream.").commaSeparated(),
            .value("--host", "ADDRESS", "The address to listen on. Default: 127.0.0.1, only this machine."),
            .value("--port", "PORT", "The port to listen on. Default: 8080.").short("p"),
            .value("--data", "FOLDER", "Where to keep events and assignments. Default: they end with the server."),
            .value("--profiles", "ADDRESS", "The store of assignments, as for `turnout profiles`."),
            .value("--token-file", "FILE", "The tokens that allow management."),
            .value("--log-format", "FORMAT", "The form of log entries.").oneOf("text", "json"),
            .value("--config", "FILE", "A configuration file in YAML or JSON.").short("c"),
            .value("--set", "KEY=VALUE", "Set any other value, such as limits.streams=500.").repeatable(),
            .toggle("--print-configuration", "Print the configuration and the source of each value, and end."),
            .toggle("--routes", "Print all routes, and end."),
        ],
        examples: [
            .init("turnout serve --flags flags.yaml", "Serve the flags of a project file to this machine."),
            .init("turnout serve --datafiles datafiles --host 0.0.0.0", "Serve a folder of datafiles to all machines."),
            .init("turnout serve --config server.yaml --print-configuration", "Check a configuration."),
        ])

    #if Server
        private let arguments: ParsedArguments

        init(_ arguments: ParsedArguments) { self.arguments = arguments }

        func run() async throws -> Int32 {
            let (configuration, warnings) = try ServerArguments.configuration(arguments)
            if arguments.has("--print-configuration") { return try Self.print(configuration.text) }
            let process = try ServerProcess(configuration.values)
            if arguments.has("--routes") { return try Self.print(process.routes) }
            return try await process.run(warnings)
        }

        private static func print(_ text: String) throws(CommandError) -> Int32 {
            guard StandardStream.output.put(text) else { throw .unwritten("the text") }
            return 0
        }
    #else
        init(_ arguments: ParsedArguments) {}

        func run() throws -> Int32 {
            throw CommandError(
                "this build of turnout has no server",
                advice: "Build with --traits default,Server, which needs the headers of GnuTLS, nettle and zlib.")
        }
    #endif
}
