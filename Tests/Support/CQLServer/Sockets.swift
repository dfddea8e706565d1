import LibC

/// Sockets of the loopback network that do not block.
enum Sockets {
    #if canImport(Darwin)
        private static let streamType = SOCK_STREAM
        private static let sendFlags: Int32 = 0
    #else
        private static let streamType = Int32(SOCK_STREAM.rawValue)
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    /// A socket with an address that does not listen yet. Port 0: a free one.
    static func bind(to address: [UInt8], port: UInt16) throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, streamType, 0)
        guard listener >= 0 else { throw CQLServer.Failure(description: "no socket: error \(errno)") }
        set(listener, SOL_SOCKET, SO_REUSEADDR)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = address.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                let result = LibC.bind(listener, $0, size)
                return result == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else {
            let error = errno
            close(listener)
            let text = address.map(String.init).joined(separator: ".")
            throw CQLServer.Failure(description: "no port \(port) on \(text): error \(error)")
        }
        prepare(listener)
        return (listener, UInt16(bigEndian: name.sin_port))
    }

    /// Begins to listen. Returns false if the system refuses.
    static func open(_ listener: Int32) -> Bool { listen(listener, 512) == 0 }

    /// The next connection of a listener; nil if there is none.
    static func accept(_ listener: Int32) -> Int32? {
        let socket = LibC.accept(listener, nil, nil)
        guard socket >= 0 else { return nil }
        prepare(socket)
        set(socket, Int32(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
            set(socket, SOL_SOCKET, SO_NOSIGPIPE)
        #endif
        return socket
    }

    private static func prepare(_ socket: Int32) {
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    }

    private static func set(_ socket: Int32, _ level: Int32, _ option: Int32) {
        var isOn: Int32 = 1
        setsockopt(socket, level, option, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends bytes from an offset. Returns their number; 0 if none fit, nil if the connection has ended.
    static func send(_ bytes: [UInt8], from offset: Int, over channel: Int32) -> Int? {
        let count = bytes.withUnsafeBytes { buffer -> Int in
            guard let base = buffer.baseAddress else { return 0 }
            return LibC.send(channel, base + offset, buffer.count - offset, sendFlags)
        }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }
}

/// A pipe that wakes a thread out of `poll`.
extension Sockets {
    static func pipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [-1, -1]
        let result = LibC.pipe(&ends)
        guard result == 0 else { throw CQLServer.Failure(description: "no pipe: error \(errno)") }
        for end in ends { prepare(end) }
        return (ends[0], ends[1])
    }

    /// Makes the reading end of a pipe readable. Returns false if it is already full of signals.
    static func signal(_ writer: Int32) -> Bool {
        var byte: UInt8 = 1
        return write(writer, &byte, 1) == 1
    }

    /// Takes all signals out of a pipe.
    static func drain(_ reader: Int32) {
        var bytes = [UInt8](repeating: 0, count: 512)
        while read(reader, &bytes, bytes.count) == bytes.count {}
    }

    static func end(_ descriptor: Int32) { close(descriptor) }
}
