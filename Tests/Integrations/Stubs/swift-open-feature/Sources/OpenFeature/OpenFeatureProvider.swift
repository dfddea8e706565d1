// The part of swift-open-feature's interface that the integrations use: providers.

public import Foundation

public protocol OpenFeatureProvider: Sendable {
    var metadata: OpenFeatureProviderMetadata { get }
    var hooks: [any OpenFeatureHook] { get }

    func resolution(
        of flag: String, defaultValue: Bool, context: OpenFeatureEvaluationContext?
    ) async -> OpenFeatureResolution<Bool>
    func resolution(
        of flag: String, defaultValue: String, context: OpenFeatureEvaluationContext?
    ) async -> OpenFeatureResolution<String>
    func resolution(
        of flag: String, defaultValue: Int, context: OpenFeatureEvaluationContext?
    ) async -> OpenFeatureResolution<Int>
    func resolution(
        of flag: String, defaultValue: Double, context: OpenFeatureEvaluationContext?
    ) async -> OpenFeatureResolution<Double>

    func run() async throws
}

extension OpenFeatureProvider {
    public var hooks: [any OpenFeatureHook] { [] }
}

public protocol OpenFeatureHook: Sendable {}

public struct OpenFeatureProviderMetadata: Hashable, Sendable {
    public let name: String

    public init(name: String, values: [String: String] = [:]) { self.name = name }
}

public struct OpenFeatureEvaluationContext: Sendable {
    public var targetingKey: String?
    public var fields: [String: OpenFeatureFieldValue]

    public init(targetingKey: String? = nil, fields: [String: OpenFeatureFieldValue] = [:]) {
        self.targetingKey = targetingKey
        self.fields = fields
    }
}

public enum OpenFeatureFieldValue: Sendable, ExpressibleByBooleanLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral
{
    case bool(Bool)
    case string(String)
    case int(Int)
    case double(Double)
    case date(Date)
    case object(any Codable & Sendable)

    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
}

public enum OpenFeatureFlagMetadataValue: Sendable, Equatable {
    case bool(Bool)
    case string(String)
    case int(Int)
    case double(Double)
}

public struct OpenFeatureResolution<Value: OpenFeatureValue>: Sendable {
    public let value: Value
    public let error: OpenFeatureResolutionError?
    public let reason: OpenFeatureResolutionReason?
    public let variant: String?
    public let flagMetadata: [String: OpenFeatureFlagMetadataValue]

    public init(
        value: Value, error: OpenFeatureResolutionError? = nil, reason: OpenFeatureResolutionReason? = nil,
        variant: String? = nil, flagMetadata: [String: OpenFeatureFlagMetadataValue] = [:]
    ) {
        self.value = value
        self.error = error
        self.reason = reason
        self.variant = variant
        self.flagMetadata = flagMetadata
    }
}

public struct OpenFeatureResolutionError: Error, Equatable {
    public struct Code: RawRepresentable, Sendable, Equatable {
        public static let providerNotReady = Code(rawValue: "PROVIDER_NOT_READY")
        public static let flagNotFound = Code(rawValue: "FLAG_NOT_FOUND")
        public static let typeMismatch = Code(rawValue: "TYPE_MISMATCH")
        public static let targetingKeyMissing = Code(rawValue: "TARGETING_KEY_MISSING")
        public static let general = Code(rawValue: "GENERAL")

        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public let code: Code
    public let message: String?

    public init(code: Code, message: String?) {
        self.code = code
        self.message = message
    }
}

public struct OpenFeatureResolutionReason: RawRepresentable, Sendable, Equatable {
    public static let `default` = OpenFeatureResolutionReason(rawValue: "DEFAULT")
    public static let targetingMatch = OpenFeatureResolutionReason(rawValue: "TARGETING_MATCH")
    public static let split = OpenFeatureResolutionReason(rawValue: "SPLIT")
    public static let cached = OpenFeatureResolutionReason(rawValue: "CACHED")
    public static let error = OpenFeatureResolutionReason(rawValue: "ERROR")

    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}
