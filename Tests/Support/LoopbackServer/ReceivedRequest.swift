package import Foundation

/// A request that the server received.
package struct ReceivedRequest: Sendable, Decodable {
    /// `GET`, `POST`, …
    package let method: String
    /// The path and query, as received.
    package let target: String
    /// The headers, with lowercase names.
    package let headers: [String: String]
    /// The body.
    package let body: Data
    /// The number of the connection, starting with 1.
    package let connection: Int
    /// The time of receipt, in seconds since the server was started.
    package let time: Double

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }
}

/// The statistics of the server.
package struct Statistics: Sendable, Decodable {
    /// The number of requests.
    package let requests: Int
    /// The number of connections with a request.
    package let connections: Int
    /// The number of open connections.
    package let openConnections: Int
    /// The number of accepted events, including repetitions.
    package let acceptedEvents: Int
    /// The number of different accepted events.
    package let distinctEvents: Int
    /// The number of accepted bodies that could not be parsed.
    package let unreadableBodies: Int
}
