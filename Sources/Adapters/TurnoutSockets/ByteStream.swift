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
