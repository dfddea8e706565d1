import LibC
import Synchronization
import TurnoutClient

/// A connection and the request on it. Used on the thread of its worker.
final class HTTPConnection {
    private enum Phase {
        /// No request yet, or a part of its head.
        case head(RequestLines)
        /// The head has arrived, and the body follows.
        case body
        /// The response is made elsewhere.
        case waiting(Waiting)
        /// The response is in the output.
        case sending
        case streaming(ResponseStream, isChunked: Bool)
        /// The response was sent before its request was read. What still arrives is forgotten: closing the
        /// connection earlier could break it before the client has read the response.
        case lingering(left: Int)
        case closed
    }

    /// The number of the connection on its worker.
    let number: UInt64
    let remoteAddress: String
    private let transport: PeerTransport
    private let worker: Worker
    private let service: ListenerService
    private let thread: WorkerThread
    private var phase = Phase.head(RequestLines())
    private var body: RequestBody?
    private var input: [UInt8] = []
    private var output = OutputQueue()
    /// When the connection is closed, in milliseconds of the worker's clock.
    private var deadline: Int64?
    /// Whether the time of a request or of a response is limited, and not only that of an idle connection.
    private var isTimed = true
    /// The bytes of the body that have arrived, whose time is added to the deadline.
    private var receivedSize = 0
    private var isHead = false
    private var isHTTP10 = false
    private var closesAfterResponse = false
    private var leavesInput = false
    private var hasPeerEnded = false
    private var watched: (reads: Bool, writes: Bool, end: Bool)?

    init(
        _ number: UInt64, _ descriptor: Int32, _ remoteAddress: String, _ context: TLSContext?, _ worker: Worker,
        _ service: ListenerService, _ thread: WorkerThread
    ) {
        self.number = number
        self.remoteAddress = remoteAddress
        transport = PeerTransport(descriptor, context)
        (self.worker, self.service, self.thread) = (worker, service, thread)
        limit(service.limits.requestTime)
    }

    // MARK: Called by the worker

    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// Continues after the socket has become ready.
    func handle(_ ready: ReadySocket) {
        if ready.isHalfClosed {
            hasPeerEnded = true
            if case .streaming = phase { return close() }
        }
        if ready.isBroken { return close() }
        if ready.isReadable || transport.mustWrite { receive() }
        if ready.isWritable { flush() }
        copyStream()
        process()
    }

    /// The response has been made.
    func finish(_ response: ServerResponse) {
        guard case .waiting = phase else { return }
        send(response)
        process()
    }

    func continueStream() {
        copyStream()
        process()
    }

    /// Closes the connection if it has no request, and otherwise after it; ends a stream. The first request of a client
    /// that has just connected may be on its way.
    func drain() {
        switch phase {
        case .head where input.isEmpty && isTimed: limit(.seconds(1), isTimed: false)
        case .head where input.isEmpty: close()
        case .lingering: close()
        case .streaming(let stream, _): stream.end()
        default: break
        }
    }

    /// When the connection is past its deadline, in milliseconds of the worker's clock.
    var end: Int64 {
        deadline.map { $0 + Int64(receivedSize) * 1_000 / Int64(max(1, service.limits.bodyRate)) } ?? .max
    }

    /// Closes the connection if it is past its deadline. Returns whether a request or a response was too slow.
    func closeIfOverdue() -> Bool {
        guard end <= thread.now else { return false }
        defer { close() }
        return isTimed
    }

    func close() {
        let phase = phase
        (self.phase, output) = (.closed, OutputQueue())
        switch phase {
        case .body: service.releaseBody(body?.reservedSize ?? 0)
        case .waiting(let waiting): waiting.end()
        case .streaming(let stream, _): stream.close()
        default: break
        }
    }

    /// Tells the system what to wait for, if that has changed.
    func watch(_ epoll: Epoll) {
        let reads =
            switch phase {
            case .head, .body, .lingering: true
            case .waiting, .sending, .streaming, .closed: false
            }
        let new = (reads: reads, writes: !output.isEmpty || transport.mustWrite, end: !hasPeerEnded)
        if let watched, watched == new { return }
        epoll.watch(
            transport.descriptor, number, isNew: watched == nil, reads: new.reads, writes: new.writes,
            halfClosing: new.end)
        watched = new
    }

    // MARK: Reading

    private func limit(_ time: Duration, isTimed: Bool = true) {
        deadline = thread.now + Int64(time / .milliseconds(1))
        self.isTimed = isTimed
    }

    private func receive() {
        repeat {
            switch transport.read(into: thread.buffer) {
            case .bytes(let count):
                if case .lingering(let left) = phase {
                    guard left > count else { return close() }
                    phase = .lingering(left: left - count)
                } else {
                    if input.isEmpty, !isTimed { limit(service.limits.requestTime) }
                    input.append(contentsOf: thread.buffer[..<count])
                }
            case .wait: return
            case .end:
                hasPeerEnded = true
                return process(atEnd: true)
            }
        } while transport.hasReceived
    }

    /// Reads what has arrived, and answers requests that are complete.
    private func process(atEnd isEnd: Bool = false) {
        var isProgress = true
        while isProgress {
            switch phase {
            case .head(let lines): isProgress = !input.isEmpty && readHead(lines)
            case .body: isProgress = readBody()
            default: isProgress = false
            }
        }
        guard isEnd else { return }
        switch phase {
        // What is missing does not come.
        case .head, .body, .lingering: close()
        default: break
        }
    }

    /// Returns whether there is more to do.
    private func readHead(_ lines: RequestLines) -> Bool {
        var lines = lines
        let isComplete = input.withUnsafeBytes { lines.read($0) }
        phase = .head(lines)
        if isComplete == nil { return refuse(RequestRefusal(400, "the head is malformed")) }
        let size = isComplete == true ? lines.end : input.count
        if size > service.limits.headerSize {
            return refuse(RequestRefusal(lines.lines.isEmpty ? 414 : 431, "the head is too large"))
        }
        guard isComplete == true else { return false }
        var reader = RequestHeadReader()
        let isRequest = input.withUnsafeBytes { bytes in
            isHTTP10 = bytes[lines.lines[0]].last == UInt8(ascii: "0")
            return reader.read(lines.lines, of: bytes)
        }
        // What is not even a request line is not answered.
        guard isRequest else {
            close()
            return false
        }
        input.removeFirst(lines.end)
        do throws(RequestRefusal) {
            return try accept(
                try reader.head(remoteAddress: remoteAddress), reader.contentLength ?? 0, reader.isChunked)
        } catch { return refuse(error) }
    }

    /// Waits for the body, or answers before it is sent.
    private func accept(_ head: RequestHead, _ contentLength: Int, _ isChunked: Bool) throws(RequestRefusal) -> Bool {
        isHead = head.method == "HEAD"
        let connection = head.headers["Connection"]?.lowercased()
        closesAfterResponse =
            isHTTP10 ? connection != "keep-alive" : connection?.contains("close") == true
        let hasBody = isChunked || contentLength > 0
        let limit = hasBody ? service.handler.bodyLimit(for: head) : .none
        if limit.size > 0, contentLength > limit.size { throw limit.refusal }
        guard hasBody, limit.size > 0 else {
            // A response before the body closes the connection.
            if hasBody { leaveInput() }
            return respond(to: ServerRequest(head))
        }
        var request = ServerRequest(head)
        // A client may announce more than it sends.
        request.body.reserveCapacity(min(contentLength, 64 << 10))
        if input.isEmpty, !isHTTP10, head.headers["Expect"] != nil {
            output.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        body = RequestBody(request, contentLength: isChunked ? nil : contentLength, limit: limit)
        phase = .body
        flush()
        return true
    }

    private func readBody() -> Bool {
        let (before, count) = (body?.reservedSize ?? 0, input.count)
        let next = body?.read(&input, lineLimit: service.limits.headerSize) ?? .endless
        receivedSize += count - input.count
        let reserved = body?.reservedSize ?? 0
        let hasRoom = service.reserveBody(reserved - before)
        if case .incomplete = next, hasRoom { return false }
        service.releaseBody(hasRoom ? reserved : before)
        let request = body.take()?.request
        phase = .sending
        switch next {
        case .complete where hasRoom:
            if let request { return respond(to: request) }
        case .refused(let refusal) where hasRoom: return refuse(refusal)
        default: service.count(\.refusedRequests)
        }
        close()
        return false
    }

    // MARK: Responding

    private func leaveInput() { (leavesInput, closesAfterResponse) = (true, true) }

    private func refuse(_ refusal: RequestRefusal) -> Bool {
        service.count(\.refusedRequests)
        receivedSize = 0
        leaveInput()
        return send(refusal.response)
    }

    private func respond(to request: ServerRequest) -> Bool {
        (deadline, receivedSize) = (nil, 0)
        switch service.handler.respond(to: request) {
        case .now(let response): return send(response)
        case .blocking(let body):
            let waiting = wait()
            BlockingCall.start { [worker, number] in
                // Not for a client that has gone while the call waited for its thread.
                if !waiting.hasEnded { worker.post(.response(number, body())) }
            }
        case .later(let body):
            _ = wait()
            Task { [worker, number] in worker.post(.response(number, await body())) }
        }
        return false
    }

    private func wait() -> Waiting {
        let waiting = Waiting()
        phase = .waiting(waiting)
        return waiting
    }

    /// Returns whether there is more to do: the next request.
    @discardableResult
    private func send(_ response: ServerResponse) -> Bool {
        if response.closesConnection || service.isDraining { closesAfterResponse = true }
        phase = .sending
        let head = ResponseHead(response, isHTTP10: isHTTP10, closes: closesAfterResponse, date: thread.date)
        switch response.body {
        case .closed:
            close()
            return false
        case .bytes(let bytes): output.append(head.bytes, isHead || head.hasNoBody ? [] : bytes)
        case .shared(let body): output.append(head.bytes, isHead || head.hasNoBody ? [] : body.bytes)
        case .stream(let stream):
            output.append(head.bytes)
            guard !isHead else {
                stream.close()
                break
            }
            if isHTTP10 { closesAfterResponse = true }
            start(stream)
            flush()
            copyStream()
            return isReading
        }
        limit(service.limits.responseTime)
        flush()
        return isReading
    }

    /// Whether the response was sent, and the next request can be read.
    private var isReading: Bool { if case .head = phase { true } else { false } }

    private func start(_ stream: ResponseStream) {
        keepAlive()
        deadline = nil
        phase = .streaming(stream, isChunked: !isHTTP10)
        // A client of a stream that sends nothing more has gone.
        if hasPeerEnded { return close() }
        stream.onChange { [worker, number] in worker.post(.streamChanged(number)) }
        if service.isDraining { stream.end() }
    }

    /// Sends what a stream has, as far as the socket takes it.
    private func copyStream() {
        while case .streaming(let stream, let isChunked) = phase {
            // A client that is too slow for the stream may be too slow for its end as well.
            if stream.hasEnded, deadline == nil { limit(service.limits.responseTime) }
            guard output.isEmpty else { return }
            switch stream.read() {
            case .wait: return
            case .chunk(let chunk):
                guard !chunk.isEmpty else { continue }
                let size = Array("\(String(chunk.count, radix: 16))\r\n".utf8)
                output.append(isChunked ? size + chunk + [13, 10] : chunk)
            case .end:
                if isChunked { output.append(Array("0\r\n\r\n".utf8)) }
                stream.close()
                phase = .sending
            }
            flush()
        }
    }

    /// Writes the output as far as the socket takes it.
    private func flush() {
        while !output.isEmpty {
            switch output.withFirst({ transport.write($0) }) {
            case .bytes(let count): output.removeFirst(count)
            case .wait: return
            case .end: return close()
            }
        }
        if case .sending = phase { endResponse() }
    }

    private func endResponse() {
        guard closesAfterResponse || service.isDraining else {
            phase = .head(RequestLines())
            (isHead, leavesInput) = (false, false)
            // An idle connection needs no buffer.
            if input.isEmpty { input = [] }
            limit(input.isEmpty ? service.limits.idleTime : service.limits.requestTime, isTimed: !input.isEmpty)
            return
        }
        guard leavesInput || !input.isEmpty, !service.isDraining else { return close() }
        transport.endWriting()
        input = []
        phase = .lingering(left: Self.lingeringSize)
        limit(min(service.limits.requestTime, Self.lingeringTime), isTimed: false)
    }

    /// How much of a request is read after its response, so that the client sees it. Many clients read it only
    /// after they have sent everything.
    private static let lingeringSize = 1 << 20
    private static let lingeringTime = Duration.seconds(2)

    /// Enables keep-alive probes: an idle stream would not notice otherwise that the client's machine is gone.
    private func keepAlive() {
        for (level, option, value) in [
            (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
            (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10), (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
        ] as [(Int32, Int32, Int32)] {
            var value = value
            setsockopt(transport.descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}

/// Whether a client still waits for its response.
final class Waiting: Sendable {
    private let ended = Atomic<Bool>(false)

    var hasEnded: Bool { ended.load(ordering: .relaxed) }

    func end() { ended.store(true, ordering: .relaxed) }
}
