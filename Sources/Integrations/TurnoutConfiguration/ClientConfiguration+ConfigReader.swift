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
#endif
