import CQLServer
import TestSupport
import Testing

/// Messages that no driver sends, and faults of connections. What drivers send is in `Scripts/prove cql-server`.
@Suite(.blocking) struct CQLWireTests {
    private static let options: [UInt8] = [4, 0, 0, 7, 5, 0, 0, 0, 0]
    private static let startup: [UInt8] = [4, 0, 0, 1, 1, 0, 0, 0, 2, 0, 0]

    private static func query(_ text: String, stream: UInt8) -> [UInt8] {
        // The consistency ONE, no flags.
        let body = [0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8) + [0, 1, 0]
        return [4, 0, 0, stream, 7, 0, 0, 0, UInt8(body.count)] + body
    }

    private static let read = "SELECT variation FROM shop.profiles WHERE user = 'ada'"

    /// The stream and the opcode of each answer until there are enough, or no more come.
    private func answers(_ socket: TestSocket, _ count: Int, within milliseconds: Int32 = 10_000) -> [[UInt8]] {
        var (answers, bytes, offset): ([[UInt8]], [UInt8], Int) = ([], [], 0)
        while true {
            while offset + 9 <= bytes.count {
                let length = bytes[(offset + 5)..<(offset + 9)].reduce(0) { $0 << 8 | Int($1) }
                guard offset + 9 + length <= bytes.count else { break }
                answers.append([bytes[offset + 3], bytes[offset + 4]])
                offset += 9 + length
            }
            guard answers.count < count, socket.isReadable(within: milliseconds) else { return answers }
            let part = socket.read()
            if part.isEmpty { return answers }
            bytes += part
        }
    }

    private func connection(_ shop: Shop) throws -> TestSocket {
        let socket = try TestSocket.connected(to: Int(shop.server.port))
        socket.write(Self.startup)
        #expect(answers(socket, 1) == [[1, 2]])
        return socket
    }

    @Test func messagesArriveInAnyPieces() throws {
        let shop = try Shop()
        let socket = try TestSocket.connected(to: Int(shop.server.port))
        for byte in Self.options { socket.write([byte]) }
        socket.write(Self.options + Self.startup + Self.options.prefix(3))
        #expect(answers(socket, 3) == [[7, 6], [7, 6], [1, 2]])
        socket.write(Array(Self.options.dropFirst(3)))
        #expect(answers(socket, 1) == [[7, 6]])
    }

    @Test(
        arguments: [
            // A later version of the protocol, an unknown opcode, an answer, and a query before the start.
            [5, 0, 0, 7, 5, 0, 0, 0, 0], [4, 0, 0, 7, 99, 0, 0, 0, 0], [4, 0, 0, 7, 8, 0, 0, 0, 0],
            query(read, stream: 7),
            // A body that ends too early, and a compressed one.
            [4, 0, 0, 7, 1, 0, 0, 0, 1, 0], [4, 1, 0, 7, 1, 0, 0, 0, 2, 0, 0],
        ] as [[UInt8]])
    func wrongMessagesAreErrorsAndTheConnectionStays(_ message: [UInt8]) throws {
        let shop = try Shop()
        let socket = try TestSocket.connected(to: Int(shop.server.port))
        socket.write(message + Self.options)
        #expect(answers(socket, 2) == [[7, 0], [7, 6]])
    }

    @Test(arguments: [[4, 0, 0, 7, 5, 0x7F, 0, 0, 0], [1, 0, 7, 5, 0, 0, 0, 0, 0]] as [[UInt8]])
    func unreadableMessagesEndTheConnection(_ message: [UInt8]) throws {
        let shop = try Shop()
        let socket = try TestSocket.connected(to: Int(shop.server.port))
        socket.write(message)
        #expect(socket.isReadable(within: 10_000) && socket.read().isEmpty)
    }

    @Test func answersAreLeftOutAndBrokenAsAsked() throws {
        let shop = try Shop()
        let socket = try connection(shop)
        shop.server.fail(.silence(isApplied: false))
        shop.server.fail(.overloaded, .writes)
        socket.write(Self.query(Self.read, stream: 2) + Self.query(Self.read, stream: 3))
        #expect(answers(socket, 1) == [[3, 8]])
        socket.write(Self.query("DELETE FROM shop.profiles WHERE user = 'a'", stream: 4))
        #expect(answers(socket, 1) == [[4, 0]])
        shop.server.fail(.disconnection, .reads)
        socket.write(Self.query(Self.read, stream: 5) + Self.query(Self.read, stream: 6))
        #expect(answers(socket, 2).isEmpty)
        #expect(shop.server.counts(of: 0).reads == 3)
        #expect(shop.server.counts(of: 0).statements[Self.read] == 3)
    }

    @Test func answersOfOtherRequestsOvertakeDelayedOnes() throws {
        let shop = try Shop()
        let socket = try connection(shop)
        shop.server.delay(.milliseconds(50), node: 0)
        socket.write(Self.query(Self.read, stream: 2) + Self.options)
        #expect(answers(socket, 2) == [[7, 6], [2, 8]])
    }

    @Test func aPausedNodeAnswersAfterItResumes() throws {
        let shop = try Shop()
        let socket = try connection(shop)
        shop.server.pause(0)
        socket.write(Self.options)
        #expect(answers(socket, 1, within: 50).isEmpty)
        shop.server.resume(0)
        #expect(answers(socket, 1) == [[7, 6]])
    }

    @Test func aNodeThatIsDownRefusesConnectionsUntilItIsUp() throws {
        let shop = try Shop()
        let socket = try connection(shop)
        shop.server.takeDown(0)
        #expect(socket.isReadable(within: 10_000) && socket.read().isEmpty)
        #expect(throws: TestSocket.Failure.self) { try TestSocket.connected(to: Int(shop.server.port)) }
        shop.server.bringUp(0)
        let other = try connection(shop)
        shop.server.takeDown(1)
        other.write(Self.query(Self.read, stream: 2))
        #expect(answers(other, 1) == [[2, 8]])
    }

    @Test func aPartitionWithoutReplicasIsUnavailable() throws {
        let shop = try Shop()
        try shop.server.run("CREATE KEYSPACE single WITH replication = {'class': 'SimpleStrategy'}")
        try shop.server.run("CREATE TABLE single.users (id text PRIMARY KEY)")
        let socket = try connection(shop)
        shop.server.takeDown(1)
        for stream in UInt8(2)..<40 {
            socket.write(Self.query("SELECT * FROM single.users WHERE id = '\(stream)'", stream: stream))
            let isDown = shop.server.replicas(of: "\(stream)", in: "single") == [1]
            #expect(answers(socket, 1) == [[stream, isDown ? 0 : 8]])
        }
    }

    @Test func nothingIsLeftOfAServerThatIsStopped() throws {
        let shop = try Shop()
        let socket = try connection(shop)
        shop.server.stop()
        #expect(socket.isReadable(within: 10_000) && socket.read().isEmpty)
        #expect(throws: TestSocket.Failure.self) { try TestSocket.connected(to: Int(shop.server.port)) }
        shop.server.takeDown(0)
        shop.server.stop()
    }

    @Test func eventsReachTheDriversThatWantThem() throws {
        let shop = try Shop()
        let (socket, other) = (try connection(shop), try connection(shop))
        var body: [UInt8] = [0, 2]
        for kind in ["STATUS_CHANGE", "TOPOLOGY_CHANGE"] { body += [0, UInt8(kind.utf8.count)] + Array(kind.utf8) }
        socket.write([4, 0, 0, 2, 11, 0, 0, 0, UInt8(body.count)] + body)
        #expect(answers(socket, 1) == [[2, 2]])
        shop.server.announce(.topology, isNew: true, node: 2)
        shop.server.takeDown(1)
        // A node does not report about itself.
        shop.server.announce(.status, isNew: true, node: 0)
        #expect(answers(socket, 2) == [[255, 12], [255, 12]])
        for socket in [socket, other] { socket.write(Self.options) }
        #expect(answers(socket, 1) == [[7, 6]] && answers(other, 1) == [[7, 6]])
    }

    @Test func allStreamsMayBeInFlight() async throws {
        let shop = try Shop()
        let socket = try connection(shop)
        async let sent: Void = blocking {
            var bytes: [UInt8] = []
            for stream in 0..<32_768 {
                bytes += [4, 0, UInt8(stream >> 8), UInt8(stream & 0xFF), 5, 0, 0, 0, 0]
            }
            socket.write(bytes)
        }
        #expect(answers(socket, 32_768).map { $0[0] } == (0..<32_768).map { UInt8($0 & 0xFF) })
        _ = try await sent
    }
}
