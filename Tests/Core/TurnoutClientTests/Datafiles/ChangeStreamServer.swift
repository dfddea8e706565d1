/// An in-memory datafile server with a stream of changes, like `turnout serve`.
final class ChangeStreamServer: Sendable {
    private struct State {
        var streams: [AsyncThrowingStream<[UInt8], any Error>.Continuation] = []
        var response: StreamedResponse?
    }

    let datafiles = DatafileServer()
    private let state = Locked(State())

    init() { datafiles.transport.respondToStreams { [self] _ in open() } }

    /// The requests for streams, oldest first.
    var openings: [HTTPRequest] { requests { $0 } }
    /// The requests for the datafile, oldest first.
    var downloads: [HTTPRequest] { requests { !$0 } }

    private func requests(_ isStream: (Bool) -> Bool) -> [HTTPRequest] {
        datafiles.requests.filter { isStream($0.url.hasSuffix("/changes")) }
    }

    private func open() -> StreamedResponse {
        state.withLock { state in
            if let response = state.response { return response }
            let (body, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self, throwing: (any Error).self)
            state.streams.append(continuation)
            return StreamedResponse(status: 200, headers: ["Content-Type": "text/event-stream"], body: body)
        }
    }

    /// Responds to later requests for a stream with this; nil: with a stream.
    func refuse(with response: HTTPResponse?) {
        state.withLock { $0.response = response.map { StreamedResponse($0) } }
    }

    /// Sends text on all streams.
    func send(_ text: String) {
        for stream in state.withLock({ $0.streams }) { stream.yield(Array(text.utf8)) }
    }

    /// Announces a version of the datafile.
    func announce(_ tag: String) {
        send("id: \(tag)\ndata: {\"type\":\"refetchEvaluation\",\"etag\":\"\\\"\(tag)\\\"\"}\n\n")
    }

    /// Publishes a datafile and announces it.
    func publish(_ datafile: [UInt8], version: Int) {
        datafiles.publish(datafile)
        announce("v\(version)")
    }

    /// Ends all streams.
    func endStreams(throwing error: TransportError? = nil) {
        let streams = state.withLock { state in
            defer { state.streams = [] }
            return state.streams
        }
        for stream in streams { stream.finish(throwing: error) }
    }
}
