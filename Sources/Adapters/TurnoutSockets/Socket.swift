import LibC
package import TurnoutClient

/// A stream socket that never blocks and never raises `SIGPIPE`, which would end the process.
package final class Socket: ByteStream {
    package let descriptor: Int32

    /// Creates an unconnected socket for an address.
    ///
    /// - Throws: ``StreamError`` if the system cannot create it, for example without free file descriptors.
    init(for address: SocketAddress) throws(StreamError) {
        #if canImport(Darwin)
            descriptor = socket(address.family, address.type, 0)
        #elseif canImport(Musl)
            descriptor = socket(address.family, address.type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
        #else
            let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            descriptor = socket(address.family, address.type | flags, 0)
        #endif
        guard descriptor >= 0 else { throw StreamError(.unreachable, SystemError.text(errno)) }
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            set(SOL_SOCKET, SO_NOSIGPIPE, 1)
        #endif
        guard !address.isLocal else { return }
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        // Networks silently drop connections that are idle for minutes.
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        #if !canImport(Darwin)
            set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
        #endif
    }

    deinit { close(descriptor) }

    package var holdsOutput: Bool { false }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Begins to connect. Returns 0 if connected, or an `errno`: `EINPROGRESS` while the attempt continues.
    func begin(to address: SocketAddress) -> Int32 {
        while true {
            if address.withPointer({ connect(descriptor, $0, $1) }) == 0 { return 0 }
            // The attempt continues after a signal; repeating the call reports its state.
            guard errno == EINTR else { return errno == EISCONN ? 0 : errno == EALREADY ? EINPROGRESS : errno }
        }
    }

    /// The `errno` of a failed connection attempt, or 0 if it succeeded.
    var connectionError: Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(StreamError) -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return count }
            guard count < 0 else { throw .closed }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            case let code: throw StreamError(.broken, "the connection broke: \(SystemError.text(code))")
            }
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(StreamError) -> Int {
        guard !bytes.isEmpty else { return 0 }
        while true {
            #if canImport(Darwin)
                let count = send(descriptor, bytes.baseAddress, bytes.count, 0)
            #else
                let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            #endif
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            case let code: throw StreamError(.broken, "the connection broke: \(SystemError.text(code))")
            }
        }
    }
}

/// The system's messages for error numbers.
package enum SystemError {
    /// Why a file cannot be read, or nil if it can.
    package static func whyUnreadable(_ file: String) -> String? { access(file, R_OK) == 0 ? nil : text(errno) }

    static func text(_ code: Int32) -> String {
        let text = String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

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
