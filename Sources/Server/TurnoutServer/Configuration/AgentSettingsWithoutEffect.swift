import TurnoutFlags

/// Settings of the vendor's Agent that change nothing here. Each that is set causes one warning at the start.
package enum AgentSettingsWithoutEffect {
    package struct Setting: Sendable {
        /// The name of the environment variable.
        package let name: String
        /// Why it has no effect, and what to do.
        package let reason: String
    }

    package static let all: [Setting] = [
        Setting("ADMIN_PORT", "all routes are on one port; send requests for administrators to that of clients"),
        Setting("WEBHOOK_PORT", "all routes are on one port; have the webhook call that of clients"),
        Setting("CONFIG_FILENAME", "the Agent's configuration file is not read; set its values as variables"),
        Setting("API_CORS_ALLOWEDMETHODS", "web pages may use the methods that a path has; remove the variable"),
        Setting("API_CORS_ALLOWEDCREDENTIALS", "there are no cookies; remove the variable"),
        Setting("CLIENT_SDKKEYREGEX", "an SDK key is valid if there is a datafile for it; remove the variable"),
        Setting("CLIENT_BATCHSIZE", stored), Setting("CLIENT_QUEUESIZE", stored),
        Setting("CLIENT_FLUSHINTERVAL", stored),
        Setting(
            "CLIENT_CMAB_CACHE", "predictions are cached in memory, by user and attributes; remove the variable"),
        Setting(
            "CLIENT_CMAB_RETRYCONFIG",
            "a prediction that fails is not requested again; set OPTIMIZELY_CLIENT_CMAB_"
                + "REQUESTTIMEOUT for how long a decision may wait"),
        Setting("CLIENT_ODP_EVENTSFLUSHINTERVAL", "events are sent within a second; remove the variable"),
        Setting("CLIENT_ODP_EVENTSREQUESTTIMEOUT", "events are sent until they are accepted; remove the variable"),
        Setting(
            "SERVER_WRITETIMEOUT",
            "it would end streams; slow readers are limited by their buffers; remove the "
                + "variable"),
        Setting("SERVER_DISABLEDCIPHERS", "the TLS library chooses; configure ciphers in a reverse proxy"),
        Setting("SERVER_INTERCEPTORS", "there are no plugins; use a reverse proxy"),
        Setting("ADMIN_METRICSTYPE", "metrics are in the format of Prometheus, at /metrics"),
        Setting("LOG_INCLUDESDKKEY", "SDK keys are always shortened in the log; remove the variable"),
        Setting(
            "SYNCHRONIZATION_NOTIFICATION_ENABLE",
            "notifications are those of one process; open a stream on each "
                + "instance"),
        Setting(
            "SYNCHRONIZATION_DATAFILE_ENABLE",
            "each process follows its source of datafiles itself; remove the "
                + "variable"),
        Setting(
            "TRACING_ENABLED",
            "spans are not exported; requests for datafiles, segments and "
                + "predictions that a client's request causes carry its `traceparent`"),
    ]

    private static let stored = "events are in the file before a request is answered; remove the variable"

    /// The settings that would protect routes, and cannot: a server that ran without them would be open.
    package static let refused = ["OPTIMIZELY_API_AUTH_JWKSURL", "OPTIMIZELY_ADMIN_AUTH_JWKSURL"]

    /// Throws for settings that would protect routes: with a warning alone, these would be open.
    static func refuse(_ environment: [String: String]) throws(ServerConfigurationError) {
        guard let name = refused.first(where: { environment[$0]?.isEmpty == false }) else { return }
        throw ServerConfigurationError(
            .variable(name),
            "tokens are verified with shared secrets only, and without them the routes would be open; set "
                + "\(name.replacing("JWKSURL", with: "HMACSECRETS")), or remove the variable and verify tokens in a "
                + "reverse proxy")
    }

    /// The warnings for an environment, sorted by the names of the variables.
    static func warnings(_ environment: [String: String]) -> [String] {
        let settings = Set(
            ConfigurationSetting.all.flatMap(\.variables).filter { $0.hasPrefix("OPTIMIZELY_") } + refused)
        let reasons = Dictionary(all.map { ($0.name, $0.reason) }) { first, _ in first }
        return environment.keys.sorted().compactMap { name in
            guard name.hasPrefix("OPTIMIZELY_"), environment[name]?.isEmpty == false, !settings.contains(name) else {
                return nil
            }
            if let reason = reasons[name] { return "\(name) has no effect: \(reason)" }
            return "\(name) has no effect: the server has no such setting. "
                + (Spelling.suggestion(for: name, among: settings.sorted())
                    ?? "Remove the variable; `turnout serve --print-configuration` shows all settings.")
        }
    }
}

extension AgentSettingsWithoutEffect.Setting {
    fileprivate init(_ name: String, _ reason: String) {
        self.name = "OPTIMIZELY_" + name
        self.reason = reason
    }
}
