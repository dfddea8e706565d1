import LibC
import TurnoutClient

/// A socket address in the system's format.
package struct SocketAddress: Sendable {
    let family: Int32
    private let storage: sockaddr_storage
    private let size: socklen_t

    /// The socket type: a stream.
    var type: Int32 { Self.stream }

    private static var stream: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    /// Whether it is a Unix socket.
    var isLocal: Bool { family == AF_UNIX }

    private init(family: Int32, _ bytes: UnsafeRawBufferPointer) {
        var storage = sockaddr_storage()
        let count = min(bytes.count, MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
        self.family = family
        self.storage = storage
        size = socklen_t(count)
    }

    /// Creates the address of a Unix socket. ``ServerAddress/Place/check()`` has limited the length of `path`.
    init(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        self = withUnsafeBytes(of: &address) { SocketAddress(family: AF_UNIX, $0) }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }

    /// Resolves a host to addresses, in the order in which they should be tried. With `isNumeric` only numeric hosts
    /// are resolved, which does not block; for a name the result is nil.
    package static func all(of host: String, port: Int, isNumeric: Bool) -> Result<[SocketAddress], StreamError>? {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = stream
        hints.ai_flags = Int32(AI_NUMERICSERV) | (isNumeric ? Int32(AI_NUMERICHOST) : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else { return isNumeric ? nil : .failure(failure(code)) }
        var (addresses, entry) = ([SocketAddress](), list)
        while let info = entry?.pointee, addresses.count < most {
            if let address = info.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))
                addresses.append(SocketAddress(family: info.ai_family, bytes))
            }
            entry = info.ai_next
        }
        return addresses.isEmpty ? .failure(failure(EAI_NONAME)) : .success(addresses)
    }

    /// More addresses than a call can try within its time limit.
    private static let most = 16

    private static func failure(_ code: Int32) -> StreamError {
        switch code {
        case EAI_NONAME: StreamError(.unreachable, "the host name is not known")
        case EAI_AGAIN: StreamError(.unreachable, "the host name cannot be resolved: the name server does not respond")
        default: StreamError(.unreachable, "the host name cannot be resolved: \(String(cString: gai_strerror(code)))")
        }
    }
}

/// Resolves host names. The system's lookup cannot be interrupted, so it runs on another thread; callers wait until
/// their deadline.
package final class HostLookup: Sendable {
    private let calls: BoundedCalls

    /// - Parameter limit: How many lookups run at the same time.
    package init(limit: Int) { calls = BoundedCalls(limit: limit) }

    func addresses(
        of place: ServerAddress.Place, until deadline: ContinuousClock.Instant
    ) throws(StreamError) -> [SocketAddress] {
        guard let host = place.host else { return [SocketAddress(path: place.path)] }
        let port = place.port ?? 0
        if let numeric = SocketAddress.all(of: host, port: port, isNumeric: true) { return try numeric.get() }
        let outcome: Result<[SocketAddress], StreamError>?
        do throws(BoundedCalls.Failure) {
            outcome = try calls.outcome(within: ContinuousClock.now.duration(to: deadline)) {
                SocketAddress.all(of: host, port: port, isNumeric: false)
            }
        } catch {
            switch error {
            case .timedOut: throw StreamError(.timedOut, "the host name was not resolved in time")
            case .rejected: throw StreamError(.unreachable, "earlier lookups of the host name have not ended")
            }
        }
        return try outcome?.get() ?? []
    }
}
