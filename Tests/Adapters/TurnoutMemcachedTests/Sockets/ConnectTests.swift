import Foundation
import TurnoutSockets

/// Connections to hosts with several addresses, or with none that accepts.
@Suite(.blocking) struct ConnectTests {
    private func address(_ host: String, _ port: Int) throws -> SocketAddress {
        try #require(try SocketAddress.all(of: host, port: port, isNumeric: true)?.get().first)
    }

    private func soon(_ seconds: Int = 60) -> ContinuousClock.Instant { .now.advanced(by: .seconds(seconds)) }

    @Test func theFirstAddressThatRespondsIsUsed() throws {
        let (listener, port) = try TestSocket.listening()
        let (refusing, refused) = try TestSocket.refusing()
        let addresses = [
            try address("127.0.0.1", refused), try address("::1", refused), try address("127.0.0.1", port),
        ]
        let socket = try Socket.connected(toOneOf: addresses, until: soon())
        #expect(try socket.write([1]) == 1)
        let accepted = try TestSocket(accept(listener.descriptor, nil, nil))
        #expect(accepted.read() == [1])
        withExtendedLifetime(refusing) {}
    }

    /// A server with a full backlog accepts no connection, like a host that is switched off.
    @Test func anUnresponsiveAddressDelaysTheNextBriefly() throws {
        let (full, fullPort) = try TestSocket.listening()
        #expect(listen(full.descriptor, 0) == 0)
        // The last of these hang; which is the first to hang is undefined.
        let attempts = (0..<8).map { _ in Attempt(to: fullPort) }
        let (listener, port) = try TestSocket.listening()
        let addresses = [try address("127.0.0.1", fullPort), try address("127.0.0.1", port)]
        let start = ContinuousClock.now
        let socket = try Socket.connected(toOneOf: addresses, until: soon())
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(try socket.write([2]) == 1)
        let accepted = try TestSocket(accept(listener.descriptor, nil, nil))
        #expect(accepted.read() == [2])
        let error = #expect(throws: StreamError.self) {
            _ = try Socket.connected(toOneOf: [addresses[0]], until: .now.advanced(by: .milliseconds(50)))
        }
        #expect(error?.kind == .timedOut)
        withExtendedLifetime(attempts) {}
    }

    @Test func refusedConnectionsReportTheSystemsError() throws {
        let lookup = HostLookup(limit: 1)
        let (refusing, refused) = try TestSocket.refusing()
        for (place, words) in [
            (ServerAddress.Place(host: "127.0.0.1", port: refused), "connection refused"),
            (ServerAddress.Place(socket: "/nowhere/socket"), "no such file or directory"),
            (ServerAddress.Place(host: "nowhere.invalid", port: 1), "the host name"),
        ] {
            let error = #expect(throws: StreamError.self) { _ = try Socket.connected(to: place, lookup, until: soon()) }
            #expect(error?.kind == .unreachable && error?.message.contains(words) == true, "\(error as Any)")
        }
        withExtendedLifetime(refusing) {}
    }

    @Test func namesAreLookedUp() throws {
        let (listener, port) = try TestSocket.listening()
        let place = ServerAddress.Place(host: "localhost", port: port)
        let socket = try Socket.connected(to: place, HostLookup(limit: 1), until: soon())
        #expect(try socket.write([3]) == 1 && !socket.hasUnexpectedInput)
        let accepted = try TestSocket(accept(listener.descriptor, nil, nil))
        accepted.write([4])
        try waitBlocking("the input") { socket.hasUnexpectedInput }
    }
}

/// A connection attempt that never completes.
private final class Attempt {
    private let descriptor: Int32

    init(to port: Int) {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }
}

extension Socket {
    fileprivate func write(_ bytes: [UInt8]) throws -> Int {
        let result: Result<Int, StreamError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(StreamError) in try write(bytes) }
        }
        return try result.get()
    }
}
