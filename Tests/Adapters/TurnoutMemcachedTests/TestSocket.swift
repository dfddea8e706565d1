#if Memcached
    import Foundation

    /// A socket of this process, for what the library would never send.
    final class TestSocket: Sendable {
        struct Failure: Error { let code = errno }

        let descriptor: Int32

        init(_ descriptor: Int32) throws {
            guard descriptor >= 0 else { throw Failure() }
            self.descriptor = descriptor
        }

        deinit { close(descriptor) }

        /// Listens on a free port of this machine.
        static func listening() throws -> (socket: TestSocket, port: Int) {
            let socket = try TestSocket(Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
            var address = address(port: 0)
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withPointer(to: &address) {
                bind(socket.descriptor, $0, size) == 0 && listen(socket.descriptor, 64) == 0
                    && getsockname(socket.descriptor, $0, &size) == 0
            }
            guard isBound else { throw Failure() }
            return (socket, Int(UInt16(bigEndian: address.sin_port)))
        }

        /// Connects to a port of this machine.
        static func connected(to port: Int) throws -> TestSocket {
            let socket = try TestSocket(Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
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
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
            }
        }

        /// Whether there is something to read, or the end, after some time.
        func isReadable(within milliseconds: Int32) -> Bool {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return Foundation.poll(&poll, 1, milliseconds) > 0
        }

        /// Reads what is there. Empty: the other side is gone.
        func read() -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return Array(bytes.prefix(max(0, count)))
        }

        func write(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }

        /// Lets the other side see the end.
        func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// What a plain client sends to memcached and hears from it.
    struct PlainClient {
        let port: Int

        /// Stores any bytes under a key.
        func set(_ key: String, _ text: String) throws {
            _ = try answer("set \(key) 0 0 \(text.utf8.count)\r\n\(text)\r\n", until: "\r\n")
        }

        /// What is stored under a key, without the lines around it.
        func get(_ key: String) throws -> String {
            try answer("get \(key)\r\n", until: "END\r\n")
                .split(separator: "\r\n", omittingEmptySubsequences: false).dropFirst().dropLast(2)
                .joined(separator: "\r\n")
        }

        private func answer(_ request: String, until end: String) throws -> String {
            let socket = try TestSocket.connected(to: port)
            socket.write(Array(request.utf8))
            var answer: [UInt8] = []
            while !answer.suffix(end.utf8.count).elementsEqual(end.utf8) {
                let piece = socket.read()
                guard !piece.isEmpty else { throw MemcachedProcess.Failure() }
                answer += piece
            }
            return String(decoding: answer, as: UTF8.self)
        }
    }
#endif
