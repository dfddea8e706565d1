import TurnoutEngine

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
        let known = Set(ConfigurationSetting.all.flatMap(\.variables))
        for name in agentVariables where !known.contains(name) { text += "# in the environment: \(name)\n" }
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
        if isPlain, plain { return text }
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }
}

extension EffectiveConfiguration.Origin {
    fileprivate var text: String {
        switch self {
        case .standard: "default"
        case .file(let name, let line): "\(name):\(line)"
        case .variable(let name): name
        case .option(let name): name
        }
    }
}

extension String {
    /// The address without its user name and password.
    var withoutCredentials: String {
        guard let scheme = firstRange(of: "://"), let at = self[scheme.upperBound...].lastIndex(of: "@") else {
            return self
        }
        return self[..<scheme.upperBound] + "****" + self[at...]
    }
}
