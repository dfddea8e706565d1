import Synchronization
import Tracing

/// A tracer that keeps its spans, numbered from 1, and propagates their numbers.
final class RecordingTracer: Tracer {
    private enum NumberKey: ServiceContextKey { typealias Value = Int }

    private let state = Mutex<[RecordedSpan]>([])

    var spans: [RecordedSpan] { state.withLock { $0 } }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context[NumberKey.self]
        return state.withLock { spans in
            context[NumberKey.self] = spans.count + 1
            spans.append(RecordedSpan(context: context, parent: parent, name: operationName))
            return spans[spans.count - 1]
        }
    }

    func forceFlush() {}

    func extract<Carrier, Extract>(_ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract)
    where Extract: Extractor, Extract.Carrier == Carrier {}

    func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Inject.Carrier == Carrier {
        injector.inject("\(context[NumberKey.self] ?? 0)", forKey: "traceparent", into: &carrier)
    }
}

final class RecordedSpan: Span {
    private struct State {
        var operationName: String
        var attributes: SpanAttributes = [:]
        var status: SpanStatus?
        var events: [SpanEvent] = []
        var errors: [String] = []
        var isEnded = false
    }

    let context: ServiceContext
    let parent: Int?
    private let state: Mutex<State>

    init(context: ServiceContext, parent: Int?, name: String) {
        (self.context, self.parent) = (context, parent)
        state = Mutex(State(operationName: name))
    }

    var operationName: String {
        get { state.withLock { $0.operationName } }
        set { state.withLock { $0.operationName = newValue } }
    }
    var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }
    var isRecording: Bool { !isEnded }
    var isEnded: Bool { state.withLock { $0.isEnded } }
    var status: SpanStatus? { state.withLock { $0.status } }
    var events: [SpanEvent] { state.withLock { $0.events } }
    var errors: [String] { state.withLock { $0.errors } }

    func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }
    func addEvent(_ event: SpanEvent) { state.withLock { $0.events.append(event) } }
    func addLink(_ link: SpanLink) {}
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        state.withLock { $0.errors.append("\(error)") }
    }
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) { state.withLock { $0.isEnded = true } }
}
