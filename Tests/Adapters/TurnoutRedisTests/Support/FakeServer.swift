import Foundation
import TurnoutClient
import TurnoutRedis

/// A server with scripted responses. It ends with the test.
final class FakeServer: Sendable {
    private let socket: ListeningSocket
    private let open = Locked<[FileHandle]>([])

    /// Runs `talk` on each connection, then sends nothing more, or closes the connection.
    private init(cuts: Bool, _ talk: @escaping @Sendable (FileHandle) -> Void) throws {
        let socket = try ListeningSocket()
        self.socket = socket
        BlockingCall.start { [weak self] in
            while let connection = socket.next() {
                BlockingCall.start { [weak self] in
                    talk(connection)
                    if cuts { try? connection.close() } else { self?.open.withLock { $0.append(connection) } }
                }
            }
        }
    }

    /// Sends the responses in order on each connection, one per received piece of data.
    convenience init(_ replies: String..., cuts: Bool = false) throws {
        try self.init(cuts: cuts) { connection in
            for reply in replies {
                guard !Self.read(from: connection).isEmpty else { return }
                Self.write(reply, to: connection)
            }
        }
    }

    /// Replies to each command, passed as its arguments joined by spaces. `pause` precedes each response, which is
    /// for all commands received so far.
    convenience init(pause: Duration = .zero, toEach reply: @escaping @Sendable (String) -> String) throws {
        try self.init(cuts: true) { connection in
            var received: [UInt8] = []
            while case let bytes = Self.read(from: connection), !bytes.isEmpty {
                received += bytes
                let replies = Self.takeCommands(from: &received).map(reply).joined()
                usleep(UInt32(pause / .microseconds(1)))
                Self.write(replies, to: connection)
            }
        }
    }

    deinit { socket.close() }

    /// The received data; empty at the end. Foundation would crash when a connection is reset.
    private static func read(from connection: FileHandle) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection.fileDescriptor, &bytes, bytes.count, 0)
        return bytes[..<max(0, count)]
    }

    private static func write(_ text: String, to connection: FileHandle) {
        #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection.fileDescriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Removes complete commands from the received data.
    private static func takeCommands(from received: inout [UInt8]) -> [String] {
        let lines = String(decoding: received, as: UTF8.self).components(separatedBy: "\r\n")
        var (commands, place) = ([String](), 0)
        while let count = Int(lines[place].dropFirst()), place + 2 * count + 1 < lines.count {
            commands.append((0..<count).map { lines[place + 2 * $0 + 2] }.joined(separator: " "))
            place += 2 * count + 1
        }
        received = Array(lines[place...].joined(separator: "\r\n").utf8)
        return commands
    }

    /// The address of the server.
    var address: ProfileServerAddress { .host("127.0.0.1", port: socket.port) }

    /// Options for this server, with timeouts for a busy machine.
    var options: RedisOptions {
        var options = RedisOptions(servers: .one(address))
        options.timeout = .seconds(60)
        options.connectTimeout = .seconds(60)
        return options
    }
}
