#if Configuration
    import Configuration
    import TurnoutClient

    /// A value of swift-configuration that a client cannot use. Its description contains no value: it may be secret.
    public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The kind of a problem.
        public enum Problem: Sendable, Equatable {
            /// The value is not of the key's type, or out of its range; a description of what is expected.
            case notUsable(expected: String)
            /// The configuration has no transport to download the datafile with.
            case noTransport
            /// The configuration's transport cannot open streams.
            case noStreamingTransport
        }

        /// The key, in the scope of the client.
        public let key: String
        /// The problem.
        public let problem: Problem

        /// A description of the error.
        public var description: String {
            switch problem {
            case .notUsable(let expected): "the configuration value \(key) is not \(expected)"
            case .noTransport:
                "the configuration value \(key) needs a transport; set ClientConfiguration.transport before reading it"
            case .noStreamingTransport:
                "the configuration value \(key) needs a transport that can open streams, such as .curl"
            }
        }
    }

    extension ConfigurationError: PrintableError {}

    /// Reads values, and tells wrong ones from missing ones.
    struct Settings {
        private let config: ConfigReader
        private let scope: String

        init(_ config: ConfigReader, scope: String = "") {
            self.config = config
            self.scope = scope
        }

        /// A string that is not empty, or nil if there is no value.
        func text(_ key: String, isSecret: Bool = false) throws(ConfigurationError) -> String? {
            let value = config.string(forKey: ConfigKey(key), isSecret: isSecret)
            return try checked(key, value, isSecret, "a string that is not empty") { !$0.isEmpty }
        }

        /// A Boolean, or nil if there is no value.
        func flag(_ key: String) throws(ConfigurationError) -> Bool? {
            try checked(key, config.bool(forKey: ConfigKey(key)), false, "true or false") { _ in true }
        }

        /// An integer, or nil if there is no value.
        func integer(_ key: String, from minimum: Int) throws(ConfigurationError) -> Int? {
            let value = config.int(forKey: ConfigKey(key))
            return try checked(key, value, false, "an integer from \(minimum)") { $0 >= minimum }
        }

        /// A number of seconds up to a hundred years, or nil if there is no value.
        func duration(_ key: String, from minimum: Double) throws(ConfigurationError) -> Duration? {
            // Providers with types do not convert integers to doubles.
            let value = config.double(forKey: ConfigKey(key)) ?? config.int(forKey: ConfigKey(key)).map(Double.init)
            let seconds = try checked(key, value, false, "a number of seconds from \(minimum)") {
                $0 >= minimum && $0 < 3_155_760_000
            }
            return seconds.map { .seconds($0) }
        }

        private func checked<Value>(
            _ key: String, _ value: Value?, _ isSecret: Bool, _ expected: String, _ isUsable: (Value) -> Bool
        ) throws(ConfigurationError) -> Value? {
            if let value, isUsable(value) { return value }
            if value == nil, !hasValue(key, isSecret) { return nil }
            throw ConfigurationError(key: scope + key, problem: .notUsable(expected: expected))
        }

        /// Whether there is a value of any scalar type: a reader returns nil for a value that it cannot convert.
        private func hasValue(_ key: String, _ isSecret: Bool) -> Bool {
            let key = ConfigKey(key)
            return config.string(forKey: key, isSecret: isSecret) != nil
                || config.bool(forKey: key, isSecret: isSecret) != nil
                || config.double(forKey: key, isSecret: isSecret) != nil
                || config.int(forKey: key, isSecret: isSecret) != nil
        }
    }
#endif
