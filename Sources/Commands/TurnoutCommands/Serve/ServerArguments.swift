#if Server
    import LibC
    import TurnoutCommandIO
    import TurnoutServer

    /// Reads the configuration of a server: a file, then the environment, then the options.
    enum ServerArguments {
        /// The options that set a value, and its key.
        private static let keys = [
            ("--flags", "flags"), ("--environment", "environment"), ("--datafiles", "datafiles"),
            ("--upstream", "upstream"), ("--sdk-keys", "sdk_keys"), ("--host", "host"), ("--port", "port"),
            ("--data", "data"), ("--profiles", "profiles"), ("--token-file", "access.token_file"),
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
