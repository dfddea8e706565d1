import Synchronization
import TurnoutMemcached

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Sends one scripted response per request, whatever the request, and then closes the connection.
final class RespondingServer: Sendable {
    private let listener: Int32
    private let path: String
    private let current = Mutex<[[UInt8]]>([])

    /// Listens on a socket in the temporary directory.
    init() {
        path = "/tmp/turnout-fuzz-\(getpid())"
        #if canImport(Darwin)
            listener = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
            listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        unlink(path)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isListening = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 64) == 0
            }
        }
        precondition(isListening, "no socket at \(path)")
        signal(SIGPIPE, SIG_IGN)
        var thread = pthread_t(bitPattern: 0)
        let context = Unmanaged.passRetained(self).toOpaque()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<RespondingServer>.fromOpaque(context).takeRetainedValue().serve()
            }, context)
        precondition(code == 0, "no thread")
    }

    /// Options for this server.
    var options: MemcachedOptions {
        var options = MemcachedOptions(servers: [.unixSocket(path: path)])
        options.prefix = ""
        // A partial response is not continued.
        options.responseTimeout = .milliseconds(2)
        return options
    }

    /// The responses on each new connection.
    var responses: [[UInt8]] {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    private func serve() -> Never {
        var request = [UInt8](repeating: 0, count: 65_536)
        while true {
            let connection = accept(listener, nil, nil)
            for response in responses {
                guard read(connection, &request, request.count) > 0 else { break }
                _ = response.isEmpty ? 0 : write(connection, response, response.count)
            }
            close(connection)
        }
    }
}
