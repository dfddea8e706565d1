package import Foundation

/// A request that the server received.
package struct ReceivedRequest: Sendable, Decodable {
    /// `GET`, `POST`, …
    package let method: String
    /// Path and query, as they came.
    package let target: String
    /// Names, in lower case, and values of headers.
    package let headers: [String: String]
    /// What was handed in.
    package let body: Data
    /// Over which connection it came: 1 for the first one.
    package let connection: Int
    /// When it came: seconds since the server was started.
    package let time: Double

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }
}

/// How much the server did.
package struct Statistics: Sendable, Decodable {
    /// How many requests came.
    package let requests: Int
    /// How many connections brought a request.
    package let connections: Int
    /// How many of those are open.
    package let openConnections: Int
    /// How many events were accepted, each as often as it was.
    package let acceptedEvents: Int
    /// How many different events were accepted.
    package let distinctEvents: Int
    /// How many accepted bodies could not be read.
    package let unreadableBodies: Int
}
