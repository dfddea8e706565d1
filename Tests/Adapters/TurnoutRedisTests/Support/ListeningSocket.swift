import Foundation
import TurnoutClient
import TurnoutRedis

/// A listening socket for servers in tests.
final class ListeningSocket: Sendable {
    private let descriptor: Int32
    let port: Int

    /// Port 0 means any free port.
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

    func close() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
        _ = Foundation.close(descriptor)
    }

    /// The next connection, or nil after the socket was closed.
    func next() -> FileHandle? {
        let connection = accept(descriptor, nil, nil)
        return connection < 0 ? nil : FileHandle(fileDescriptor: connection, closeOnDealloc: true)
    }
}
