import TurnoutEngine

/// A setting of the vendor's Agent: an environment variable, what it means, and what it changes here.
package struct AgentSetting: Sendable {
    /// The name of the environment variable.
    package let name: String
    /// The meaning, in one sentence, with its format.
    package let meaning: String
    /// Whether the value must not be printed.
    package let isSecret: Bool
    let apply: @Sendable (String, inout AgentConfiguration) throws(AgentSettingError) -> Void

    fileprivate init<Value>(
        _ name: String, _ meaning: String, isSecret: Bool = false,
        _ path: any WritableKeyPath<AgentConfiguration, Value> & Sendable, _ format: AgentFormat<Value>
    ) {
        self.name = "OPTIMIZELY_" + name
        self.meaning = meaning
        self.isSecret = isSecret
        apply = { (text, configuration) throws(AgentSettingError) in
            guard let value = format.read(text) else {
                throw AgentSettingError("OPTIMIZELY_\(name) is not \(format.name)")
            }
            configuration[keyPath: path] = value
        }
    }
}

/// A setting whose value cannot be used. The message does not contain the value.
package struct AgentSettingError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    /// Whether the setting has no meaning for this server, so that a warning is sufficient.
    let hasNoEffect: Bool

    init(_ description: String, hasNoEffect: Bool = false) {
        self.description = description
        self.hasNoEffect = hasNoEffect
    }
}

/// The settings of the vendor's Agent.
package enum AgentSettings {
    /// Reads the settings in an environment.
    ///
    /// - Returns: The configuration, and what could not be used. A variable that is set but empty counts as not set.
    package static func read(
        _ environment: [String: String]
    ) -> (configuration: AgentConfiguration, problems: [AgentSettingError]) {
        var configuration = AgentConfiguration()
        var problems: [AgentSettingError] = []
        for setting in all {
            guard let text = environment[setting.name], !text.isEmpty else { continue }
            do throws(AgentSettingError) { try setting.apply(text, &configuration) } catch { problems.append(error) }
        }
        problems += AgentSettingsWithoutEffect.warnings(environment).map {
            AgentSettingError($0, hasNoEffect: true)
        }
        return (configuration, problems)
    }

    /// All settings that have an effect. Later ones win.
    package static let all: [AgentSetting] = listeners + interface + authorization + services

    private static let listeners: [AgentSetting] = [
        AgentSetting("SERVER_HOST", "The address to listen on.", \.host, .optionalText),
        AgentSetting("API_PORT", "The port of all routes.", \.apiPort, .port),
        AgentSetting(
            "SERVER_ALLOWEDHOSTS", "The hosts that requests may name, separated by commas.", \.allowedHosts, .list),
        AgentSetting(
            "SERVER_HEALTHCHECKPATH", "The end of the paths that report the health.", \.healthPath, .text),
        AgentSetting(
            "SERVER_READTIMEOUT", "The time in which a request must be complete, such as 5s.", \.requestTime,
            .optionalDuration),
        AgentSetting("SERVER_CERTFILE", "The file with the TLS certificate.", \.certificateFile, .optionalText),
        AgentSetting("SERVER_KEYFILE", "The file with the key of the certificate.", \.keyFile, .optionalText),
        AgentSetting("API_MAXCONNS", "The maximum number of connections.", \.connections, .optionalCount),
        AgentSetting(
            "API_CORS_ALLOWEDORIGINS", "The origins of web pages, separated by commas.", \.cors.origins,
            .optionalList),
        AgentSetting("API_CORS_ALLOWEDHEADERS", "The request headers of web pages.", \.cors.headers, .optionalList),
        AgentSetting(
            "API_CORS_EXPOSEDHEADERS", "The response headers that web pages read.", \.cors.exposedHeaders,
            .optionalList),
        AgentSetting(
            "API_CORS_MAXAGE", "How long browsers keep these answers, in seconds.", \.cors.maximumAge, .optionalCount),
        AgentSetting(
            "LOG_LEVEL", "The least severe level to log: debug, info, warn, error.", \.logLevel, .optionalText),
        AgentSetting("LOG_PRETTY", "Whether the log is text and not JSON.", \.logIsText, .optionalBoolean),
    ]

    private static let interface: [AgentSetting] = [
        AgentSetting("SDKKEYS", "The SDK keys to load at the start, separated by commas.", \.sdkKeys, .list),
        AgentSetting("API_ENABLEOVERRIDES", "Whether `/v1/override` is allowed.", \.allowsOverrides, .boolean),
        AgentSetting(
            "API_ENABLENOTIFICATIONS", "Whether notifications can be streamed.", \.allowsNotifications, .boolean),
        AgentSetting(
            "SERVER_BATCHREQUESTS_OPERATIONSLIMIT", "The maximum number of operations in a batch.", \.batchLimit,
            .count),
        AgentSetting(
            "SERVER_BATCHREQUESTS_MAXCONCURRENCY", "The operations of a batch that run at the same time.",
            \.batchConcurrency, .count),
        AgentSetting(
            "WEBHOOK_PROJECTS",
            "JSON: `{\"<project id>\": {\"sdkKeys\": [], \"secret\": \"\", \"skipSignatureCheck\": false}}`.",
            isSecret: true, \.webhookProjects, .webhookProjects),
    ]

    private static let authorization: [AgentSetting] = [
        AgentSetting(
            "API_AUTH_CLIENTS", "JSON: `[{\"id\": \"\", \"secretHash\": \"\", \"sdkKeys\": []}]`.", isSecret: true,
            \.apiAuthorization.clients, .credentials),
        AgentSetting(
            "API_AUTH_HMACSECRETS", "The secrets of tokens in base64, separated by commas.", isSecret: true,
            \.apiAuthorization.secrets, .secrets),
        AgentSetting(
            "API_AUTH_TTL", "How long a token is valid, such as 30m.", \.apiAuthorization.timeToLive, .duration),
        AgentSetting(
            "ADMIN_AUTH_CLIENTS", "JSON: `[{\"id\": \"\", \"secretHash\": \"\"}]`.", isSecret: true,
            \.adminAuthorization.clients, .credentials),
        AgentSetting(
            "ADMIN_AUTH_HMACSECRETS", "The secrets of administrators' tokens in base64.", isSecret: true,
            \.adminAuthorization.secrets, .secrets),
        AgentSetting(
            "ADMIN_AUTH_TTL", "How long an administrator's token is valid.", \.adminAuthorization.timeToLive,
            .duration),
    ]

    private static let services: [AgentSetting] = [
        AgentSetting(
            "CLIENT_DATAFILEURLTEMPLATE", "The address of datafiles, with %s for the SDK key.", \.datafileAddress,
            .optionalText),
        AgentSetting(
            "CLIENT_POLLINGINTERVAL", "The interval of requests for datafiles.", \.pollingInterval, .optionalDuration),
        AgentSetting("CLIENT_EVENTURL", "The address to forward events to.", \.eventAddress, .optionalText),
        AgentSetting(
            "CLIENT_USERPROFILESERVICE", "JSON: the stores for assignments.", isSecret: true, \.profileServices,
            .services),
        AgentSetting("CLIENT_ODP_DISABLE", "Whether segments are not used.", \.disablesSegments, .boolean),
        AgentSetting(
            "CLIENT_ODP_SEGMENTSREQUESTTIMEOUT", "The time limit for looking up segments.", \.segmentsTimeout,
            .optionalDuration),
        AgentSetting(
            "CLIENT_ODP_SEGMENTSCACHE", "JSON: the caches for segments.", isSecret: true, \.segmentCaches, .services),
        AgentSetting(
            "CLIENT_CMAB_PREDICTIONENDPOINT", "The address of predictions, with %s for the rule's id.",
            \.predictionAddress, .optionalText),
        AgentSetting(
            "CMAB_PREDICTIONENDPOINT", "The same; takes precedence.", \.predictionAddress, .optionalText),
        AgentSetting(
            "CLIENT_CMAB_REQUESTTIMEOUT", "The time limit of a prediction.", \.predictionTimeout, .optionalDuration),
    ]
}
