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
