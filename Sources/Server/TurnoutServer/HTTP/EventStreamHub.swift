import TurnoutClient

/// The open streams of events, by topic. A topic is for example an SDK key.
///
/// A stream whose reader is too slow ends, and its client reconnects; other streams and the writer do not wait for it.
package final class EventStreamHub: Sendable {
    private struct State {
        var streams: [String: [Int: ResponseStream]] = [:]
        var count = 0
        var nextNumber = 0
        var refused = 0
        var isClosed = false
    }

    private let limit: Int
    private let bufferSize: Int
    private let state = Locked(State())

    /// Creates a hub without streams.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of streams. Default: 10,000.
    ///   - bufferSize: The number of bytes that may wait for a reader. Default: 64 KiB.
    package init(limit: Int = 10_000, bufferSize: Int = 64 << 10) {
        self.limit = limit
        self.bufferSize = bufferSize
    }

    /// The number of open streams.
    package var count: Int { state.withLock { $0.count } }

    /// The number of streams that were refused because there were too many.
    package var refused: Int { state.withLock { $0.refused } }

    /// Opens a stream; nil if there are too many, or the hub is closed. Another number of bytes may wait for its
    /// reader.
    package func open(_ topic: String, bufferSize: Int? = nil) -> ResponseStream? {
        let stream = ResponseStream(limit: bufferSize ?? self.bufferSize)
        let number = state.withLock { state -> Int? in
            guard !state.isClosed, state.count < limit else {
                state.refused += 1
                return nil
            }
            state.nextNumber += 1
            state.count += 1
            state.streams[topic, default: [:]][state.nextNumber] = stream
            return state.nextNumber
        }
        guard let number else { return nil }
        stream.onClose { [weak self] in self?.remove(number, topic) }
        return stream
    }

    /// Sends an event to all streams of a topic.
    package func publish(_ event: ServerSentEvent, to topic: String) {
        let bytes = event.bytes
        for stream in state.withLock({ $0.streams[topic].map { Array($0.values) } ?? [] }) { stream.send(bytes) }
    }

    /// Sends a comment to all streams.
    package func sendHeartbeat() {
        for stream in all { stream.send(ServerSentEvent.heartbeat) }
    }

    /// Ends the streams of a topic.
    package func end(_ topic: String) {
        for stream in state.withLock({ $0.streams[topic].map { Array($0.values) } ?? [] }) { stream.end() }
    }

    /// Ends all streams, and opens no more.
    package func close() {
        state.withLock { $0.isClosed = true }
        for stream in all { stream.end() }
    }

    private var all: [ResponseStream] { state.withLock { state in state.streams.values.flatMap(\.values) } }

    private func remove(_ number: Int, _ topic: String) {
        state.withLock { state in
            guard state.streams[topic]?.removeValue(forKey: number) != nil else { return }
            state.count -= 1
            if state.streams[topic]?.isEmpty == true { state.streams[topic] = nil }
        }
    }
}

/// An event of a `text/event-stream`, as the HTML standard defines them.
package struct ServerSentEvent: Sendable, Equatable {
    /// The id that a client sends as `Last-Event-ID` when it reconnects; nil to keep the last one.
    package var id: String?
    /// The name; nil for `message`.
    package var name: String?
    /// The data, in one or more lines; nil for an event that only sets the id and is not dispatched.
    package var data: String?

    package init(id: String? = nil, name: String? = nil, data: String? = nil) {
        self.id = id
        self.name = name
        self.data = data
    }

    /// The event as it is sent.
    package var bytes: [UInt8] {
        var text = ""
        if let id { text += "id: \(id)\n" }
        if let name { text += "event: \(name)\n" }
        for line in data?.split(separator: "\n", omittingEmptySubsequences: false) ?? [] { text += "data: \(line)\n" }
        return Array((text + "\n").utf8)
    }

    /// A comment, which clients ignore. Sent regularly, it keeps proxies from closing the connection, and shows the
    /// server which connections have ended.
    package static let heartbeat = Array(": keep-alive\n\n".utf8)
}

extension ServerResponse {
    /// The response that begins a stream of events.
    package static func events(_ stream: ResponseStream) -> ServerResponse {
        // Proxies such as nginx collect a response before they pass it on unless told otherwise.
        let headers: HeaderFields = [
            "Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no",
        ]
        return ServerResponse(200, headers: headers, body: .stream(stream))
    }
}
