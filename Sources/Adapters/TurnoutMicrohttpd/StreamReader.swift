#if Server
    import TurnoutClient
    import TurnoutServer

    /// Copies a stream to its connection. While there is nothing to send, the connection is suspended.
    final class StreamReader: Sendable {
        /// The result of a call.
        enum Read {
            /// The number of bytes. After 0 the connection is suspended.
            case bytes(Int)
            /// The stream has ended.
            case end
            /// The client has gone.
            case broken
        }

        private struct State {
            /// A chunk that was larger than the library's buffer, and how much of it was read.
            var chunk: [UInt8] = []
            var offset = 0
            var isSuspended = false
            /// Whether the stream has changed since it was read.
            var hasChanged = false
            var isBroken = false
        }

        /// The stream.
        let stream: ResponseStream
        private let connection: ConnectionReference
        private let state = Locked(State())

        init(_ stream: ResponseStream, _ connection: ConnectionReference) {
            self.stream = stream
            self.connection = connection
        }

        /// Whether the connection waits for content.
        var isSuspended: Bool { state.withLock { $0.isSuspended } }

        /// Fills a buffer with what there is, on the library's thread.
        func read(into buffer: UnsafeMutableRawBufferPointer) -> Read {
            while true {
                let isBroken = state.withLock { state in
                    state.hasChanged = false
                    return state.isBroken
                }
                if isBroken { return .broken }
                let (count, hasEnded) = fill(buffer)
                if count > 0 { return .bytes(count) }
                if hasEnded { return .end }
                if suspend() { return .bytes(0) }
            }
        }

        /// Suspends the connection, unless the stream has changed meanwhile.
        private func suspend() -> Bool {
            state.withLock { state in
                guard !state.hasChanged, !state.isBroken else { return false }
                state.isSuspended = true
                connection.suspend()
                return true
            }
        }

        private func fill(_ buffer: UnsafeMutableRawBufferPointer) -> (count: Int, hasEnded: Bool) {
            var count = 0
            while count < buffer.count {
                let copied = state.withLock { state in
                    let size = min(buffer.count - count, state.chunk.count - state.offset)
                    let target = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + size])
                    target.copyBytes(from: state.chunk[state.offset..<state.offset + size])
                    state.offset += size
                    return size
                }
                count += copied
                guard count < buffer.count else { break }
                switch stream.read() {
                case .chunk(let chunk): state.withLock { ($0.chunk, $0.offset) = (chunk, 0) }
                case .wait: return (count, false)
                case .end: return (count, true)
                }
            }
            return (count, false)
        }

        /// The stream has changed. Called on any thread.
        func wake() { resume { $0.hasChanged = true } }

        /// Ends the connection at once, because the client has gone or the listener stops.
        func abandon() { resume { $0.isBroken = true } }

        private func resume(_ change: (inout State) -> Void) {
            state.withLock { state in
                change(&state)
                guard state.isSuspended else { return }
                state.isSuspended = false
                connection.resume()
            }
        }

        /// The connection has ended.
        func close() { stream.close() }
    }
#endif
