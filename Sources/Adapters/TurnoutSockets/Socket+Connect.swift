import LibC
package import TurnoutClient

extension Socket {
    /// Microseconds before a Unix socket with a full queue is tried again.
    private static let shortPause: UInt32 = 1_000

    /// Connects to a host or a path. Of several addresses the first that responds is used: an unresponsive one delays
    /// the next only by its share of the time.
    package static func connected(
        to place: ServerAddress.Place, _ lookup: HostLookup, until deadline: ContinuousClock.Instant
    ) throws(StreamError) -> Socket {
        try connected(toOneOf: lookup.addresses(of: place, until: deadline), until: deadline)
    }

    /// Connects to the first of several addresses that responds.
    package static func connected(
        toOneOf addresses: [SocketAddress], until deadline: ContinuousClock.Instant
    ) throws(StreamError) -> Socket {
        var attempts = ConnectionAttempts(addresses, until: deadline)
        while true {
            if let socket = try attempts.next() { return socket }
        }
    }

    /// Begins to connect, or throws the reason for the failure.
    fileprivate static func begun(
        to address: SocketAddress, until deadline: ContinuousClock.Instant
    ) throws(StreamError) -> (socket: Socket, isConnected: Bool) {
        while true {
            let socket = try Socket(for: address)
            switch socket.begin(to: address) {
            case 0: return (socket, true)
            case EINPROGRESS: return (socket, false)
            case EAGAIN where address.isLocal && ContinuousClock.now < deadline: usleep(shortPause)
            case let code: throw StreamError(.unreachable, SystemError.text(code))
            }
        }
    }
}

/// Attempts to connect to one of several addresses, as in RFC 8305.
private struct ConnectionAttempts {
    private var addresses: ArraySlice<SocketAddress>
    private var pending: [Socket] = []
    private var failure = StreamError(.unreachable, "the host has no address")
    private let deadline: ContinuousClock.Instant
    private let attemptDelay: Duration
    private var nextAt = ContinuousClock.now

    init(_ addresses: [SocketAddress], until deadline: ContinuousClock.Instant) {
        self.addresses = addresses[...]
        self.deadline = deadline
        let left = max(.zero, ContinuousClock.now.duration(to: deadline))
        attemptDelay = min(.milliseconds(100), left / max(1, addresses.count))
    }

    /// Tries the next address, or waits for pending attempts. Returns nil if not connected yet.
    ///
    /// - Throws: ``StreamError`` if all attempts failed or the deadline has passed.
    mutating func next() throws(StreamError) -> Socket? {
        if !addresses.isEmpty, pending.isEmpty || ContinuousClock.now >= nextAt, let address = addresses.popFirst() {
            do throws(StreamError) {
                let (socket, isConnected) = try Socket.begun(to: address, until: deadline)
                if isConnected { return socket }
                pending.append(socket)
                nextAt = .now + attemptDelay
            } catch { failure = error }
        }
        guard !pending.isEmpty else {
            if addresses.isEmpty { throw failure }
            return nil
        }
        return try wait()
    }

    private mutating func wait() throws(StreamError) -> Socket? {
        var entries = pending.map { pollfd(fd: $0.descriptor, events: Poll.writable, revents: 0) }
        Poll.wait(&entries, until: addresses.isEmpty ? deadline : min(deadline, nextAt))
        for index in entries.indices.reversed() where entries[index].revents != 0 {
            let socket = pending.remove(at: index)
            let code = socket.connectionError
            if code == 0 { return socket }
            failure = StreamError(.unreachable, SystemError.text(code))
            nextAt = .now
        }
        if ContinuousClock.now >= deadline {
            throw StreamError(.timedOut, "no connection in time")
        }
        return nil
    }
}
