// The part of swift-distributed-tracing's interface that the integrations use.

@_exported public import ServiceContextModule

public protocol Injector: Sendable {
    associatedtype Carrier: Sendable
    func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
}

public protocol Extractor: Sendable {
    associatedtype Carrier: Sendable
    func extract(key: String, from carrier: Carrier) -> String?
}

public protocol Instrument: Sendable {
    func extract<Carrier, Extract>(_ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract)
    where Extract: Extractor, Extract.Carrier == Carrier
    func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Inject.Carrier == Carrier
}

public protocol TracerInstant: Comparable, Hashable, Sendable {
    var nanosecondsSinceEpoch: UInt64 { get }
}

public enum DefaultTracerClock {
    public struct Timestamp: TracerInstant {
        public let nanosecondsSinceEpoch: UInt64

        public static func < (left: Timestamp, right: Timestamp) -> Bool {
            left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
        }
    }

    public static var now: Timestamp { Timestamp(nanosecondsSinceEpoch: 0) }
}

public protocol LegacyTracer: Instrument { func forceFlush() }

public protocol Tracer: LegacyTracer {
    associatedtype Span: Tracing.Span

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> Self.Span
}

extension Tracer {
    public func startSpan(
        _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
        ofKind kind: SpanKind = .internal, at instant: @autoclosure () -> some TracerInstant = DefaultTracerClock.now,
        function: String = #function, file fileID: String = #fileID, line: UInt = #line
    ) -> Self.Span {
        startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line
        )
    }
}

public enum InstrumentationSystem {
    public static var tracer: any Tracer { NoOpTracer() }
}

public struct NoOpTracer: Tracer {
    public struct Span: Tracing.Span {
        public let context: ServiceContext
        public var operationName: String {
            get { "noop" }
            nonmutating set {}
        }
        public var attributes: SpanAttributes {
            get { [:] }
            nonmutating set {}
        }
        public var isRecording: Bool { false }

        public func setStatus(_ status: SpanStatus) {}
        public func addEvent(_ event: SpanEvent) {}
        public func addLink(_ link: SpanLink) {}
        public func recordError<Instant: TracerInstant>(
            _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
        ) {}
        public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {}
    }

    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> Span {
        Span(context: context())
    }

    public func forceFlush() {}
    public func extract<Carrier, Extract>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract: Extractor, Extract.Carrier == Carrier {}
    public func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Inject.Carrier == Carrier {}
}
