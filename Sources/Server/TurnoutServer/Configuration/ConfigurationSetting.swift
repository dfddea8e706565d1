/// A setting: its names in a file, in the environment and on the command line, and its place in a
/// ``ServerConfiguration``.
package struct ConfigurationSetting: Sendable {
    /// How a value is printed.
    package enum Secrecy: Sendable {
        case none
        /// An address, without user name and password.
        case address
        /// Only whether it is set.
        case secret
    }

    /// The keys in a file from the outside in, joined by dots: `limits.connections`.
    package let key: String
    /// The meaning, in one line.
    package let help: String
    /// The environment variables in their order; later ones take precedence. The last is this server's own.
    package let variables: [String]
    /// How the value is printed.
    package let secrecy: Secrecy
    /// Whether the value is a list.
    package let isList: Bool
    /// The expected text, for errors.
    package let expected: String
    /// What a text in one of the Agent's variables is here; nil if it changes nothing.
    let agentText: @Sendable (String) -> String?
    /// Sets the value; false if the texts are none.
    let set: @Sendable (inout ServerConfiguration, [String]) -> Bool
    /// The texts of the value; empty if it is not set.
    let texts: @Sendable (ServerConfiguration) -> [String]

    /// Creates a setting.
    ///
    /// - Parameters:
    ///   - key: The keys in a file, joined by dots.
    ///   - path: The place.
    ///   - help: The meaning.
    ///   - agent: The names of the setting in Optimizely's Agent, joined by dots, if it has the same meaning there.
    ///   - agentText: What a text of the Agent is here; nil if it changes nothing. Default: the same.
    ///   - secrecy: How the value is printed. Default: as it is.
    ///   - expected: The expected text, for errors. Default: that of the type.
    ///   - isValid: Whether a value is accepted. Default: all are.
    init<Value: SettingValue>(
        _ key: String, _ path: any WritableKeyPath<ServerConfiguration, Value> & Sendable, _ help: String,
        agent: String..., agentText: @escaping @Sendable (String) -> String? = { $0 }, secrecy: Secrecy = .none,
        expected: String? = nil, isValid: @escaping @Sendable (Value) -> Bool = { _ in true }
    ) {
        self.key = key
        self.help = help
        self.secrecy = secrecy
        self.expected = expected ?? Value.expectedText
        isList = Value.self == [String].self || Value.self == [String]?.self
        variables = Self.variables(key, agent)
        self.agentText = agentText
        set = { configuration, texts in
            guard let value = Value(settingTexts: texts), isValid(value) else { return false }
            configuration[keyPath: path] = value
            return true
        }
        texts = { $0[keyPath: path].settingTexts }
    }

    /// Creates a setting whose value is secret, and written in a format of its own. Its default is not printed.
    init<Value: Equatable & Sendable>(
        _ key: String, _ path: any WritableKeyPath<ServerConfiguration, Value> & Sendable, _ help: String,
        agent: String, expected: String, secret read: @escaping @Sendable (String) -> Value?
    ) {
        (self.key, self.help, self.expected) = (key, help, expected)
        (secrecy, isList, variables) = (.secret, false, Self.variables(key, [agent]))
        agentText = { $0 }
        set = { configuration, texts in
            guard texts.count == 1, let value = read(texts[0]) else { return false }
            configuration[keyPath: path] = value
            return true
        }
        texts = { $0[keyPath: path] == ServerConfiguration()[keyPath: path] ? [] : [""] }
    }

    private static func variables(_ key: String, _ agent: [String]) -> [String] {
        let names = agent.map { "optimizely." + $0 } + ["turnout." + key]
        return names.map { $0.uppercased().replacing(".", with: "_") }
    }
}

extension ConfigurationSetting {
    /// All settings, in the order in which they are printed.
    package static let all: [ConfigurationSetting] =
        datafiles + network + storage + events + segments + predictions + results + log + access + limits + agent
        + console + rest

    /// The setting with a key, or nil.
    package static func named(_ key: String) -> ConfigurationSetting? { all.first { $0.key == key } }

    private static let datafiles: [ConfigurationSetting] = [
        .init("flags", \.flags, "The project file, its folder, or a folder of datafiles."),
        .init("environment", \.environment, "The only environment of the project file to serve."),
        .init("datafiles", \.datafiles, "A folder of datafiles, named by SDK key."),
        .init(
            "hub", \.hub, "The server that this one is a spoke of.", secrecy: .address,
            expected: "an address such as https://flags.internal, without a path",
            isValid: { $0.map { $0.hasPrefix("http") && $0.split(separator: "/").count == 2 } ?? true }),
        .init("hub_token", \.hubToken, "A token of the hub with the scope users.", secrecy: .secret),
        .init("rollouts", \.rollouts, "A folder of configurations for RolloutManager."),
        .init(
            "upstream", \.upstream, "Another server to get datafiles from.", agent: "client.datafileURLTemplate",
            secrecy: .address),
        .init("upstream_token", \.upstreamToken, "The token for protected datafiles of upstream.", secrecy: .secret),
        .init(
            "datafile_tokens", \.datafileTokens, "The tokens of protected datafiles, each as key:token.",
            secrecy: .secret),
        .init("sdk_keys", \.sdkKeys, "The SDK keys to load from upstream at the start.", agent: "sdkKeys"),
        .init(
            "polling_interval", \.pollingInterval, "The time between two requests to upstream.",
            agent: "client.pollingInterval", expected: "a duration of at least 1s", isValid: { $0 >= .seconds(1) }),
    ]

    private static let network: [ConfigurationSetting] = [
        .init("host", \.host, "The address to listen on.", agent: "server.host"),
        .init(
            "port", \.port, "The port to listen on; 0 lets the system choose.", agent: "api.port",
            expected: "a whole number from 0 to 65535", isValid: { 0...65_535 ~= $0 }),
        .init("public_address", \.publicAddress, "The address under which clients reach the server."),
        .init("tls.certificate", \.certificate, "The TLS certificate, in PEM.", agent: "server.certFile"),
        .init("tls.private_key", \.privateKey, "The private key of the certificate, in PEM.", agent: "server.keyFile"),
        .init(
            "server.threads", \.threads, "The threads that serve connections. Default: one per processor.",
            expected: "a whole number from 1 to 1024", isValid: { $0.map { 1...1_024 ~= $0 } ?? true }),
    ]

    private static let storage: [ConfigurationSetting] = [
        .init("data", \.data, "The folder for events, segments and assignments."),
        .init("profiles", \.profiles, "The address of the store of assignments.", secrecy: .address),
        .init("segments_host", \.segmentsHost, "The data platform to ask instead of the datafile's."),
    ]

    private static let events: [ConfigurationSetting] = [
        .init(
            "events.forward", \.events.forwardingAddress, "Another intake to which events are forwarded.",
            agent: "client.eventURL", secrecy: .address),
        .init(
            "events.engine", \.events.engine, "The server of PostgreSQL, or those of ClickHouse, that get all events.",
            secrecy: .address,
            expected: "addresses such as postgresql://user:password@host/database or https://user:password@host:8443"),
        .init(
            "events.retention_days", \.events.retentionDays,
            "The days for which events are kept; at most 7 if events.engine has them.",
            expected: "a whole number from 1 to 36500", isValid: { 1...36_500 ~= $0 }),
        .init(
            "events.maximum_log_size", \.events.maximumLogSize, "The bytes of events that may wait for processing.",
            expected: "a whole number of at least 1048576", isValid: { $0 >= 1 << 20 }),
        .init("events.decisions_wait", \.events.decisionsWait, "Whether decisions wait until their events are stored."),
        .init("events.exposures", \.events.exposures, "The exposures of a visitor to a variation that are stored."),
    ]

    private static let segments: [ConfigurationSetting] = [
        .init(
            "segments.unknown_users", \.segments.unknownUsers, "What clients get for a user that nothing is known of."
        ),
        .init(
            "segments.maximum_users", \.segments.limits.users, "The users in lists and devices, together.",
            expected: "a whole number of at least 1", isValid: { $0 >= 1 }),
    ]

    private static let predictions: [ConfigurationSetting] = [
        .init(
            "predictions.metrics", \.predictions.metrics, "The metrics of bandits without a project file.",
            expected: "texts such as checkout_bandit=purchase.revenue",
            isValid: { $0.allSatisfy { BanditMetric($0) != nil } }),
        .init(
            "predictions.days", \.predictions.days, "The days of events that bandits learn from.",
            expected: "a whole number from 1 to 36500", isValid: { 1...36_500 ~= $0 }),
        .init("predictions.seed", \.predictions.seed, "The seed of the bandits' weights and choices."),
    ]

    private static let results: [ConfigurationSetting] = [
        .init(
            "results.exclude", \.results.exclude, "The visitors that results leave out.",
            expected: ResultExclusion.expectedText, isValid: { $0.allSatisfy { ResultExclusion($0) != nil } }),
        .init(
            "results.days_after_stop", \.results.daysAfterStop,
            "The days after the stop of an experiment in which conversions count.",
            expected: "a whole number from 0 to 365", isValid: { 0...365 ~= $0 }),
    ]

    private static let log: [ConfigurationSetting] = [
        .init("log.level", \.log.level, "The least severe level to log.", agent: "log.level"),
        .init(
            "log.format", \.log.format, "The form of log entries.", agent: "log.pretty",
            agentText: { text in Bool(settingTexts: [text]).map { $0 ? "text" : "json" } ?? text }),
        .init("log.requests", \.log.requests, "The requests to log."),
    ]

    private static let access: [ConfigurationSetting] = [
        .init("access.token_file", \.access.tokenFile, "The file of management tokens."),
        .init(
            "access.local_management", \.access.allowsLocalManagement,
            "Whether, without tokens, this machine may change lists and configurations, and read and forget users."),
        .init(
            "access.profile_routes", \.access.allowsProfileRoutes,
            "Whether clients may read and replace users' assignments (/v1/lookup, /v1/save)."),
        .init(
            "access.allowed_hosts", \.access.allowedHosts, "The host names that requests may address.",
            agent: "server.allowedHosts"),
        .init(
            "access.requests_per_second", \.access.requestsPerSecond, "The rate per SDK key; 0 for no limit.",
            expected: "a number of at least 0", isValid: { $0 >= 0 }),
        .init(
            "access.burst", \.access.burst, "The requests of a key that may come at once.",
            expected: "a whole number of at least 1", isValid: { $0 >= 1 }),
        .init(
            "access.cors.origins", \.access.cors.origins, "The web pages that may call the server; * for all.",
            agent: "api.cors.allowedOrigins"),
        .init(
            "access.cors.headers", \.access.cors.headers, "Further request headers of web pages; * for all.",
            agent: "api.cors.allowedHeaders"),
        .init(
            "access.cors.exposed_headers", \.access.cors.exposedHeaders,
            "Further response headers that web pages can read.", agent: "api.cors.exposedHeaders"),
        .init(
            "access.cors.maximum_age", \.access.cors.maximumAge, "How long browsers keep the answer to a preflight.",
            agent: "api.cors.maxAge", agentText: { text in Int(text).map { "\($0)s" } ?? text }),
    ]

    private static let limits: [ConfigurationSetting] = [
        .init(
            "limits.connections", \.limits.connections, "The maximum number of connections.", agent: "api.maxConns",
            // No limit in the Agent.
            agentText: { $0 == "0" ? nil : $0 },
            expected: "a whole number from 1 to 1000000", isValid: { 1...1_000_000 ~= $0 }),
        .init(
            "limits.connections_per_address", \.limits.connectionsPerAddress,
            "The maximum number of connections of one address; 0: no limit.",
            expected: "a whole number of at least 0", isValid: { $0 >= 0 }),
        .init(
            "limits.header_size", \.limits.headerSize, "The maximum size of request headers in bytes.",
            expected: "a whole number from 1024 to 1048576", isValid: { 1_024...1_048_576 ~= $0 }),
        .init(
            "limits.request_time", \.limits.requestTime, "The time for a request; 100 kB of its body add a second.",
            agent: "server.readTimeout", expected: "a duration of at least 1s", isValid: { $0 >= .seconds(1) }),
        .init(
            "limits.idle_time", \.limits.idleTime, "The time after which an idle connection is closed.",
            expected: "a duration of at least 1s", isValid: { $0 >= .seconds(1) }),
        .init(
            "limits.streams", \.limits.streams, "The maximum number of open streams of events.",
            expected: "a whole number of at least 0", isValid: { $0 >= 0 }),
        .init(
            "limits.clients", \.limits.clients, "The maximum number of SDK keys that decide at the same time.",
            expected: "a whole number of at least 1", isValid: { $0 >= 1 }),
        .init(
            "limits.decision_time", \.limits.decisionTime,
            "How long a decision waits for predictions and remote stores."
        ),
    ]

    private static let agent: [ConfigurationSetting] = [
        .init(
            "agent.health_path", \.agent.healthPath, "The end of the paths that report the health.",
            agent: "server.healthCheckPath"),
        .init(
            "agent.overrides", \.agent.allowsOverrides, "Whether /v1/override is allowed.",
            agent: "api.enableOverrides"),
        .init(
            "agent.notifications", \.agent.allowsNotifications, "Whether decisions and conversions can be streamed.",
            agent: "api.enableNotifications"),
        .init(
            "agent.batch_limit", \.agent.batchLimit, "The maximum number of operations in a batch.",
            agent: "server.batchRequests.operationsLimit", expected: "a whole number of at least 0",
            isValid: { $0 >= 0 }),
        .init(
            "agent.batch_concurrency", \.agent.batchConcurrency, "The operations of a batch that run at once.",
            agent: "server.batchRequests.maxConcurrency", expected: "a whole number of at least 0",
            isValid: { $0 >= 0 }),
        .init(
            "agent.webhook_projects", \.agent.webhookProjects, "The projects that may announce changes.",
            agent: "webhook.projects", expected: "a JSON object of projects with sdkKeys and secret",
            secret: AgentWebhookProject.projects),
        .init(
            "agent.predictions", \.agent.predictionAddress, "The address of predictions, with %s for the rule's id.",
            agent: "client.cmab.predictionEndpoint", "cmab.predictionEndpoint", secrecy: .address),
        .init(
            "agent.prediction_time", \.agent.predictionTimeout, "The time limit of a prediction.",
            agent: "client.cmab.requestTimeout"),
        .init(
            "agent.profile_services", \.agent.profileServices, "The stores for assignments.",
            agent: "client.userProfileService", expected: "a JSON object with default and services",
            secret: AgentServiceMap.init(parsing:)),
        .init(
            "agent.segments_disabled", \.agent.disablesSegments, "Whether segments are not used.",
            agent: "client.odp.disable"),
        .init(
            "agent.segments_time", \.agent.segmentsTimeout, "The time limit for looking up segments.",
            agent: "client.odp.segmentsRequestTimeout"),
        .init(
            "agent.segment_caches", \.agent.segmentCaches, "The caches for segments.",
            agent: "client.odp.segmentsCache", expected: "a JSON object with default and services",
            secret: AgentServiceMap.init(parsing:)),
        .init(
            "agent.clients", \.agent.apiAuthorization.clients, "The programs that may request clients' tokens.",
            agent: "api.auth.clients", expected: "a JSON list of clients with id, secretHash and sdkKeys",
            secret: AgentAuthorization.clients),
        .init(
            "agent.secrets", \.agent.apiAuthorization.secrets, "The secrets of clients' tokens.",
            agent: "api.auth.hmacSecrets", expected: "base64, separated by commas",
            secret: AgentAuthorization.secrets),
        .init(
            "agent.token_time", \.agent.apiAuthorization.timeToLive, "How long a client's token is valid.",
            agent: "api.auth.ttl"),
        .init(
            "agent.admin.clients", \.agent.adminAuthorization.clients,
            "The programs that may request administrators' tokens.", agent: "admin.auth.clients",
            expected: "a JSON list of clients with id and secretHash", secret: AgentAuthorization.clients),
        .init(
            "agent.admin.secrets", \.agent.adminAuthorization.secrets, "The secrets of administrators' tokens.",
            agent: "admin.auth.hmacSecrets", expected: "base64, separated by commas",
            secret: AgentAuthorization.secrets),
        .init(
            "agent.admin.token_time", \.agent.adminAuthorization.timeToLive,
            "How long an administrator's token is valid.", agent: "admin.auth.ttl"),
    ]

    private static let console: [ConfigurationSetting] = [
        .init("console.editing", \.console.editing, "How pages change the project file."),
        .init("console.proxy", \.console.proxyAddress, "The address of a proxy that signs people in."),
        .init("console.user_header", \.console.userHeader, "The header in which the proxy names the user."),
        .init(
            "console.proxy_scopes", \.console.proxyScopes, "The scopes of the proxy's users.",
            expected: "scopes such as read,flags", isValid: { $0.allSatisfy { ManagementScope(rawValue: $0) != nil } }),
    ]

    private static let rest: [ConfigurationSetting] = [
        .init("ofrep.impressions", \.ofrep.sendsImpressions, "Whether evaluations over OFREP send impressions."),
        .init("shutdown.delay", \.shutdown.delay, "The time between /ready failing and the end of listening."),
        .init("shutdown.limit", \.shutdown.limit, "The time for requests in progress and queued writes."),
    ]
}
