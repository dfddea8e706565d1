import TurnoutClient

/// The content of a response that is produced while the connection is open, such as server-sent events.
///
/// A writer appends chunks from any thread and never waits for the reader. A reader that is too slow loses chunks: if a
/// chunk would exceed the limit, the stream ends, and the client reconnects.
package final class ResponseStream: Sendable {
    /// The next step of a reader.
    package enum Read: Sendable, Equatable {
        case chunk([UInt8])
        /// Nothing yet; the function passed to ``onChange(_:)`` is called when there is more.
        case wait
        /// The stream has ended, and everything was read.
        case end
    }

    private struct State {
        var chunks = FIFO<[UInt8]>()
        var size = 0
        var hasEnded = false
        var onChange: (@Sendable () -> Void)?
        var onClose: (@Sendable () -> Void)?
        var isClosed = false
    }

    private let limit: Int
    private let state = Locked(State())

    /// Creates a stream.
    ///
    /// - Parameter limit: The maximum number of bytes that wait for the reader. Default: 256 KiB.
    package init(limit: Int = 256 << 10) { self.limit = limit }

    // MARK: Writing

    /// Appends a chunk.
    ///
    /// - Returns: False if the stream has ended, or ends now because the reader is too slow.
    @discardableResult
    package func send(_ chunk: [UInt8]) -> Bool {
        let (sent, notify) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.hasEnded, !state.isClosed else { return (false, nil) }
            guard state.size + chunk.count <= limit else {
                state.hasEnded = true
                return (false, state.onChange)
            }
            state.chunks.append(chunk)
            state.size += chunk.count
            return (true, state.onChange)
        }
        notify?()
        return sent
    }

    /// Ends the stream after the chunks that were sent.
    package func end() {
        let notify = state.withLock { state in
            state.hasEnded = true
            return state.onChange
        }
        notify?()
    }

    /// Sets the function to call once when the connection ends, for whatever reason. Called at once if it has ended.
    package func onClose(_ body: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.onClose = body }
            return state.isClosed
        }
        if isClosed { body() }
    }

    // MARK: Reading, by a listener

    package func read() -> Read {
        state.withLock { state in
            if let chunk = state.chunks.popFirst() {
                state.size -= chunk.count
                return .chunk(chunk)
            }
            return state.hasEnded ? .end : .wait
        }
    }

    /// Whether the stream has ended. Chunks may still have to be read.
    package var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Sets the function that is called when there is more to read.
    package func onChange(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = body } }

    /// Reports that the connection has ended.
    package func close() {
        let notify = state.withLock { state -> (@Sendable () -> Void)? in
            defer { (state.onClose, state.onChange) = (nil, nil) }
            state.isClosed = true
            return state.onClose
        }
        notify?()
    }
}
