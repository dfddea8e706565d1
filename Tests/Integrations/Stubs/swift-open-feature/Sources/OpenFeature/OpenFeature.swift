// The part of swift-open-feature's interface that the integrations use: the client and the global provider.

import Synchronization

public protocol OpenFeatureValue: Sendable {}

extension Bool: OpenFeatureValue {}
extension String: OpenFeatureValue {}
extension Int: OpenFeatureValue {}
extension Double: OpenFeatureValue {}

public enum OpenFeatureSystem: Sendable {
    private static let current = Mutex<(any OpenFeatureProvider)?>(nil)

    public static func setProvider(_ provider: some OpenFeatureProvider) { current.withLock { $0 = provider } }

    public static func client(evaluationContext: OpenFeatureEvaluationContext? = nil) -> OpenFeatureClient {
        OpenFeatureClient(provider: current.withLock { $0 }, context: evaluationContext)
    }
}

public actor OpenFeatureClient {
    private let provider: (any OpenFeatureProvider)?
    private let context: OpenFeatureEvaluationContext?

    init(provider: (any OpenFeatureProvider)?, context: OpenFeatureEvaluationContext?) {
        self.provider = provider
        self.context = context
    }

    public func value(
        for flag: String, defaultingTo defaultValue: Bool, context: OpenFeatureEvaluationContext? = nil
    ) async -> Bool {
        await provider?.resolution(of: flag, defaultValue: defaultValue, context: merged(context)).value ?? defaultValue
    }

    public func value(
        for flag: String, defaultingTo defaultValue: Int, context: OpenFeatureEvaluationContext? = nil
    ) async -> Int {
        await provider?.resolution(of: flag, defaultValue: defaultValue, context: merged(context)).value ?? defaultValue
    }

    private func merged(_ other: OpenFeatureEvaluationContext?) -> OpenFeatureEvaluationContext {
        var merged = context ?? OpenFeatureEvaluationContext()
        merged.targetingKey = other?.targetingKey ?? merged.targetingKey
        merged.fields.merge(other?.fields ?? [:]) { $1 }
        return merged
    }
}
