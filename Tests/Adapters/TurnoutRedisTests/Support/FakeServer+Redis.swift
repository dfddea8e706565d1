import Foundation

extension FakeServer {
    /// Sends the responses in order on each connection, one per received piece of data.
    convenience init(_ replies: String..., cuts: Bool = false) throws {
        try self.init(cuts: cuts) { connection in
            for reply in replies {
                guard !connection.read().isEmpty else { return }
                connection.write(Array(reply.utf8))
            }
        }
    }

    /// Replies to each command, passed as its arguments joined by spaces. `pause` precedes each response, which is
    /// for all commands received so far.
    convenience init(pause: Duration = .zero, toEach reply: @escaping @Sendable (String) -> String) throws {
        try self.init(cuts: true) { connection in
            var received: [UInt8] = []
            while case let bytes = connection.read(), !bytes.isEmpty {
                received += bytes
                let replies = Self.takeCommands(from: &received).map(reply).joined()
                usleep(UInt32(pause / .microseconds(1)))
                connection.write(Array(replies.utf8))
            }
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
    var address: ProfileServerAddress { .host("127.0.0.1", port: port) }

    /// Options for this server, with timeouts for a busy machine.
    var options: RedisOptions {
        var options = RedisOptions(servers: .one(address))
        options.timeout = .seconds(60)
        options.connectTimeout = .seconds(60)
        return options
    }
}

extension RedisOptions {
    /// A store with these options after changes.
    func store(_ layout: Layout? = nil, _ change: (inout RedisOptions) -> Void = { _ in }) throws -> RedisProfileStore {
        var options = self
        if let layout { options.layout = layout }
        change(&options)
        return try RedisProfileStore(options)
    }
}
