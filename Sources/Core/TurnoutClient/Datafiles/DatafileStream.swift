import TurnoutEngine

/// Listens to a server's stream of changes of one datafile, and reconnects after failures.
///
/// The stream consists of server-sent events whose data is `{"type": "refetchEvaluation", "etag": …}`, as in
/// OpenFeature's protocol (OFREP 0.3.0, ADR 8). Other events are ignored.
struct DatafileStream: Sendable {
    let transport: any StreamingTransport
    /// How long nothing may arrive. Servers send comments in between.
    let idleLimit: Duration
    /// The request, without `Last-Event-ID`.
    let request: @Sendable () throws(DatafileSourceError) -> HTTPRequest

    /// The first and the longest pause after failures.
    private static let (firstPause, longestPause) = (Duration.seconds(1), Duration.seconds(30))
    /// The pause after a refusal, such as 404 from a server without streams.
    private static let refusalPause = Duration.seconds(300)
    /// After a connection of this length, the pauses start again with the first one.
    private static let settledLength = Duration.seconds(60)

    /// Listens until the task is canceled, or the address turns out to be unusable.
    func listen(
        clock: any Clock<Duration>, random: any RandomSource,
        to report: @escaping @Sendable (DatafileChangeReport) -> Void
    ) async {
        let reader = ChangeEventReader(uptime: clock.stopwatch(), report)
        var backoff = Backoff(first: Self.firstPause, longest: Self.longestPause, random: random)
        while !Task.isCancelled {
            let elapsed = clock.stopwatch()
            let error = await connect(reader, clock)
            guard !Task.isCancelled else { return }
            if case .misconfigured? = error as? DatafileSourceError {
                return report(.closed(error, nextAttempt: nil))
            }
            if elapsed() >= Self.settledLength {
                backoff = Backoff(
                    first: reader.retry ?? Self.firstPause, longest: Self.longestPause, random: random)
            }
            let pause = Self.pause(after: error, backoff.delay())
            report(.closed(error, nextAttempt: pause))
            guard (try? await clock.pause(for: pause)) != nil else { return }
        }
    }

    /// Opens the stream and reads it to its end.
    ///
    /// - Returns: Why it ended.
    private func connect(_ reader: ChangeEventReader, _ clock: any Clock<Duration>) async -> any PrintableError {
        do {
            var request = try request()
            request.headers["Accept"] = "text/event-stream"
            request.headers["Last-Event-ID"] = reader.lastEventID
            let response = try await transport.stream(request)
            try Self.check(response)
            try await read(response.body, reader, clock)
            return StreamEnd.ended
        } catch let error as any PrintableError { return error } catch { return StreamEnd.failed(error.logText) }
    }

    private static func check(_ response: StreamedResponse) throws {
        guard response.status == 200 else {
            let head = HTTPResponse(status: response.status, headers: response.headers)
            throw DatafileSourceError.status(head.status, retryAfter: head.retryAfter)
        }
        let type = response.headers["content-type"] ?? ""
        guard type.lowercased().hasPrefix("text/event-stream") else { throw StreamEnd.notAStream }
    }

    /// Reads the events, as long as something arrives in time.
    private func read(
        _ body: AsyncThrowingStream<[UInt8], any Error>, _ reader: ChangeEventReader, _ clock: any Clock<Duration>
    ) async throws {
        reader.open()
        try await withThrowingTaskGroup { [idleLimit] group in
            group.addTask { for try await piece in body { try reader.read(piece) } }
            group.addTask {
                while true {
                    let rest = idleLimit - reader.silence
                    guard rest > .zero else { throw StreamEnd.idle(idleLimit) }
                    try await clock.pause(for: rest)
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// A refusal is not repeated soon: only another version or configuration of the server ends it.
    private static func pause(after error: any PrintableError, _ delay: Duration) -> Duration {
        switch error {
        case DatafileSourceError.status(let status, let retryAfter):
            // The delay, up to 37.5 s, serves as jitter.
            return max(HTTPResponse.isTemporaryFailure(status) ? delay : refusalPause + delay, retryAfter ?? .zero)
        case StreamEnd.notAStream: return refusalPause + delay
        default: return delay
        }
    }
}

/// Why a stream ended that the server had not refused.
private enum StreamEnd: PrintableError {
    case ended
    case idle(Duration)
    case notAStream
    case failed(String)

    var description: String {
        switch self {
        case .ended: "the server ended it"
        case .idle(let limit): "nothing arrived for \(limit.logText)"
        case .notAStream: "the response is not a stream of events (text/event-stream)"
        case .failed(let description): description
        }
    }
}

/// Reads the events of one connection after the other, and reports changes.
private final class ChangeEventReader: Sendable {
    private struct State {
        var parser = EventStreamParser()
        var lastEventID: String?
        var retry: Duration?
        var lastArrival = Duration.zero
    }

    private let state = Locked(State())
    private let uptime: @Sendable () -> Duration
    private let report: @Sendable (DatafileChangeReport) -> Void

    init(
        uptime: @escaping @Sendable () -> Duration, _ report: @escaping @Sendable (DatafileChangeReport) -> Void
    ) {
        (self.uptime, self.report) = (uptime, report)
    }

    /// The time since something arrived.
    var silence: Duration { uptime() - state.withLock { $0.lastArrival } }

    /// The id of the last event of all connections, or nil.
    var lastEventID: String? { state.withLock { $0.lastEventID } }

    /// The first pause that the server asked for, within limits that protect both sides.
    var retry: Duration? { state.withLock { $0.retry }.map { min(max($0, .milliseconds(100)), .seconds(30)) } }

    func open() {
        let now = uptime()
        state.withLock { ($0.parser, $0.lastArrival) = (EventStreamParser(), now) }
        report(.opened)
    }

    /// Reads a piece of the stream.
    func read(_ piece: [UInt8]) throws(EventStreamParser.Problem) {
        let now = uptime()
        let (events, newID) = try state.withLock { (state) throws(EventStreamParser.Problem) in
            state.lastArrival = now
            let events = try state.parser.read(piece)
            state.retry = state.parser.retry ?? state.retry
            let id = state.parser.lastEventID
            let newID = id.isEmpty || id == state.lastEventID ? nil : id
            state.lastEventID = newID ?? state.lastEventID
            return (events, newID)
        }
        let tags = events.compactMap(Self.announcedTag)
        if let last = tags.last {
            report(.changed(entityTag: last))
        } else if let newID {
            // An event without data: the server's current version, which may be newer than ours.
            report(.changed(entityTag: "\"\(newID)\""))
        }
    }

    /// The entity tag in an event about a change; nil for other events. The inner optional is nil if it has no tag.
    private static func announcedTag(_ event: EventStreamParser.Event) -> String?? {
        guard let data = try? JSONValue(parsing: event.data), data["type"] == .string("refetchEvaluation") else {
            return nil
        }
        guard case .string(let tag)? = data["etag"] else { return .some(nil) }
        return tag
    }
}
