// The part of swift-service-context's interface that the integrations use.

public struct ServiceContext: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    @TaskLocal public static var current: ServiceContext?

    public static var topLevel: ServiceContext { ServiceContext() }

    public subscript<Key: ServiceContextKey>(_ key: Key.Type) -> Key.Value? {
        get { values[ObjectIdentifier(key)] as? Key.Value }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    public static func withValue<T>(_ value: ServiceContext?, operation: () throws -> T) rethrows -> T {
        try $current.withValue(value, operation: operation)
    }

    public static func withValue<T>(
        _ value: ServiceContext?, isolation: isolated (any Actor)? = #isolation, operation: () async throws -> T
    ) async rethrows -> T {
        try await $current.withValue(value, operation: operation)
    }
}

public protocol ServiceContextKey: Sendable { associatedtype Value: Sendable }
