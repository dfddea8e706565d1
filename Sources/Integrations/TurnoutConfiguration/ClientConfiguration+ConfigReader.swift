#if Configuration
    public import Configuration
    public import TurnoutClient

    extension ClientConfiguration {
        /// Replaces settings by those of swift-configuration.
        ///
        /// ```swift
        /// let config = ConfigReader(provider: EnvironmentVariablesProvider())
        /// var configuration = ClientConfiguration()
        /// configuration.transport = .curl
        /// try configuration.update(from: config.scoped(to: "turnout"))
        /// ```
        ///
        /// A setting without a value keeps the one it has. With `sdkKey`, the datafile is downloaded over
        /// `transport`, so set that before. Durations are numbers of seconds.
        ///
        /// | Key | Type | Sets |
        /// | --- | --- | --- |
        /// | `sdkKey` | string, secret | `datafiles`: the environment whose datafile is downloaded |
        /// | `datafile.token` | string, secret | `HTTPDatafileOptions.token` |
        /// | `datafile.address` | string | `HTTPDatafileOptions.address` |
        /// | `datafile.deadline` | seconds | `HTTPDatafileOptions.deadline` |
        /// | `datafile.streaming` | Boolean | whether `datafiles` also opens the stream of changes of `turnout serve` |
        /// | `datafile.changesAddress` | string | `HTTPDatafileOptions.changesAddress` |
        /// | `projectID` | string | `projectID` |
        /// | `pollingInterval` | seconds | `pollingInterval`; 0 for no polling |
        /// | `minimumPollingInterval` | seconds | `minimumPollingInterval` |
        /// | `maximumDatafileAge` | seconds | `maximumDatafileAge`; 0 for no limit |
        /// | `countsDecisions` | Boolean | `countsDecisions` |
        /// | `events.interval` | seconds | `EventOptions.interval` |
        /// | `events.eventsPerRequest` | integer from 1 | `EventOptions.eventsPerRequest` |
        /// | `events.requestDeadline` | seconds | `EventOptions.requestDeadline` |
        /// | `events.maximumAge` | seconds | `EventOptions.maximumAge` |
        /// | `events.endpoints.us` | string | `EventEndpoints.us`: where events of American projects go |
        /// | `events.endpoints.eu` | string | `EventEndpoints.eu`: where events of European projects go |
        ///
        /// - Parameters:
        ///   - config: The reader, scoped to the client's settings.
        ///   - cache: Keeps the last good datafile. Default: in memory.
        /// - Throws: ``ConfigurationError`` for the first value that cannot be used. The configuration is then
        ///   unchanged.
        public mutating func update(
            from config: ConfigReader, cache: some DatafileCache = .memory
        ) throws(ConfigurationError) {
            let settings = Settings(config)
            var updated = self
            if let id = try settings.text("projectID") { updated.projectID = id }
            if let interval = try settings.duration("pollingInterval", from: 0) {
                updated.pollingInterval = interval == .zero ? nil : interval
            }
            if let interval = try settings.duration("minimumPollingInterval", from: 0) {
                updated.minimumPollingInterval = interval
            }
            if let age = try settings.duration("maximumDatafileAge", from: 0) {
                updated.maximumDatafileAge = age == .zero ? nil : age
            }
            if let countsDecisions = try settings.flag("countsDecisions") { updated.countsDecisions = countsDecisions }
            try updated.events.update(from: Settings(config.scoped(to: "events"), scope: "events."))
            if let sdkKey = try settings.text("sdkKey", isSecret: true) {
                updated.datafiles = try source(
                    of: sdkKey, Settings(config.scoped(to: "datafile"), scope: "datafile."), cache)
            }
            self = updated
        }

        /// The source of the datafile with an SDK key.
        private func source(
            of sdkKey: String, _ settings: Settings, _ cache: some DatafileCache
        ) throws(ConfigurationError) -> any DatafileSource {
            guard let transport else { throw ConfigurationError(key: "sdkKey", problem: .noTransport) }
            var options = HTTPDatafileOptions()
            options.log = log
            try options.update(from: settings)
            guard try settings.flag("streaming") == true else {
                return .http(sdkKey: sdkKey, transport: transport, cache: cache, options: options)
            }
            guard let transport = transport as? any StreamingTransport else {
                throw ConfigurationError(key: "datafile.streaming", problem: .noStreamingTransport)
            }
            return .streaming(sdkKey: sdkKey, transport: transport, cache: cache, options: options)
        }
    }

    extension EventOptions {
        fileprivate mutating func update(from settings: Settings) throws(ConfigurationError) {
            if let interval = try settings.duration("interval", from: 0) { self.interval = interval }
            if let count = try settings.integer("eventsPerRequest", from: 1) { eventsPerRequest = count }
            if let deadline = try settings.duration("requestDeadline", from: 0.001) { requestDeadline = deadline }
            if let age = try settings.duration("maximumAge", from: 0) { maximumAge = age }
            if let address = try settings.text("endpoints.us") { endpoints.us = address }
            if let address = try settings.text("endpoints.eu") { endpoints.eu = address }
        }
    }

    extension HTTPDatafileOptions {
        fileprivate mutating func update(from settings: Settings) throws(ConfigurationError) {
            if let token = try settings.text("token", isSecret: true) { self.token = token }
            if let address = try settings.text("address") { self.address = address }
            if let address = try settings.text("changesAddress") { changesAddress = address }
            if let deadline = try settings.duration("deadline", from: 0.001) { self.deadline = deadline }
        }
    }

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
