import Foundation
import TestSupport
import TurnoutFlags
import TurnoutServer

@Suite("Configuration")
struct ConfigurationTests {
    private func read(_ text: String, into configuration: inout EffectiveConfiguration) throws {
        let source = SourceFile(name: "server.json", bytes: Array(text.utf8))
        try configuration.read(try Node(json: source), in: source)
    }

    @Test func laterSourcesTakePrecedence() throws {
        var configuration = EffectiveConfiguration()
        try read("{\n\"port\": 1, \"host\": \"0.0.0.0\", \n\"log\": {\"level\": \"debug\"}}", into: &configuration)
        #expect(try configuration.read(environment: ["TURNOUT_PORT": "2", "TURNOUT_LOG_LEVEL": ""]) == [])
        let port = try #require(ConfigurationSetting.named("port"))
        #expect(configuration.values.port == 2)
        #expect(configuration.origin(of: "port") == .variable("TURNOUT_PORT"))
        try configuration.set(port, ["3"], from: .option("--port"))
        #expect(configuration.values.port == 3)
        #expect(configuration.values.host == "0.0.0.0")
        #expect(configuration.values.log.level == .debug)
        #expect(configuration.origin(of: "log.level") == .file("server.json", line: 3))
        #expect(configuration.origin(of: "data") == .standard)
    }

    @Test func namesOfTheAgentAreAccepted() throws {
        var configuration = EffectiveConfiguration()
        _ = try configuration.read(environment: [
            "OPTIMIZELY_SDKKEYS": "a,b c", "OPTIMIZELY_API_PORT": "9090", "OPTIMIZELY_SERVER_HOST": "0.0.0.0",
            "OPTIMIZELY_SERVER_ALLOWEDHOSTS": ".example.com", "OPTIMIZELY_CLIENT_POLLINGINTERVAL": "1m30s",
            "OPTIMIZELY_LOG_LEVEL": "warn", "TURNOUT_HOST": "127.0.0.2", "OPTIMIZELY_API_MAXCONNS": "0",
            "OPTIMIZELY_API_CORS_MAXAGE": "600", "OPTIMIZELY_LOG_PRETTY": "false",
            "OPTIMIZELY_API_ENABLEOVERRIDES": "true",
        ])
        let values = configuration.values
        #expect(values.sdkKeys == ["a", "b", "c"])
        #expect(values.port == 9_090)
        #expect(values.host == "127.0.0.2")
        #expect(values.access.allowedHosts == [".example.com"])
        #expect(values.pollingInterval == .seconds(90))
        #expect(values.log.level == .warning)
        #expect(values.log.format == .json)
        #expect(values.limits.connections == 20_000)
        #expect(values.access.cors.maximumAge == .seconds(600))
        #expect(values.agent.allowsOverrides)
        #expect(configuration.origin(of: "agent.overrides") == .variable("OPTIMIZELY_API_ENABLEOVERRIDES"))
    }

    @Test func variablesOfTheAgentWithoutEffectAreReported() throws {
        var configuration = EffectiveConfiguration()
        let warnings = try configuration.read(environment: ["OPTIMIZELY_CLIENT_BATCHSIZE": "20"])
        #expect(warnings.count == 1 && warnings[0].hasPrefix("OPTIMIZELY_CLIENT_BATCHSIZE has no effect"))
    }

    @Test(arguments: [
        ("OPTIMIZELY_API_AUTH_JWKSURL", "https://id.example/keys", "set OPTIMIZELY_API_AUTH_HMACSECRETS, or"),
        ("OPTIMIZELY_ADMIN_AUTH_JWKSURL", "https://id.example/keys", "set OPTIMIZELY_ADMIN_AUTH_HMACSECRETS, or"),
        ("OPTIMIZELY_API_AUTH_CLIENTS", "{", "OPTIMIZELY_API_AUTH_CLIENTS: expected"),
        ("OPTIMIZELY_ADMIN_AUTH_HMACSECRETS", "*", "OPTIMIZELY_ADMIN_AUTH_HMACSECRETS: expected"),
    ])
    func aServerThatCannotVerifyTokensAsAskedDoesNotStart(name: String, value: String, message: String) {
        var configuration = EffectiveConfiguration()
        let error = #expect(throws: ServerConfigurationError.self) {
            _ = try configuration.read(environment: [name: value])
        }
        #expect(error?.description.contains(message) == true)
    }

    @Test(arguments: [
        (#"{"port": 70000}"#, #"server.json:1: port: expected a whole number from 0 to 65535, found "70000""#),
        (#"{"prot": 1}"#, "server.json:1: prot: unknown setting. Did you mean \"port\"?"),
        (#"{"port": [1]}"#, "server.json:1: port: expected a whole number from 0 to 65535"),
        ("{\n\"log\": {\"format\": \"xml\"}}", #"server.json:2: log.format: expected one of text, json, found "xml""#),
        (#"{"log": "debug"}"#, "server.json:1: log: expected a mapping of settings"),
        (#"{"port": 1, "port": 2}"#, "server.json:1: port: duplicate key"),
        ("[]", "server.json:1: expected a mapping of settings"),
        (
            #"{"events": {"exposures": "first"}}"#,
            #"server.json:1: events.exposures: expected one of all, first_per_day, found "first""#
        ),
        (
            #"{"results": {"exclude": ["bots", "robots"]}}"#,
            "server.json:1: results.exclude: expected a list of bots, ATTRIBUTE=VALUE, user:ID and segment:NAME, "
                + #"found "bots, robots""#
        ),
        (
            #"{"limits": {"idle_time": "1 s"}}"#,
            #"server.json:1: limits.idle_time: expected a duration of at least 1s, found "1 s""#
        ),
    ])
    func aMistakeInTheFileHasItsPlace(text: String, message: String) throws {
        var configuration = EffectiveConfiguration()
        let error = #expect(throws: ServerConfigurationError.self) { try read(text, into: &configuration) }
        #expect(error?.description == message)
    }

    @Test func listsHaveSeveralElements() throws {
        var configuration = EffectiveConfiguration()
        try read(
            #"{"access": {"allowed_hosts": ["a", ".b"], "cors": {"origins": []}}, "sdk_keys": "k"}"#,
            into: &configuration)
        #expect(configuration.values.access.allowedHosts == ["a", ".b"])
        #expect(configuration.values.access.cors.origins == [])
        #expect(configuration.values.sdkKeys == ["k"])
        #expect(configuration.text.contains("allowed_hosts: [a, \".b\"]"))
    }

    @Test func aMisspelledVariableIsReported() throws {
        var configuration = EffectiveConfiguration()
        let warnings = try configuration.read(environment: ["TURNOUT_PROT": "1", "TURNOUT_FORCE": "a=b", "PATH": ""])
        #expect(warnings == ["the environment variable TURNOUT_PROT is not used. Did you mean \"TURNOUT_PORT\"?"])
        #expect(throws: ServerConfigurationError.self) { try configuration.read(environment: ["TURNOUT_PORT": "http"]) }
    }

    @Test func filesToDeployNameSettings() throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../../../Examples/Deploy").standardized
        let known = Set(ConfigurationSetting.all.flatMap(\.variables))
        var count = 0
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: /\bTURNOUT_\w+/) {
                #expect(known.contains(String(match.output)), "\(file.lastPathComponent)")
                count += 1
            }
        }
        #expect(count > 10)
    }

    @Test func aHubImpliesAddressesThatAreNotSet() throws {
        var configuration = EffectiveConfiguration()
        _ = try configuration.read(environment: ["TURNOUT_HUB": "https://hub.example", "TURNOUT_SEGMENTS_HOST": "odp"])
        configuration.completeFromHub()
        #expect(configuration.values.upstream == "https://hub.example/datafiles/{sdkKey}.json")
        #expect(configuration.values.segmentsHost == "odp" && configuration.origin(of: "events.forward") == .hub)
    }

    @Test func secretsAreMasked() throws {
        var configuration = EffectiveConfiguration()
        let secrets = [
            "upstream_token": "hunter2", "profiles": "redis://user:hunter2@cache.example:6379?prefix=x",
            "upstream": "https://name:hunter2@cdn.example/%s", "hub_token": "hunter2",
        ]
        for (key, value) in secrets {
            try configuration.set(try #require(ConfigurationSetting.named(key)), [value], from: .option("--" + key))
        }
        let text = configuration.text
        #expect(!text.contains("hunter2"))
        #expect(text.contains(#"upstream_token: "****""#))
        #expect(text.contains(#"profiles: "redis://****@cache.example:6379?prefix=x""#))
        let token = try #require(ConfigurationSetting.named("upstream_token"))
        let error = #expect(throws: ServerConfigurationError.self) {
            try configuration.set(token, ["hunter2", "more"], from: .option("--upstream-token"))
        }
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func thePrintedTextIsAConfiguration() throws {
        var configuration = EffectiveConfiguration()
        try configuration.set(try #require(ConfigurationSetting.named("port")), ["9090"], from: .option("--port"))
        let lines = configuration.text.split(separator: "\n").map(String.init)
        #expect(lines.contains("port: 9090                              # --port"))
        #expect(lines.contains("log:"))
        #expect(lines.contains("  format: text                          # default"))
        #expect(lines.contains("  cors:"))
        #expect(lines.contains("    origins: [\"*\"]                      # default"))
        #expect(lines.contains("data: null                              # default"))
        #expect(lines.count > ConfigurationSetting.all.count)
    }

    @Test func everySettingHasOneNameEverywhere() {
        let all = ConfigurationSetting.all
        #expect(Set(all.map(\.key)).count == all.count)
        let variables = all.flatMap(\.variables)
        #expect(Set(variables).count == variables.count)
        for setting in all {
            #expect(setting.key.wholeMatch(of: /[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)*/) != nil)
            #expect(setting.help.hasSuffix("."))
        }
    }

    @Test(arguments: [
        ("0", Duration.zero), ("500ms", .milliseconds(500)), ("30s", .seconds(30)), ("1h30m", .seconds(5_400)),
        ("1.5s", .milliseconds(1_500)),
    ])
    func durationsHaveUnits(text: String, duration: Duration) {
        #expect(Duration(settingTexts: [text]) == duration)
        #expect(Duration(settingTexts: duration.settingTexts) == duration)
    }

    @Test(arguments: ["", "5", "s", "-1s", "1 s", "1d", "1s5", "nan", "1e9h"])
    func otherTextsAreNoDurations(text: String) { #expect(Duration(settingTexts: [text]) == nil) }
}
