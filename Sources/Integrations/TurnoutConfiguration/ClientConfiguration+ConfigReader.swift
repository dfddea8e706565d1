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
        /// | `projectID` | string | `projectID` |
        /// | `pollingInterval` | seconds | `pollingInterval`; 0 for no polling |
        /// | `minimumPollingInterval` | seconds | `minimumPollingInterval` |
        /// | `events.interval` | seconds | `EventOptions.interval` |
        /// | `events.eventsPerRequest` | integer from 1 | `EventOptions.eventsPerRequest` |
        /// | `events.requestDeadline` | seconds | `EventOptions.requestDeadline` |
        /// | `events.maximumAge` | seconds | `EventOptions.maximumAge` |
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
            try updated.events.update(from: Settings(config.scoped(to: "events"), scope: "events."))
            if let sdkKey = try settings.text("sdkKey", isSecret: true) {
                guard let transport else { throw ConfigurationError(key: "sdkKey", problem: .noTransport) }
                var options = HTTPDatafileOptions()
                options.log = log
                try options.update(from: Settings(config.scoped(to: "datafile"), scope: "datafile."))
                updated.datafiles = .http(sdkKey: sdkKey, transport: transport, cache: cache, options: options)
            }
            self = updated
        }
    }

    extension EventOptions {
        fileprivate mutating func update(from settings: Settings) throws(ConfigurationError) {
            if let interval = try settings.duration("interval", from: 0) { self.interval = interval }
            if let count = try settings.integer("eventsPerRequest", from: 1) { eventsPerRequest = count }
            if let deadline = try settings.duration("requestDeadline", from: 0.001) { requestDeadline = deadline }
            if let age = try settings.duration("maximumAge", from: 0) { maximumAge = age }
        }
    }

    extension HTTPDatafileOptions {
        fileprivate mutating func update(from settings: Settings) throws(ConfigurationError) {
            if let token = try settings.text("token", isSecret: true) { self.token = token }
            if let address = try settings.text("address") { self.address = address }
            if let deadline = try settings.duration("deadline", from: 0.001) { self.deadline = deadline }
        }
    }
#endif
