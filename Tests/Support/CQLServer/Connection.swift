import LibC
import TurnoutClient

/// A connection of a driver: bytes in, whole messages answered, bytes out.
final class Connection {
    /// A driver that does not read its answers is not read from, either.
    private static let longestOutput = 16 << 20

    let socket: Int32
    private(set) var session: Session
    private(set) var hasEnded = false
    private var input: [UInt8] = []
    private var output = FrameWriter()
    /// Bytes for the socket, and how many of them are sent.
    private var outgoing: [UInt8] = []
    private var sent = 0
    private let encryption: TLSSession?
    /// Whether there may be bytes of a handshake to send.
    private var hasHandshake = false
    /// Answers that wait, the earliest first.
    private var delayed: [(due: UInt64, answer: [UInt8])] = []
    /// Ends the connection when the output is sent.
    private var isEnding = false

    /// Takes a connection of a node.
    ///
    /// - Parameters:
    ///   - socket: The socket, which is closed with the connection.
    ///   - node: The node.
    ///   - context: The certificate, or nil for a connection without TLS.
    init(_ socket: Int32, node: Int, _ context: TLSContext?) {
        self.socket = socket
        encryption = context.map { TLSSession($0) }
        session = Session(node: node)
    }

    deinit { close(socket) }

    var wantsToWrite: Bool { sent < outgoing.count || !output.bytes.isEmpty || hasHandshake }
    var wantsToRead: Bool { !isEnding && outgoing.count - sent + output.bytes.count < Self.longestOutput }
    /// When the next answer is due, in nanoseconds of the monotonic clock.
    var nextDue: UInt64? { delayed.first?.due }

    /// Reads what is there, and answers all whole messages.
    func read(_ scratch: UnsafeMutableRawBufferPointer, _ shared: CQLServer.Shared, at time: UInt64) {
        let count = recv(socket, scratch.baseAddress, scratch.count, 0)
        guard count > 0 else {
            if count == 0 || (errno != EAGAIN && errno != EINTR) { hasEnded = true }
            return
        }
        let bytes = UnsafeRawBufferPointer(rebasing: scratch[..<count])
        if let encryption {
            hasHandshake = true
            // The reason why is sent before the end.
            if !encryption.decrypt(bytes, to: &input) { isEnding = true }
        } else {
            input.append(contentsOf: bytes)
        }
        let taken = shared.state.withLock { answerMessages(&$0, at: time) }
        if taken == input.count { input.removeAll(keepingCapacity: true) } else { input.removeFirst(taken) }
    }

    /// Answers the whole messages of the input, and returns the number of their bytes.
    private func answerMessages(_ state: inout ServerState, at time: UInt64) -> Int {
        var offset = 0
        while !isEnding, let header = FrameHeader(input, at: offset) {
            guard header.length <= FrameHeader.maximumLength, header.version >= 3 else {
                hasEnded = true
                break
            }
            let body = offset + FrameHeader.size
            guard input.count - body >= header.length else { break }
            let reader = FrameReader(input, from: body, to: body + header.length)
            let delivery = state.answer(header, reader, &session, to: &output)
            offset = body + header.length
            switch delivery {
            case .now: break
            case .never: _ = output.cutMessage()
            case .later(let delay): add(output.cutMessage(), due: time + UInt64(delay))
            case .half:
                let answer = output.cutMessage()
                output.raw(Array(answer.prefix(answer.count / 2 + 1)))
                isEnding = true
            }
        }
        return offset
    }

    private func add(_ answer: [UInt8], due: UInt64) {
        let index = delayed.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
        delayed.insert((due, answer), at: index)
    }

    /// Appends an event.
    func send(_ event: ServerState.Event) {
        guard session.events.contains(event.kind), session.node != event.subject else { return }
        output.raw(event.message)
    }

    /// Appends the answers that are due.
    func release(at time: UInt64) {
        guard let first = delayed.first, first.due <= time else { return }
        let count = delayed.firstIndex { $0.due > time } ?? delayed.count
        for (_, answer) in delayed[..<count] { output.raw(answer) }
        delayed.removeFirst(count)
    }

    /// Writes as much as the system takes.
    func write() {
        while takeOutput() {
            guard let count = Sockets.send(outgoing, from: sent, over: socket) else {
                hasEnded = true
                return
            }
            guard count > 0 else { return }
            sent += count
        }
        if isEnding { hasEnded = true }
    }

    /// Takes the next bytes for the socket. Returns false if there are none.
    private func takeOutput() -> Bool {
        guard sent == outgoing.count else { return true }
        output.exchange(&outgoing)
        sent = 0
        if let encryption { outgoing = encryption.encrypted(outgoing) }
        hasHandshake = false
        return !outgoing.isEmpty
    }
}
