#if Server
    import TurnoutClient
    import TurnoutServer

    #if canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// A connection and the request on it. The library calls it on one thread; tasks and the listener's own thread call
    /// it on others.
    final class HTTPConnection: Sendable {
        private enum Phase {
            /// No request yet, or the next one.
            case idle
            /// The request line has arrived.
            case head
            /// The head has arrived. More bytes of the body may follow.
            case body
            /// The body is larger than the limit. The rest is read, and forgotten.
            case excess(left: Int)
            /// The handler is working.
            case working
            /// The response is made in a task. The connection is suspended.
            case waiting(ConnectionReference)
            /// The task has made the response.
            case ready(ServerResponse)
            case sending
            case streaming(StreamReader)
        }

        private struct State {
            var phase = Phase.idle
            var isStarted = false
            var isAbandoned = false
            /// When the connection is closed, in milliseconds of the listener's clock.
            var deadline: Int64?
            var reader = RequestHeadReader()
            var target: (address: UInt, size: Int) = (0, 0)
            var request: ServerRequest?
            var bodyLimit = 0
            /// The bytes of the body that have arrived, whose time is added to the deadline.
            var receivedSize = 0
            /// The bytes that count towards the limit of all bodies.
            var bodySize = 0
        }

        /// The socket.
        let descriptor: Int32
        /// The client's address.
        let remoteAddress: String
        private let service: ListenerService
        private let state: Locked<State>

        init(_ descriptor: Int32, remoteAddress: String, _ service: ListenerService) {
            self.descriptor = descriptor
            self.remoteAddress = remoteAddress
            self.service = service
            var state = State()
            state.deadline = service.deadline(in: service.limits.requestTime)
            self.state = Locked(state)
        }

        // MARK: Called by the library

        /// The library has taken the connection.
        func start() { state.withLock { $0.isStarted = true } }

        /// The request line has arrived.
        func begin(_ target: TargetText?) {
            state.withLock { state in
                state.phase = .head
                state.reader = RequestHeadReader()
                guard let target else { return }
                state.reader.readTarget(target.bytes)
                state.target = (UInt(bitPattern: target.bytes.baseAddress), target.bytes.count)
            }
            if ConnectionReference.needsLayoutCheck { target?.hideQuery() }
        }

        /// The head has arrived, then a part of the body, then everything, or a response is ready.
        ///
        /// - Returns: False to close the connection.
        func receive(_ line: RequestLine, _ part: UnsafeRawBufferPointer, _ reference: ConnectionReference) -> Bool {
            let (phase, isAbandoned) = state.withLock { ($0.phase, $0.isAbandoned) }
            guard !isAbandoned else { return false }
            switch phase {
            case .head: return receiveHead(line, reference)
            case .body where part.isEmpty: return respond(reference)
            case .body: return receive(part)
            case .excess where part.isEmpty:
                service.count(\.refusedRequests)
                return send(RequestRefusal.bodyTooLarge.response, reference)
            case .excess(let left):
                state.withLock { $0.phase = .excess(left: left - part.count) }
                return left > part.count
            case .ready(let response): return send(response, reference)
            case .idle, .working, .waiting, .sending, .streaming: return true
            }
        }

        /// The response was sent, or the connection has ended.
        func end() {
            let (phase, bodySize) = state.withLock { state in
                defer {
                    state.phase = .idle
                    state.request = nil
                    (state.bodySize, state.receivedSize) = (0, 0)
                    state.deadline = service.deadline(in: service.limits.idleTime + service.limits.requestTime)
                }
                return (state.phase, state.bodySize)
            }
            if bodySize > 0 { service.releaseBody(bodySize) }
            switch phase {
            case .streaming(let reader): reader.close()
            // The library has refused it.
            case .head: service.count(\.refusedRequests)
            default: break
            }
            // The library then closes the connection.
            if service.isDraining { shutdown(descriptor, Int32(SHUT_RD)) }
        }

        // MARK: Called by the listener

        /// Ends a connection that is past its deadline. Returns whether it is.
        func endIfOverdue(at now: Int64) -> Bool {
            let isOverdue = state.withLock { state in
                let extra = Int64(state.receivedSize) * 1_000 / Int64(max(1, service.limits.bodyRate))
                guard state.isStarted, let deadline = state.deadline, deadline + extra <= now else { return false }
                state.deadline = nil
                return true
            }
            if isOverdue { shutdown(descriptor, Int32(SHUT_RDWR)) }
            return isOverdue
        }

        /// The stream that waits for content. The library does not notice then that the client has gone.
        var waitingStream: StreamReader? {
            guard case .streaming(let reader) = state.withLock({ $0.phase }), reader.isSuspended else { return nil }
            return reader
        }

        /// Closes the connection if it has no request, and otherwise after it; ends a stream.
        func drain() {
            let (phase, isStarted) = state.withLock { ($0.phase, $0.isStarted) }
            switch phase {
            case .idle: if isStarted { shutdown(descriptor, Int32(SHUT_RD)) }
            case .streaming(let reader): reader.stream.end()
            default: break
            }
        }

        /// Closes the connection without waiting for anything.
        func abandon() {
            let (phase, isStarted) = state.withLock { state in
                state.isAbandoned = true
                if case .waiting(let reference) = state.phase {
                    state.phase = .idle
                    reference.resume()
                }
                return (state.phase, state.isStarted)
            }
            if case .streaming(let reader) = phase { reader.abandon() }
            if isStarted { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }

        // MARK: A request

        private func receiveHead(_ line: RequestLine, _ reference: ConnectionReference) -> Bool {
            var (reader, target) = state.withLock { ($0.reader, $0.target) }
            reader.readRequestLine(method: line.method, version: line.version)
            var layout = HeadLayout(
                method: line.method, target: UnsafeRawPointer(bitPattern: target.address), targetSize: target.size,
                version: line.version)
            reference.forEachField { name, value in
                layout.add(name: name, value: value)
                reader.readField(name: name, value: value)
            }
            let size = reference.headSize
            if ConnectionReference.needsLayoutCheck, !layout.isComplete(in: size) {
                reader.refuse(400, "the head is malformed")
            }
            if size > service.limits.headerSize { reader.refuse(431, "the head is too large") }
            do throws(RequestRefusal) {
                let head = try reader.head(remoteAddress: remoteAddress)
                return try accept(
                    head, contentLength: reader.contentLength ?? 0, isChunked: reader.isChunked, reference)
            } catch {
                service.count(\.refusedRequests)
                return send(error.response, reference)
            }
        }

        /// Waits for the body, or answers before it is sent.
        private func accept(
            _ head: RequestHead, contentLength: Int, isChunked: Bool, _ reference: ConnectionReference
        ) throws(RequestRefusal) -> Bool {
            let limit = isChunked || contentLength > 0 ? service.handler.bodyLimit(for: head) : 0
            if limit > 0, contentLength > limit { throw .bodyTooLarge }
            state.withLock { state in
                state.phase = .body
                state.bodyLimit = limit
                state.request = ServerRequest(head)
                // A client may announce more than it sends.
                state.request?.body.reserveCapacity(min(contentLength, 64 << 10))
            }
            // A response before the body closes the connection.
            return limit == 0 && (isChunked || contentLength > 0) ? respond(reference) : true
        }

        private func receive(_ part: UnsafeRawBufferPointer) -> Bool {
            guard service.reserveBody(part.count) else {
                service.count(\.refusedRequests)
                return false
            }
            state.withLock { state in
                state.receivedSize += part.count
                state.bodySize += part.count
                if (state.request?.body.count ?? 0) + part.count > state.bodyLimit {
                    state.request?.body = []
                    state.phase = .excess(left: Self.readExcess)
                } else {
                    state.request?.body.append(contentsOf: part)
                }
            }
            return true
        }

        /// How much of a body in chunks is read after the limit, so that the client sees the response. Many clients
        /// read it only after they have sent everything.
        private static let readExcess = 1 << 20

        private func respond(_ reference: ConnectionReference) -> Bool {
            let request = state.withLock { state in
                state.phase = .working
                (state.deadline, state.receivedSize) = (nil, 0)
                return state.request.take()
            }
            guard let request else { return false }
            switch service.handler.respond(to: request) {
            case .now(let response): return send(response, reference, isHead: request.head.method == "HEAD")
            case .blocking(let body):
                guard wait(reference) else { return false }
                // Not for a client that has gone while the call waited for its thread.
                BlockingCall.start { [self] in if isWaiting { finish(body()) } }
                return true
            case .later(let body):
                guard wait(reference) else { return false }
                Task { [self] in finish(await body()) }
                return true
            }
        }

        /// Suspends the connection until ``finish(_:)``. Returns false if it has to be closed.
        private func wait(_ reference: ConnectionReference) -> Bool {
            state.withLock { state in
                guard !state.isAbandoned else { return false }
                state.phase = .waiting(reference)
                reference.suspend()
                return true
            }
        }

        private var isWaiting: Bool { state.withLock { if case .waiting = $0.phase { true } else { false } } }

        /// The response has been made. Ignored if the connection was closed meanwhile.
        private func finish(_ response: ServerResponse) {
            state.withLock { state in
                guard case .waiting(let reference) = state.phase else { return }
                state.phase = .ready(response)
                reference.resume()
            }
        }
    }

    // MARK: Responding

    extension HTTPConnection {
        private func send(
            _ response: ServerResponse, _ reference: ConnectionReference, isHead: Bool = false
        ) -> Bool {
            switch response.body {
            case .closed: return false
            case .bytes(let bytes):
                return send(response, OutgoingResponse(copying: bytes), reference)
            case .shared(let body):
                return send(response, OutgoingResponse(sharing: service.bodies[body]), reference)
            case .stream(let stream):
                return isHead
                    ? sendHead(response, stream, reference) : self.stream(stream, for: response, reference)
            }
        }

        private func send(
            _ response: ServerResponse, _ outgoing: borrowing OutgoingResponse, _ reference: ConnectionReference
        ) -> Bool {
            state.withLock { $0.phase = .sending }
            limitResponse()
            return write(response, outgoing, reference)
        }

        /// From now on, the client has a limited time for the rest of the response.
        private func limitResponse() {
            state.withLock { $0.deadline = service.deadline(in: service.limits.responseTime) }
        }

        private func sendHead(
            _ response: ServerResponse, _ stream: ResponseStream, _ reference: ConnectionReference
        ) -> Bool {
            stream.close()
            return send(response, OutgoingResponse(copying: []), reference)
        }

        private func stream(
            _ stream: ResponseStream, for response: ServerResponse, _ reference: ConnectionReference
        ) -> Bool {
            let reader = StreamReader(stream, reference)
            let isAbandoned = state.withLock { state in
                state.phase = .streaming(reader)
                return state.isAbandoned
            }
            if service.isDraining { stream.end() }
            if isAbandoned { return false }
            keepAlive()
            stream.onChange { [self] in
                reader.wake()
                // A client that is too slow for the stream may be too slow for its end as well.
                if stream.hasEnded { limitResponse() }
            }
            return write(response, OutgoingResponse(streaming: reader), reference)
        }

        private func write(
            _ response: ServerResponse, _ outgoing: borrowing OutgoingResponse, _ reference: ConnectionReference
        ) -> Bool {
            for field in response.headers.fields { outgoing.add(field.name, field.value) }
            if response.closesConnection || service.isDraining { outgoing.add("Connection", "close") }
            return reference.send(response.status, outgoing)
        }

        /// Enables keep-alive probes: an idle stream would not notice otherwise that the client's machine is gone.
        private func keepAlive() {
            for (level, option, value) in [
                (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
                (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
            ] as [(Int32, Int32, Int32)] {
                var value = value
                setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
            }
        }
    }
#endif
