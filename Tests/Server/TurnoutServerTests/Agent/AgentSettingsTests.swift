import Testing
import TurnoutEngine
import TurnoutServer

@Suite("The Agent's settings")
struct AgentSettingsTests {
    private static let names =
        ConfigurationSetting.all.flatMap(\.variables).filter { $0.hasPrefix("OPTIMIZELY_") }
        + AgentSettingsWithoutEffect.all.map(\.name) + AgentSettingsWithoutEffect.refused

    private func values(_ environment: [String: String]) throws -> ServerConfiguration {
        var effective = EffectiveConfiguration()
        #expect(try effective.read(environment: environment) == [])
        return effective.values
    }

    @Test func variablesChangeTheConfiguration() throws {
        let values = try values([
            "OPTIMIZELY_SERVER_READTIMEOUT": "1m30s", "OPTIMIZELY_API_ENABLEOVERRIDES": "true",
            "OPTIMIZELY_SERVER_BATCHREQUESTS_OPERATIONSLIMIT": "3", "OPTIMIZELY_LOG_PRETTY": "1",
            "OPTIMIZELY_CLIENT_USERPROFILESERVICE": #"{"default": "redis", "services": {"redis": {"host": "h:1"}}}"#,
            "OPTIMIZELY_API_AUTH_HMACSECRETS": "YWJj,ZGVm", "OPTIMIZELY_API_AUTH_TTL": "30m",
            "OPTIMIZELY_API_AUTH_CLIENTS": #"[{"id": "app", "secretHash": "aGFzaA==", "sdkKeys": ["a"]}]"#,
            "OPTIMIZELY_WEBHOOK_PROJECTS": #"{"20": {"sdkKeys": ["a"], "secret": "s"}}"#,
            "OPTIMIZELY_CLIENT_CMAB_PREDICTIONENDPOINT": "http://a/%s",
            "OPTIMIZELY_CMAB_PREDICTIONENDPOINT": "http://b/%s", "HOME": "/",
        ])
        #expect(values.limits.requestTime == .seconds(90) && values.log.format == .text)
        let agent = values.agent
        #expect(agent.allowsOverrides && agent.batchLimit == 3)
        #expect(agent.profileServices.standard == "redis")
        #expect(agent.profileServices.services["redis"]?["host"] == .string("h:1"))
        #expect(agent.apiAuthorization.secrets == [Array("abc".utf8), Array("def".utf8)])
        #expect(agent.apiAuthorization.timeToLive == .seconds(1_800))
        #expect(agent.apiAuthorization.clients.map(\.sdkKeys) == [["a"]])
        #expect(agent.webhookProjects[20]?.secret == "s")
        #expect(agent.predictionAddress == "http://b/%s")
    }

    @Test(arguments: [
        ("API_PORT", "70000"), ("API_ENABLEOVERRIDES", "yes"), ("SERVER_READTIMEOUT", "5"), ("LOG_PRETTY", "maybe"),
        ("API_AUTH_HMACSECRETS", "*"), ("API_AUTH_HMACSECRETS", ","), ("API_AUTH_CLIENTS", "{}"),
        ("WEBHOOK_PROJECTS", #"{"x": {}}"#), ("WEBHOOK_PROJECTS", #"{"1": {"sdkKeys": []}}"#),
        ("CLIENT_USERPROFILESERVICE", #"{"default": "none", "services": {}}"#), ("API_CORS_MAXAGE", "long"),
    ])
    func aMalformedValueKeepsTheServerFromStarting(name: String, value: String) {
        var effective = EffectiveConfiguration()
        let error = #expect(throws: ServerConfigurationError.self) {
            try effective.read(environment: ["OPTIMIZELY_" + name: value])
        }
        #expect(error?.description.hasPrefix("environment variable OPTIMIZELY_\(name): ") == true)
    }

    @Test func eachSettingWithoutEffectIsReportedOnceWithWhatToDo() throws {
        var effective = EffectiveConfiguration()
        let problems = try effective.read(environment: [
            "OPTIMIZELY_CLIENT_BATCHSIZE": "10", "OPTIMIZELY_ADMIN_PORT": "8088", "OPTIMIZELY_WEBHOOK_PORT": "8089",
            "OPTIMIZELY_API_PROT": "1", "OPTIMIZELY_ZZZZZZZZZZZZZZ": "1", "OPTIMIZELY_LOG_LEVEL": "info",
        ])
        #expect(
            problems == [
                "OPTIMIZELY_ADMIN_PORT has no effect: all routes are on one port; send requests for administrators to "
                    + "that of clients",
                "OPTIMIZELY_API_PROT has no effect: the server has no such setting. "
                    + "Did you mean \"OPTIMIZELY_API_PORT\"?",
                "OPTIMIZELY_CLIENT_BATCHSIZE has no effect: events are in the file before a request is answered; "
                    + "remove the variable",
                "OPTIMIZELY_WEBHOOK_PORT has no effect: all routes are on one port; have the webhook call that of "
                    + "clients",
                "OPTIMIZELY_ZZZZZZZZZZZZZZ has no effect: the server has no such setting. Remove the "
                    + "variable; `turnout serve --print-configuration` shows all settings.",
            ])
    }

    /// Values of settings that are neither texts, numbers nor lists.
    private static let values = [
        "SERVER_READTIMEOUT": "7s", "CLIENT_POLLINGINTERVAL": "7s", "CLIENT_ODP_SEGMENTSREQUESTTIMEOUT": "7s",
        "CLIENT_CMAB_REQUESTTIMEOUT": "7s", "API_AUTH_TTL": "7s", "ADMIN_AUTH_TTL": "7s", "LOG_LEVEL": "debug",
        "LOG_PRETTY": "false", "API_ENABLEOVERRIDES": "true", "API_ENABLENOTIFICATIONS": "true",
        "CLIENT_ODP_DISABLE": "true", "API_AUTH_HMACSECRETS": "YWJj", "ADMIN_AUTH_HMACSECRETS": "YWJj",
        "API_AUTH_CLIENTS": #"[{"id": "app", "secretHash": "aGFzaA==", "sdkKeys": ["a"]}]"#,
        "ADMIN_AUTH_CLIENTS": #"[{"id": "app", "secretHash": "aGFzaA=="}]"#,
        "WEBHOOK_PROJECTS": #"{"20": {"sdkKeys": ["a"], "secret": "s"}}"#,
        "CLIENT_USERPROFILESERVICE": #"{"default": "redis", "services": {"redis": {"host": "h:1"}}}"#,
        "CLIENT_ODP_SEGMENTSCACHE": #"{"default": "redis", "services": {"redis": {"host": "h:1"}}}"#,
    ]

    @Test(arguments: names)
    func eachSettingChangesTheServerOrIsWarnedAbout(name: String) throws {
        let value = Self.values[String(name.dropFirst("OPTIMIZELY_".count))] ?? "7"
        var effective = EffectiveConfiguration()
        let warnings: [String]
        do throws(ServerConfigurationError) { warnings = try effective.read(environment: [name: value]) } catch {
            return #expect(error.description.contains(name))
        }
        let used = effective.values
        let isWarnedAbout = warnings.contains { $0.hasPrefix(name + " has no effect: ") }
        #expect((used != ServerConfiguration()) != isWarnedAbout, "\(name)")
    }

    @Test func theEventAddressOfTheAgentIsUsed() throws {
        var effective = EffectiveConfiguration()
        let address = "https://logx.optimizely.com/v1/events"
        #expect(try effective.read(environment: ["OPTIMIZELY_CLIENT_EVENTURL": address]) == [])
        #expect(effective.values.events.forwardingAddress == address)
    }

    @Test func eachSettingIsDescribedOnce() { #expect(Set(Self.names).count == Self.names.count) }

    @Test(
        arguments: [
            (#"{"in-memory": {"capacity": 0, "storageStrategy": "fifo"}}"#, .memory(entries: nil, lifetime: nil)),
            (#"{"in-memory": {"size": 500, "timeout": "600s"}}"#, .memory(entries: 500, lifetime: .seconds(600))),
            (
                #"{"redis": {"host": "h:1", "timeout": "0s"}}"#,
                .redis(address: "redis://h:1/0?layout=agent", lifetime: nil)
            ),
            (
                #"{"redis": {"host": "h:1", "password": "a:b", "database": 3}}"#,
                .redis(address: "redis://:a%3Ab@h:1/3?layout=agent", lifetime: nil)
            ),
            (
                #"{"redis": {"password": "secret"}}"#,
                .unusable(AgentServiceProblem(service: "redis", description: "\"host\" is missing"))
            ),
            (
                #"{"rest": {"host": "http://h"}}"#,
                .unusable(AgentServiceProblem(service: "rest", description: "\"lookupPath\" is missing"))
            ),
            (#"{"other": {}}"#, .unknown("other")),
            (
                #"{"rest": {"host": "http://h", "lookupPath": "/l", "savePath": "/s"}}"#,
                .rest(AgentProfileService(lookupAddress: "http://h/l", saveAddress: "http://h/s"))
            ),
        ] as [(String, AgentStore)])
    func storesHaveAddresses(services: String, store: AgentStore) throws {
        let name = "OPTIMIZELY_CLIENT_ODP_SEGMENTSCACHE"
        let chosen = String(services.dropFirst(2).prefix { $0 != "\"" })
        let text = "{\"default\": \"\(chosen)\", \"services\": \(services)}"
        #expect(try values([name: text]).agent.segmentCaches.standardStore == store)
    }
}
