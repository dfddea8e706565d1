import LibC
import TurnoutClient

/// A nonblocking bidirectional byte stream.
///
/// For use by one thread at a time. The caller waits, with `poll` on ``descriptor``.
package protocol ByteStream: Sendable {
    /// The file descriptor to poll.
    var descriptor: Int32 { get }

    /// Whether bytes accepted by ``write(_:)`` are still buffered. Writing an empty buffer sends more of them.
    var holdsOutput: Bool { get }

    /// Reads available bytes. If they do not fill the buffer, no more are available.
    ///
    /// - Throws: ``StreamError``, including when the peer has closed the connection.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(StreamError) -> Int

    /// Sends as much as possible without blocking. Returns the number of accepted bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(StreamError) -> Int
}

extension ByteStream {
    /// Whether input arrived without a request, or the connection has ended.
    package var hasUnexpectedInput: Bool {
        guard Poll.isReadable(descriptor) else { return false }
        // The input may be a TLS record without application data.
        return withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { buffer in
            do throws(StreamError) { return try read(into: buffer) > 0 } catch { return true }
        }
    }
}

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

    package static let closed = StreamError(.broken, "the server closed the connection before it had responded")

    package static func unresponsive(for limit: Duration) -> StreamError {
        StreamError(.unresponsive, "no response within \(limit.logText)")
    }

    package static let timedOut = StreamError(.timedOut, "no complete response in time")
}

/// Waits until sockets can be read or written.
package enum Poll {
    package static let readable = Int16(POLLIN)
    package static let writable = Int16(POLLOUT)

    /// Whether a socket has input or has ended.
    package static func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: readable, revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    /// Waits until one of the sockets is ready or the deadline has passed, and sets their `revents`.
    static func wait(_ entries: inout [pollfd], until deadline: ContinuousClock.Instant) {
        let left = max(.zero, min(ContinuousClock.now.duration(to: deadline), .seconds(3_600)))
        // Rounded up: waiting 0 ms for a fraction of a millisecond would spin. After an interruption by a signal no
        // socket is ready; callers check the time and wait again.
        let milliseconds = Int32(left / .milliseconds(1)) + (left > .zero ? 1 : 0)
        guard poll(&entries, nfds_t(entries.count), milliseconds) < 0 else { return }
        for index in entries.indices { entries[index].revents = 0 }
    }

    /// Waits until a socket is ready.
    ///
    /// - Returns: True if it is ready; false if the deadline has passed.
    package static func wait(
        for events: Int16, on descriptor: Int32, until deadline: ContinuousClock.Instant
    ) -> Bool {
        var entries = [pollfd(fd: descriptor, events: events, revents: 0)]
        repeat {
            wait(&entries, until: deadline)
            if entries[0].revents != 0 { return true }
        } while ContinuousClock.now < deadline
        return false
    }
}
