import LibC

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
