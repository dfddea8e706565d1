import TurnoutClient

/// Accepts connections, reads requests, and writes the responses of a ``RequestHandler``.
///
/// A listener refuses requests that a proxy and a server could read differently, with 400 and a closed connection: both
/// `Content-Length` and `Transfer-Encoding`, more than one `Content-Length` or `Host`, obsolete line folding, and in
/// heads, chunks and trailers NUL and lines that do not end in CR LF. It limits the size of headers and bodies, the
/// number of connections, and the time in which a request must be complete; see ``ListenerLimits``.
///
/// ``Server`` starts its listener once, and stops it once, when the process is about to end. It reads ``counts`` for
/// each request for metrics, on any thread. A listener is not started again: a second start throws, also after a stop.
/// Stopping a listener that was not started does nothing, and a second stop returns at once.
package protocol HTTPListener: Sendable {
    /// Starts to accept connections.
    ///
    /// - Parameter handler: Answers requests. Called on the listener's threads, for several requests at a time.
    /// - Returns: The port, which the system chose if the configured one is 0.
    /// - Throws: An error that says why the address cannot be used, or that the listener was started before. The
    ///   command prints it and ends.
    func start(_ handler: any RequestHandler) throws -> UInt16
    /// Stops accepting connections, waits for requests in progress, ends streams, and closes the connections.
    ///
    /// - Parameter limit: The time after which the remaining connections are closed regardless.
    func stop(within limit: Duration) async
    /// The numbers of connections and refused requests; zeros before the start.
    var counts: ListenerCounts { get }
}

/// Answers requests. That of a server is its ``RequestPipeline``.
package protocol RequestHandler: Sendable {
    /// The maximum size of a request's body. A larger body is answered with 413. If it is 0, bodies are not read: the
    /// handler responds, and the connection is closed.
    func bodyLimit(for head: RequestHead) -> BodyLimit
    /// Answers a request. Must not block: work that waits is an ``Answer/blocking(_:)`` or ``Answer/later(_:)``.
    func respond(to request: ServerRequest) -> Answer
}

/// The result of a handler.
package enum Answer: Sendable {
    case now(ServerResponse)
    /// A response for which a call blocks its thread, such as one that reads a file. The listener runs the function on
    /// a thread for such calls.
    case blocking(@Sendable () -> ServerResponse)
    /// A response that has to wait for a disk or a network. The listener runs the function in a task.
    case later(@Sendable () async -> ServerResponse)

    /// The response; waits if necessary.
    package var response: ServerResponse {
        get async {
            switch self {
            case .now(let response): response
            case .blocking(let body): await BlockingCall.value(body)
            case .later(let body): await body()
            }
        }
    }

    /// An answer with the response that `change` makes from the response of this one.
    package func map(_ change: @escaping @Sendable (ServerResponse) -> ServerResponse) -> Answer {
        switch self {
        case .now(let response): .now(change(response))
        case .blocking(let body): .blocking { change(body()) }
        case .later(let body): .later { change(await body()) }
        }
    }
}

/// The limits of a listener.
package struct ListenerLimits: Sendable {
    /// The maximum number of connections. Further ones are closed at once. Default: 20,000.
    package var connections = 20_000
    /// The maximum number of connections of one address; further ones are closed at once. Default: no limit, because
    /// behind a proxy all connections have its address.
    package var connectionsPerAddress: Int?
    /// The maximum size of the request line and the headers in bytes; a larger one is answered with 431. Each header
    /// may take up to 80 bytes more of it. Default: 12 KiB.
    package var headerSize = 12 << 10
    /// The maximum size of all bodies that are being received, in bytes, as received. If it is exceeded, connections
    /// are closed without a response. Default: 256 MiB.
    package var bodyMemory = 256 << 20
    /// The time in which the first request of a connection must be complete, from the connection's start, and a later
    /// one, from its first byte. A body extends it by the time of its bytes at ``bodyRate``. Default: 10 seconds.
    package var requestTime = Duration.seconds(10)
    /// The bytes of a body that extend ``requestTime`` by a second: a client that sends them faster is never too slow,
    /// and one that sends a byte now and then gains nothing. Default: 100,000.
    package var bodyRate = 100_000
    /// The time in which a client must have taken a response, from its start. Streams are exempt. Default: 60 seconds.
    package var responseTime = Duration.seconds(60)
    /// The time after which a connection without requests is closed. Default: 60 seconds.
    package var idleTime = Duration.seconds(60)

    package init() {}
}

/// The numbers of a listener since its start.
package struct ListenerCounts: Sendable, Equatable {
    package var connections = 0
    /// The connections that were closed because there were too many.
    package var refusedConnections = 0
    /// The requests that were refused before the handler saw them.
    package var refusedRequests = 0
    /// The connections that were closed because a request was not complete, or a response not taken, in time.
    package var timedOutRequests = 0

    package init() {}
}
