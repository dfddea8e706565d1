import TurnoutCommandIO

#if Server
    import LibC
    import TurnoutServer
#endif

/// `turnout serve`: serves datafiles and decisions over HTTP.
enum ServeCommand: Command {
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
            also the management tokens and the TLS certificate. A socket that systemd passes (LISTEN_FDS) takes the \
            place of --host and --port.

            Management needs a token of --token-file, which `turnout token new` makes, with a scope:

            \(TokenCommand.scopes)

            Without tokens, requests from this machine have the scope read, and the other scopes are refused. If \
            administrators of the Agent's interface have tokens, requests from this machine need one, too. Routes \
            have the last 200 events only: `turnout events export` exports all of them from the folder.
            """,
        options: [
            .value(
                "--flags", "PATH",
                "The project file, its folder, or a folder of datafiles. Default: flags.yaml, or else datafiles, "
                    + "unless another option names flags."
            ).short("f"),
            .value("--environment", "KEY", "The only environment of the project file to serve.").short("e"),
            .value("--datafiles", "FOLDER", "A folder of datafiles, named by SDK key."),
            .value("--upstream", "ADDRESS", "Get datafiles from another server; {sdkKey} stands for the SDK key."),
            .value("--hub", "ADDRESS", "Be a spoke of this hub: flags come from it, events go to it."),
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
            "turnout serve": "Serve the flags of flags.yaml, or of the folder datafiles, to this machine.",
            "turnout serve --flags datafiles --host 0.0.0.0": "Serve a folder of datafiles to all machines.",
            "turnout serve --config server.yaml --print-configuration": "Check a configuration.",
        ])

    #if Server
        static func run(_ arguments: ParsedArguments) async throws -> Int32 {
            let (configuration, warnings) = try ServerArguments.configuration(arguments)
            let isText = arguments.has("--print-configuration")
            let process = isText ? nil : try ServerProcess(configuration.values)
            guard let process, !arguments.has("--routes") else {
                try StandardStream.output.print(process?.routes ?? configuration.text, "the text")
                return 0
            }
            return try await process.run(warnings)
        }
    #else
        static func run(_ arguments: ParsedArguments) throws -> Int32 { throw CommandError.withoutServer }
    #endif
}

extension CommandError {
    /// The error for what only a build with the server can do.
    static let withoutServer = CommandError(
        "this build of turnout has no server",
        advice: "Build with --traits default,Server, which needs the headers of GnuTLS, nettle and zlib.")
}

#if Server
    /// Reads the configuration of a server: a file, then the environment, then the options.
    enum ServerArguments {
        /// The options that set a value, and its key.
        private static let keys = [
            ("--flags", "flags"), ("--environment", "environment"), ("--datafiles", "datafiles"),
            ("--upstream", "upstream"), ("--hub", "hub"), ("--sdk-keys", "sdk_keys"), ("--host", "host"),
            ("--port", "port"), ("--data", "data"), ("--profiles", "profiles"), ("--token-file", "access.token_file"),
            ("--log-format", "log.format"),
        ]

        /// The configuration, and warnings about the environment.
        static func configuration(
            _ arguments: ParsedArguments
        ) throws -> (EffectiveConfiguration, warnings: [String]) {
            var configuration = EffectiveConfiguration()
            do {
                if let name = arguments.value("--config") {
                    let (root, source) = try ProjectSource.root(of: name, try InputFile(name).readAll())
                    try configuration.read(root, in: source)
                }
                let warnings = try configuration.read(environment: environment)
                for (option, key) in keys where arguments.has(option) {
                    try set(key, arguments.values(option), from: option, &configuration)
                }
                for (key, value) in try arguments.pairs("--set") {
                    try set(key, [value], from: "--set \(key)", &configuration)
                }
                configuration.completeFromHub()
                return (configuration, warnings)
            } catch let error as ServerConfigurationError {
                throw CommandError(
                    error.description, advice: "`turnout serve --print-configuration` shows all settings.")
            }
        }

        private static func set(
            _ key: String, _ texts: [String], from option: String, _ configuration: inout EffectiveConfiguration
        ) throws {
            guard let setting = ConfigurationSetting.named(key) else {
                throw CommandError(
                    "option \(option): there is no such setting",
                    advice: "`turnout serve --print-configuration` shows all settings.")
            }
            let texts = setting.isList ? texts.flatMap { $0.elements(separatedBy: ",") } : texts
            try configuration.set(setting, texts, from: .option(option))
        }

        /// The environment of the process. Variables that are not valid UTF-8 are left out.
        private static var environment: [String: String] {
            var variables: [String: String] = [:]
            var place = environ
            while let entry = place.pointee {
                if let text = String(validatingCString: entry) {
                    let (name, value) = text.divided(at: "=")
                    variables[name] = value ?? ""
                }
                place = place.advanced(by: 1)
            }
            return variables
        }
    }
#endif
