// The part of swift-configuration's interface that the integrations use.

public struct ConfigReader: Sendable {
    private let provider: any ConfigProvider
    private let prefix: [String]

    public init(provider: some ConfigProvider, accessReporter: (any AccessReporter)? = nil) { self.init(provider, []) }

    private init(_ provider: any ConfigProvider, _ prefix: [String]) {
        self.provider = provider
        self.prefix = prefix
    }

    public func scoped(to configKey: ConfigKey) -> ConfigReader {
        ConfigReader(provider, prefix + configKey.components)
    }

    public func string(
        forKey key: ConfigKey, isSecret: Bool = false, fileID: String = #fileID, line: UInt = #line
    ) -> String? {
        guard case .string(let value)? = content(key, .string) else { return nil }
        return value
    }

    public func int(
        forKey key: ConfigKey, isSecret: Bool = false, fileID: String = #fileID, line: UInt = #line
    ) -> Int? {
        guard case .int(let value)? = content(key, .int) else { return nil }
        return value
    }

    public func double(
        forKey key: ConfigKey, isSecret: Bool = false, fileID: String = #fileID, line: UInt = #line
    ) -> Double? {
        guard case .double(let value)? = content(key, .double) else { return nil }
        return value
    }

    public func bool(
        forKey key: ConfigKey, isSecret: Bool = false, fileID: String = #fileID, line: UInt = #line
    ) -> Bool? {
        guard case .bool(let value)? = content(key, .bool) else { return nil }
        return value
    }

    /// A provider's error counts as no value.
    private func content(_ key: ConfigKey, _ type: ConfigType) -> ConfigContent? {
        try? provider.content(forKey: AbsoluteConfigKey(prefix + key.components), type: type)
    }
}

public protocol AccessReporter: Sendable {}

public struct ConfigKey: Sendable, ExpressibleByStringLiteral {
    public var components: [String]

    public init(_ string: String) { components = string.split(separator: ".").map(String.init) }
    public init(stringLiteral value: String) { self.init(value) }
}

public struct AbsoluteConfigKey: Sendable, Hashable, ExpressibleByStringLiteral {
    public var components: [String]

    public init(_ components: [String]) { self.components = components }
    public init(stringLiteral value: String) { self.init(ConfigKey(value).components) }
}

public enum ConfigType: Sendable { case string, int, double, bool }

public enum ConfigContent: Sendable, Hashable {
    case string(String)
    case int(Int)
    case double(Double)
    case bool(Bool)
}

public struct ConfigValue: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    public var content: ConfigContent
    public var isSecret: Bool

    public init(_ content: ConfigContent, isSecret: Bool) {
        self.content = content
        self.isSecret = isSecret
    }

    public init(stringLiteral value: String) { self.init(.string(value), isSecret: false) }
    public init(integerLiteral value: Int) { self.init(.int(value), isSecret: false) }
    public init(floatLiteral value: Double) { self.init(.double(value), isSecret: false) }
    public init(booleanLiteral value: Bool) { self.init(.bool(value), isSecret: false) }
}
