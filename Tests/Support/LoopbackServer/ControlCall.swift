import Foundation
import LibC

/// A command to the server over a plain socket, independent of the transports under test.
struct ControlCall {
    let port: UInt16

    /// Runs a command and returns its result.
    func run(_ command: String, _ arguments: Data) throws -> Data {
        let channel = try openConnection()
        defer { close(channel) }
        let head = "POST /_control/\(command) HTTP/1.1\r\nContent-Length: \(arguments.count)\r\n\r\n"
        try transmit(Data(head.utf8) + arguments, over: channel)
        // No further request follows, so the server closes the connection after its response.
        shutdown(channel, Int32(SHUT_WR))
        let response = try receive(from: channel)
        guard let end = response.range(of: Data("\r\n\r\n".utf8)) else { throw failure("no response to \(command)") }
        let body = response[end.upperBound...]
        guard response.starts(with: Data("HTTP/1.1 200 ".utf8)) else {
            throw failure("\(command): \(String(decoding: body, as: UTF8.self))")
        }
        return Data(body)
    }

    private func failure(_ text: String) -> LoopbackServer.Failure { LoopbackServer.Failure(description: text) }

    private func openConnection() throws -> Int32 {
        #if canImport(Glibc)
            let channel = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let channel = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard channel >= 0 else { throw failure("no socket: error \(errno)") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(channel, $0, size) == 0 }
        }
        guard isConnected else {
            let error = errno
            close(channel)
            throw failure("the server has ended: error \(error)")
        }
        return channel
    }

    // Without `SIGPIPE` if the server has ended, which would end the tests.
    #if canImport(Glibc)
        private static let flags = Int32(MSG_NOSIGNAL)
    #else
        private static let flags: Int32 = 0
    #endif

    private func transmit(_ data: Data, over channel: Int32) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(channel, $0.baseAddress, $0.count, Self.flags) }
            guard count > 0 else { throw failure("the server has ended: error \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    private func receive(from channel: Int32) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(channel, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw failure("the server has ended: error \(errno)") }
            guard count > 0 else { return data }
            data += buffer[..<count]
        }
    }
}
