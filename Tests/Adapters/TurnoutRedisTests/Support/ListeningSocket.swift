#if Redis
    import Foundation
    import TurnoutClient
    import TurnoutRedis

    /// A socket on which a test plays the server.
    final class ListeningSocket: Sendable {
        private let descriptor: Int32
        let port: Int

        /// Port 0: any that is free.
        init(port: UInt16 = 0) throws {
            #if os(Linux)
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            self.descriptor = descriptor
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
                        && getsockname(descriptor, address, &size) == 0
                }
            }
            self.port = Int(UInt16(bigEndian: address.sin_port))
            guard result else {
                _ = Foundation.close(descriptor)
                throw RedisServer.Failure(description: "port \(port) is taken")
            }
        }

        /// Ends it.
        func close() {
            _ = shutdown(descriptor, Int32(SHUT_RDWR))
            _ = Foundation.close(descriptor)
        }

        /// The next connection; nil: there will be no more.
        func next() -> FileHandle? {
            let connection = accept(descriptor, nil, nil)
            return connection < 0 ? nil : FileHandle(fileDescriptor: connection, closeOnDealloc: true)
        }
    }

    /// A server that gives the same bytes on each connection as soon as something came, then says nothing more, or
    /// closes the connection.
    final class CannedServer: Sendable {
        private let socket: ListeningSocket
        private let open = Locked<[FileHandle]>([])

        init(_ answer: String, cuts: Bool) throws {
            let socket = try ListeningSocket()
            self.socket = socket
            BlockingCall.start { [weak self] in
                while let connection = socket.next() {
                    _ = connection.availableData
                    try? connection.write(contentsOf: Data(answer.utf8))
                    if cuts { try? connection.close() } else { self?.open.withLock { $0.append(connection) } }
                }
            }
        }

        deinit { socket.close() }

        var options: RedisOptions {
            var options = RedisOptions(.one(.host("127.0.0.1", port: socket.port)))
            options.timeout = .milliseconds(10)
            return options
        }
    }
#endif
