// The part of swift-distributed-tracing's interface that the integrations use: spans.

@_exported public import ServiceContextModule

public protocol Span: Sendable {
    var context: ServiceContext { get }
    var operationName: String { get nonmutating set }
    var attributes: SpanAttributes { get nonmutating set }
    var isRecording: Bool { get }

    func setStatus(_ status: SpanStatus)
    func addEvent(_ event: SpanEvent)
    func addLink(_ link: SpanLink)
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant)
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant)
}

extension Span {
    public func recordError(_ error: any Error) { recordError(error, attributes: [:], at: DefaultTracerClock.now) }
    public func end() { end(at: DefaultTracerClock.now) }
}

public enum SpanKind: Sendable { case server, client, producer, consumer, `internal` }

public struct SpanStatus: Sendable, Equatable {
    public enum Code: Sendable { case ok, error }

    public let code: Code
    public let message: String?

    public init(code: Code, message: String? = nil) {
        self.code = code
        self.message = message
    }
}

public struct SpanLink: Sendable { public let context: ServiceContext }

public struct SpanEvent: Sendable, Equatable {
    public let name: String
    public var attributes: SpanAttributes

    public init(name: String, attributes: SpanAttributes = [:]) {
        self.name = name
        self.attributes = attributes
    }
}

public protocol SpanAttributeConvertible { func toSpanAttribute() -> SpanAttribute }

public enum SpanAttribute: Sendable, Equatable, SpanAttributeConvertible, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral
{
    case int64(Int64)
    case string(String)

    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .int64(Int64(value)) }
    public func toSpanAttribute() -> SpanAttribute { self }
}

extension String: SpanAttributeConvertible {
    public func toSpanAttribute() -> SpanAttribute { .string(self) }
}

extension Int: SpanAttributeConvertible {
    public func toSpanAttribute() -> SpanAttribute { .int64(Int64(self)) }
}

public struct SpanAttributes: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private var values: [String: SpanAttribute]

    public init(_ attributes: [String: SpanAttribute]) { values = attributes }

    public init(dictionaryLiteral elements: (String, SpanAttribute)...) {
        values = Dictionary(uniqueKeysWithValues: elements)
    }

    public subscript(_ name: String) -> (any SpanAttributeConvertible)? {
        get { values[name] }
        set { values[name] = newValue?.toSpanAttribute() }
    }

    public func get(_ name: String) -> SpanAttribute? { values[name] }
    public var count: Int { values.count }
}
