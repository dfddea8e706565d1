import TurnoutClient

/// An error of a connection. The message names no host and quotes no data.
package struct StreamError: Error, Sendable, Equatable {
    /// What failed.
    package enum Kind: Sendable, Equatable {
        /// The host is unknown or accepts no connection.
        case unreachable
        /// The connection ended before the answer was complete.
        case broken
        /// The peer sent nothing within the silence limit.
        case silent
        /// The deadline passed.
        case late
        /// The peer violated the protocol.
        case misunderstood
        /// Encryption failed: a certificate was not accepted, or the peer does not speak TLS.
        case insecure
        /// The options, such as a file name, cannot be used.
        case badOptions
    }

    package let kind: Kind
    /// The problem, in English.
    package let message: String
    /// How long the connection had been silent when the deadline passed.
    package let silence: Duration

    package init(_ kind: Kind, _ message: String, silence: Duration = .zero) {
        self.kind = kind
        self.message = message
        self.silence = silence
    }
}

extension StreamError {
    package static let closed = StreamError(.broken, "the server closed the connection before it had answered")

    package static func silent(for limit: Duration) -> StreamError {
        StreamError(.silent, "no answer within \(limit.logText)", silence: limit)
    }

    package static func late(after silence: Duration = .zero) -> StreamError {
        StreamError(.late, "no complete answer in time", silence: silence)
    }
}
