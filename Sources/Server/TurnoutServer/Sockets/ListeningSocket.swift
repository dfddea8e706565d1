import LibC

/// A socket that connections arrive at.
package final class ListeningSocket: Sendable {
    let descriptor: Int32
    /// The address in digits.
    package let host: String
    /// The port, including one that the system has chosen.
    package let port: UInt16
    /// Whether another process has it, too, and passes it to the next server.
    private let isShared: Bool

    /// The socket that a service manager such as systemd has passed to this process, with the variables `LISTEN_PID`
    /// and `LISTEN_FDS`; nil if it has passed none. Connections to it wait while no server runs.
    ///
    /// - Throws: ``ListenerError`` if it has passed several, or one that cannot be used.
    package static func passed() throws(ListenerError) -> ListeningSocket? {
        func number(_ variable: String) -> Int32? { getenv(variable).flatMap { Int32(String(cString: $0)) } }
        guard number("LISTEN_PID") == getpid(), let count = number("LISTEN_FDS"), count > 0 else { return nil }
        guard count == 1 else {
            throw ListenerError(
                "the service manager has passed \(count) sockets, and a server listens on one: keep one ListenStream=")
        }
        return try ListeningSocket(shared: 3)
    }

    private init(shared descriptor: Int32) throws(ListenerError) {
        var (isListening, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size)
        guard isListening != 0, let (host, port) = Self.address(of: descriptor) else {
            throw ListenerError(
                "the service manager has passed something else than a TCP socket that listens; use ListenStream= with "
                    + "an address and a port, and Accept=no")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        (self.descriptor, self.host, self.port, isShared) = (descriptor, host, port, true)
    }

    /// Listens on the first address of a host.
    ///
    /// - Throws: ``ListenerError`` if the address is unknown, in use, or not permitted.
    init(host: String, port: UInt16) throws(ListenerError) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = Int32(AI_PASSIVE) | Int32(AI_NUMERICSERV)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0, let address = found else {
            throw ListenerError("cannot listen on \(host): \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(found) }
        let kind = address.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.pointee.ai_family, kind, 0)
        var (yes, no) = (Int32(1), Int32(0))
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        // `::` also receives connections over IPv4.
        if address.pointee.ai_family == AF_INET6 {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, size)
        }
        guard descriptor >= 0, bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
            listen(descriptor, Self.backlog) == 0
        else {
            let reason = Self.text(errno)
            if descriptor >= 0 { close(descriptor) }
            throw ListenerError("cannot listen on \(host), port \(port): \(reason)")
        }
        self.descriptor = descriptor
        (self.host, self.port) = Self.address(of: descriptor) ?? (host, port)
        isShared = false
    }

    deinit { close(descriptor) }

    /// Refuses further connections, unless they are for the next server.
    func end() { if !isShared { shutdown(descriptor, Int32(SHUT_RDWR)) } }

    /// The connections that may wait until they are accepted; the system may have a lower limit.
    private static let backlog: Int32 = 4_096

    /// The address of a socket; nil if it has no port.
    private static func address(of descriptor: Int32) -> (host: String, port: UInt16)? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard code == 0, [AF_INET, AF_INET6].contains(Int32(address.ss_family)) else { return nil }
        // The port has the same place in both families.
        let port = withUnsafeBytes(of: &address) { $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self) }
        return (Acceptor.text(address, size), UInt16(bigEndian: port))
    }

    private static func text(_ number: Int32) -> String {
        switch number {
        case EADDRINUSE: "the port is in use; end the other program, or choose another port"
        case EACCES: "no permission; choose a port of at least 1024"
        case EADDRNOTAVAIL: "this machine does not have the address"
        default: String(cString: strerror(number))
        }
    }
}

/// The number of files that the process may open.
struct FileLimit {
    let count: Int

    /// Raises the limit as far as it is needed for connections, and permitted.
    init(forConnections connections: Int) {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        getrlimit(resource, &limit)
        let wanted = rlim_t(connections + 256)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            setrlimit(resource, &limit)
        }
        count = Int(clamping: limit.rlim_cur)
    }

    /// Connections have lower descriptors, which the system gives out in ascending order. The others are for files,
    /// stores, and libdispatch, which ends the process if it cannot open a file.
    var endOfConnections: Int32 { Int32(clamping: count - min(64, count / 4)) }

    /// With fewer, the files of the server would leave none for connections.
    private static let leastCount = 48
    /// What the data folder, stores and other servers need, most of it after the start.
    private static let filesOpenedLater = 24

    /// The number of connections that have room beside other files; nil if the process may not open enough.
    var freeForConnections: Int? {
        let next = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard next >= 0 else { return nil }
        close(next)
        guard count >= Self.leastCount else { return nil }
        let free = Int(endOfConnections - next)
        return free > 0 ? max(1, free - Self.filesOpenedLater) : nil
    }

    /// Why there is room for fewer connections than wanted, or for fewer threads.
    func shortage(of connections: Int, _ room: Int, threads: Int, _ started: Int) -> String {
        let problems = [
            room < connections
                ? "limits.connections is \(connections), but only \(room) connections are sure to have room" : nil,
            started < threads ? "\(started) threads serve connections instead of \(threads)" : nil,
        ]
        return problems.compactMap(\.self).joined(separator: ", and ")
            + ", because the process may open only \(count) files; allow it more (LimitNOFILE of systemd, or ulimit -n)"
    }
}
