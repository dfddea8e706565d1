// The part of swift-configuration's interface that the integrations use: providers.

/// The requirement differs from the package's: tests use its providers and declare none.
public protocol ConfigProvider: Sendable {
    func content(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> ConfigContent?
}

/// Values of fixed types, which are not converted.
public struct InMemoryProvider: ConfigProvider {
    struct WrongType: Error {}

    private let values: [AbsoluteConfigKey: ConfigValue]

    public init(name: String? = nil, values: [AbsoluteConfigKey: ConfigValue]) { self.values = values }

    public func content(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> ConfigContent? {
        guard let content = values[key]?.content else { return nil }
        switch (content, type) {
        case (.string, .string), (.int, .int), (.double, .double), (.bool, .bool): return content
        default: throw WrongType()
        }
    }
}

/// Texts, which are converted to the requested type: `TURNOUT_SDK_KEY` for `turnout.sdkKey`.
public struct EnvironmentVariablesProvider: ConfigProvider {
    struct NotConvertible: Error {}

    private let variables: [String: String]

    public init(environmentVariables: [String: String]) { variables = environmentVariables }

    public func content(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> ConfigContent? {
        guard let text = variables[name(of: key)] else { return nil }
        let content: ConfigContent? =
            switch type {
            case .string: .string(text)
            case .int: Int(text).map { .int($0) }
            case .double: Double(text).map { .double($0) }
            case .bool: ["true": true, "false": false][text].map { .bool($0) }
            }
        guard let content else { throw NotConvertible() }
        return content
    }

    private func name(of key: AbsoluteConfigKey) -> String {
        let words = key.components.map { component in
            var name = ""
            for character in component {
                if character.isUppercase, name.last?.isLowercase == true { name += "_" }
                name.append(character)
            }
            return name.uppercased()
        }
        return words.joined(separator: "_")
    }
}
