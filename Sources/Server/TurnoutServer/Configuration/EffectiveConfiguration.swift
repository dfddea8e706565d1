import TurnoutClient
import TurnoutEngine
package import TurnoutFlags

/// A configuration, and where each of its values comes from.
///
/// Later sources replace values of earlier ones: read the file first, then the environment, then the options.
package struct EffectiveConfiguration: Sendable {
    /// The source of a value.
    package enum Origin: Sendable, Equatable {
        case standard
        /// A line of the configuration file.
        case file(String, line: Int)
        case variable(String)
        /// An option of the command line.
        case option(String)
        /// The setting `hub`.
        case hub
    }

    package private(set) var values = ServerConfiguration()
    private var origins: [String: Origin] = [:]

    package init() {}

    /// The source of the value of a setting.
    package func origin(of key: String) -> Origin { origins[key] ?? .standard }

    /// Sets a value.
    ///
    /// - Throws: ``ServerConfigurationError`` if the texts are not a value of the setting.
    package mutating func set(
        _ setting: ConfigurationSetting, _ texts: [String], from origin: Origin
    ) throws(ServerConfigurationError) {
        guard setting.set(&values, texts) else {
            // A secret must not appear in the log because it has a blank too many.
            let found = setting.secrecy == .none ? ", found \"\(texts.joined(separator: ", "))\"" : ""
            throw ServerConfigurationError(origin, of: setting, "expected \(setting.expected)\(found)")
        }
        origins[setting.key] = origin
    }

    /// Sets what a hub implies, where nothing else is set. Call it after all sources are read.
    package mutating func completeFromHub() {
        let read = values
        values.completeFromHub()
        for setting in ConfigurationSetting.all where setting.texts(values) != setting.texts(read) {
            origins[setting.key] = .hub
        }
    }

    // MARK: Environment

    /// The variable with the token that other commands send to a server.
    package static let tokenVariable = "TURNOUT_TOKEN"

    /// Reads the environment variables that settings name. Lists are separated by commas or blanks.
    ///
    /// - Returns: Warnings about variables that are probably misspelled, or have no effect.
    /// - Throws: ``ServerConfigurationError`` for the first invalid value.
    package mutating func read(environment: [String: String]) throws(ServerConfigurationError) -> [String] {
        try AgentSettingsWithoutEffect.refuse(environment)
        for setting in ConfigurationSetting.all {
            for name in setting.variables {
                guard var text = environment[name], !text.isEmpty else { continue }
                if name.hasPrefix("OPTIMIZELY_") {
                    guard let converted = setting.agentText(text) else { continue }
                    text = converted
                }
                let texts = setting.isList ? text.split { $0 == "," || $0 == " " }.map(String.init) : [text]
                try set(setting, texts, from: .variable(name))
            }
        }
        let known = Set(
            ConfigurationSetting.all.flatMap(\.variables) + [DecisionOverrides.environmentVariable, Self.tokenVariable])
        let misspelled = environment.keys.sorted().compactMap { name -> String? in
            guard name.hasPrefix("TURNOUT_"), !known.contains(name) else { return nil }
            return Spelling.suggestion(for: name, among: Array(known.filter { $0.hasPrefix("TURNOUT_") })).map {
                "the environment variable \(name) is not used. \($0)"
            }
        }
        return AgentSettingsWithoutEffect.warnings(environment) + misspelled
    }

    // MARK: File

    /// Reads a configuration file.
    ///
    /// - Throws: ``ServerConfigurationError`` for the first unknown key or invalid value, with its line.
    package mutating func read(_ root: Node, in source: SourceFile) throws(ServerConfigurationError) {
        if root.isNothing { return }
        guard root.isMapping else {
            throw ServerConfigurationError(.file(source.name, line: 1), "expected a mapping of settings")
        }
        try read(root, prefix: "", source)
    }

    private mutating func read(_ node: Node, prefix: String, _ source: SourceFile) throws(ServerConfigurationError) {
        for member in node.members {
            let key = prefix + member.key.text
            let origin = Origin.file(source.name, line: source.position(of: member.key.range.lowerBound).line)
            if let setting = ConfigurationSetting.named(key) {
                if case .file = self.origin(of: key) { throw ServerConfigurationError(origin, "\(key): duplicate key") }
                if member.value.isNothing { continue }
                try set(setting, try Self.texts(of: member.value, setting, origin), from: origin)
            } else if ConfigurationSetting.all.contains(where: { $0.key.hasPrefix(key + ".") }) {
                guard member.value.isMapping || member.value.isNothing else {
                    throw ServerConfigurationError(origin, "\(key): expected a mapping of settings")
                }
                try read(member.value, prefix: key + ".", source)
            } else {
                let advice = Spelling.suggestion(for: key, among: ConfigurationSetting.all.map(\.key))
                throw ServerConfigurationError(
                    origin, "\(key): unknown setting" + (advice.map { ". " + $0 } ?? ""))
            }
        }
    }

    private static func texts(
        of node: Node, _ setting: ConfigurationSetting, _ origin: Origin
    ) throws(ServerConfigurationError) -> [String] {
        if let text = node.text { return [text] }
        let texts = node.elements.compactMap(\.text)
        guard setting.isList, node.isSequence, texts.count == node.elements.count else {
            throw ServerConfigurationError(origin, of: setting, "expected \(setting.expected)")
        }
        return texts
    }
}

/// A mistake in the configuration, with its place.
package struct ServerConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The place and the problem: `server.yaml:3: port: expected a whole number from 0 to 65535, found "http"`.
    package let description: String

    /// A wrong value. A variable and an option name the setting themselves.
    init(_ origin: EffectiveConfiguration.Origin, of setting: ConfigurationSetting, _ problem: String) {
        switch origin {
        case .standard, .hub, .file: self.init(origin, "\(setting.key): \(problem)")
        case .variable, .option: self.init(origin, problem)
        }
    }

    init(_ origin: EffectiveConfiguration.Origin, _ problem: String) {
        switch origin {
        case .standard, .hub: description = problem
        case .file(let name, let line): description = "\(name):\(line): \(problem)"
        case .variable(let name): description = "environment variable \(name): \(problem)"
        case .option(let name): description = "option \(name): \(problem)"
        }
    }
}

extension EffectiveConfiguration {
    /// The configuration as a file in YAML, with the source of each value in a comment. Secrets are masked.
    ///
    /// ```text
    /// port: 9090                       # --port
    /// log:
    ///   level: info                    # default
    /// ```
    package var text: String {
        var text = ""
        var open: [Substring] = []
        for setting in ConfigurationSetting.all {
            let parts = setting.key.split(separator: ".")
            let groups = Array(parts.dropLast())
            let common = zip(open, groups).prefix { $0 == $1 }.count
            for (depth, group) in groups.enumerated().dropFirst(common) {
                text += String(repeating: "  ", count: depth) + group + ":\n"
            }
            open = groups
            let line = String(repeating: "  ", count: groups.count) + (parts.last ?? "") + ": " + value(of: setting)
            text += line + String(repeating: " ", count: max(1, 40 - line.utf8.count))
            text += "# \(origin(of: setting.key).text)\n"
        }
        return text
    }

    private func value(of setting: ConfigurationSetting) -> String {
        let texts = setting.texts(values)
        let shown: [String] =
            switch setting.secrecy {
            case .none: texts
            case .address: texts.map(\.withoutCredentials)
            case .secret: texts.map { _ in "****" }
            }
        guard setting.isList else { return shown.first.map(Self.scalar) ?? "null" }
        return "[" + shown.map(Self.scalar).joined(separator: ", ") + "]"
    }

    /// The text as YAML: in quotes unless it is a simple word or number.
    private static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.first.map { $0 >= 0x30 && $0 <= 0x39 || $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || $0 == 0x2F }
            ?? false
        let plain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "/"):
                true
            default: false
            }
        }
        return isPlain && plain ? text : JSONValue.string(text).compactText
    }
}

extension EffectiveConfiguration.Origin {
    fileprivate var text: String {
        switch self {
        case .standard: "default"
        case .file(let name, let line): "\(name):\(line)"
        case .variable(let name): name
        case .option(let name): name
        case .hub: "hub"
        }
    }
}

extension String {
    /// The address without its user name and password.
    package var withoutCredentials: String {
        guard let scheme = firstRange(of: "://"), let at = self[scheme.upperBound...].lastIndex(of: "@") else {
            return self
        }
        return self[..<scheme.upperBound] + "****" + self[at...]
    }
}
