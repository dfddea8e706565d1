import TurnoutClient
import TurnoutSockets

/// A connection to a server, for one call at a time on any thread.
final class RedisConnection: Sendable {
    private let stream: any ByteStream
    private let hasTransactions = Locked(false)

    private init(_ stream: any ByteStream) { self.stream = stream }

    static func open(
        to address: ProfileServerAddress, _ lookup: HostLookup, _ tls: TLSContext?,
        until deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) -> RedisConnection {
        do throws(StreamError) {
            let socket = try Socket.connected(to: address.place, lookup, until: deadline)
            guard let tls else { return RedisConnection(socket) }
            return RedisConnection(
                try TLSStream.begun(on: socket, tls, name: tls.name(of: address), until: deadline))
        } catch { throw ProfileServerError(error) }
    }

    /// Whether the server has accepted a transaction before.
    var permitsTransactions: Bool {
        get { hasTransactions.withLock { $0 } }
        set { hasTransactions.withLock { $0 = newValue } }
    }

    /// Whether input arrived without a request, or the connection has ended.
    var hasUnexpectedInput: Bool { stream.hasUnexpectedInput }

    /// Sends commands in one request and waits for all replies.
    ///
    /// - Throws: `ProfileServerError` if a reply is missing; then the connection must not be used again.
    func replies(to request: RedisRequest, until deadline: ContinuousClock.Instant) throws(ProfileServerError)
        -> [Reply]
    {
        let reader = ReplyReader([request.replyCount])
        let exchange = SocketExchange(on: stream, reader) { _ in request.bytes }
        SocketExchange.complete([exchange], until: deadline)
        if let error = failure(of: exchange, reader) { throw error }
        return reader.replies
    }

    /// Begins to send requests, with a few of them pipelined.
    func begin(_ requests: [RedisRequest]) -> (exchange: SocketExchange, reader: ReplyReader) {
        let reader = ReplyReader(requests.map(\.replyCount))
        let exchange = SocketExchange(
            on: stream, reader, partCount: requests.count, window: Self.requestsOnTheirWay
        ) { requests[$0].bytes }
        return (exchange, reader)
    }

    /// The number of pipelined requests, which hides the latency of a slow network.
    private static let requestsOnTheirWay = 4

    /// Why an exchange failed; nil if it succeeded.
    func failure(of exchange: SocketExchange, _ reader: ReplyReader) -> ProfileServerError? {
        guard let failure = exchange.failure else { return nil }
        // A server sends the reason before it closes a connection.
        if failure.kind == .broken, case .error(let text)? = reader.replies.last {
            return ProfileServerError(reply: text).breakingConnection
        }
        return ProfileServerError(failure)
    }
}
