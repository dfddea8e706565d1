/// A transport that can also stream a response as it arrives, for streams that stay open.
///
/// ``StreamingDatafileSource`` is the only caller: it keeps one stream open for each datafile while its client runs, in
/// a background task, and requests the datafile with ``Transport/send(_:)`` when the stream reports a change. It opens
/// the stream again after any error, with growing pauses, so a transport makes one attempt.
///
/// To write one, implement ``stream(_:)`` in addition to ``Transport/send(_:)``. Create the body with
/// `AsyncThrowingStream.makeStream`, and yield each piece as it arrives. Finish it where the server ends the body, and
/// with an error where the connection breaks. Close the connection in `onTermination`, which is called when the reader
/// stops. `checkStreamingTransport` of `TurnoutTestKit` checks what a transport has to guarantee.
public protocol StreamingTransport: Transport {
    /// Sends a request and waits for the head of the response.
    ///
    /// The request's deadline applies to the head only; the body may arrive for as long as the connection lasts, and a
    /// reader sets its own limits. The connection closes when the body is no longer read: when its iterator or the
    /// response is released, or the reading task is canceled. A body whose reader falls more than a mebibyte behind
    /// ends with ``TransportError/Code/tooLarge``. A transport needs no thread for each stream. A response of any
    /// status is returned.
    ///
    /// - Throws: `TransportError` if there is no response, `CancellationError` if the task was canceled.
    func stream(_ request: HTTPRequest) async throws -> StreamedResponse
}

/// A response whose body is still arriving.
public struct StreamedResponse: Sendable {
    /// The status code, such as 200.
    public var status: Int
    /// Names and values of headers; names in lower case.
    public var headers: [String: String]
    /// The pieces of the body as they arrive, for one reader. Ends with the body; throws if the connection breaks.
    public var body: AsyncThrowingStream<[UInt8], any Error>

    /// Creates a response.
    public init(status: Int, headers: [String: String] = [:], body: AsyncThrowingStream<[UInt8], any Error>) {
        let head = HTTPResponse(status: status, headers: headers)
        (self.status, self.headers, self.body) = (head.status, head.headers, body)
    }

    /// Creates a response that has arrived.
    public init(_ response: HTTPResponse) {
        let body = AsyncThrowingStream<[UInt8], any Error> { pieces in
            if !response.body.isEmpty { pieces.yield(response.body) }
            pieces.finish()
        }
        self.init(status: response.status, headers: response.headers, body: body)
    }
}

/// Writes the body of a ``StreamedResponse``, for adapters.
package struct BodyWriter: Sendable {
    private let pieces: AsyncThrowingStream<[UInt8], any Error>.Continuation

    /// Network libraries deliver pieces of at most 16 KiB, so a mebibyte may wait for the reader.
    private static let maximumPieces = 64

    /// Creates an empty body and its writer, which does not retain the body.
    package static func body() -> (AsyncThrowingStream<[UInt8], any Error>, BodyWriter) {
        let (stream, pieces) = AsyncThrowingStream.makeStream(
            of: [UInt8].self, throwing: (any Error).self, bufferingPolicy: .bufferingOldest(maximumPieces))
        return (stream, BodyWriter(pieces: pieces))
    }

    /// Sets the function to call when the body is no longer read before its end.
    package func onStop(_ body: @escaping @Sendable () -> Void) {
        pieces.onTermination = { if case .cancelled = $0 { body() } }
    }

    /// Adds a piece. Returns false if the body is no longer read.
    ///
    /// - Throws: ``TransportError`` if the reader is too far behind.
    package func add(_ piece: [UInt8], from host: Substring) throws(TransportError) -> Bool {
        switch pieces.yield(piece) {
        case .enqueued: return true
        case .dropped:
            throw TransportError(.tooLarge, "the stream from \(host) is read too slowly, so it was closed")
        case .terminated: return false
        @unknown default: return false
        }
    }

    package func end(throwing error: (any Error)? = nil) { pieces.finish(throwing: error) }
}
