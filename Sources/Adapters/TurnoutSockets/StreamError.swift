import TurnoutClient

/// An error of a connection. The message names no host and quotes no data.
package struct StreamError: Error, Sendable, Equatable {
    /// The kind of an error.
    package enum Kind: Sendable, Equatable {
        /// The host is unknown or accepts no connection.
        case unreachable
        /// The connection ended before the response was complete.
        case broken
        /// The peer sent nothing within the idle timeout.
        case unresponsive
        case timedOut
        /// The peer violated the protocol.
        case invalidResponse
        /// Encryption failed: a certificate was not accepted, or the peer does not speak TLS.
        case insecure
        /// The options, such as a file name, cannot be used.
        case badOptions
    }

    package let kind: Kind
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension StreamError {
    package static let closed = StreamError(.broken, "the server closed the connection before it had responded")

    package static func unresponsive(for limit: Duration) -> StreamError {
        StreamError(.unresponsive, "no response within \(limit.logText)")
    }

    package static let timedOut = StreamError(.timedOut, "no complete response in time")
}
