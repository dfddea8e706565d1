import Foundation

/// A socket for data that no library would send.
package final class TestSocket: Sendable {
    package struct Failure: Error { let code = errno }

    package let descriptor: Int32

    package init(_ descriptor: Int32) throws {
        guard descriptor >= 0 else { throw Failure() }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    #if canImport(Darwin)
        private static let streamType = SOCK_STREAM
        // Other systems have a socket option instead. The tests write only to servers that are listening.
        private static let noSignal: Int32 = 0
    #else
        private static let streamType = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif

    /// Listens on a port of this machine; 0 means a free one.
    package static func listening(on port: Int = 0) throws -> (socket: TestSocket, port: Int) {
        let bound = try refusing(on: port)
        guard listen(bound.socket.descriptor, 64) == 0 else { throw Failure() }
        return bound
    }

    /// Holds a port of this machine, which refuses connections; 0 means a free one.
    package static func refusing(on port: Int = 0) throws -> (socket: TestSocket, port: Int) {
        let socket = try TestSocket(Foundation.socket(AF_INET, streamType, 0))
        var address = address(port: port)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withPointer(to: &address) {
            bind(socket.descriptor, $0, size) == 0 && getsockname(socket.descriptor, $0, &size) == 0
        }
        guard isBound else { throw Failure() }
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Connects to a port of this machine.
    package static func connected(to port: Int) throws -> TestSocket {
        let socket = try TestSocket(Foundation.socket(AF_INET, streamType, 0))
        var address = address(port: port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard withPointer(to: &address, { connect(socket.descriptor, $0, size) }) == 0 else { throw Failure() }
        return socket
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return address
    }

    private static func withPointer<Result>(
        to address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
    }

    /// Waits until there is data or the connection has ended; false after the timeout.
    package func isReadable(within milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Foundation.poll(&poll, 1, milliseconds) > 0
    }

    /// Reads available data; empty if the peer has closed the connection.
    package func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    package func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Self.noSignal) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the connection.
    package func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
