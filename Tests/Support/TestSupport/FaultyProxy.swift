import Foundation
import TurnoutClient

/// A proxy between a store and a server that can cause network faults.
package final class FaultyProxy: Sendable {
    /// The behavior of the proxy.
    package enum Behavior: Sendable, Equatable {
        /// Passes all data.
        case pass
        /// Holds back all data in both directions, and passes it on later, as a network that recovers.
        case hold
        /// Passes the first bytes of responses on each connection, then nothing; the connection stays open.
        case stall(after: Int)
        /// Passes the first bytes of responses on each connection, then closes it.
        case cut(after: Int)
        /// Passes responses byte by byte, with pauses in milliseconds.
        case dribble(Int32)
    }

    private struct State {
        var behavior = Behavior.pass
        var keptBack = 0
        var isOver = false
    }

    private let listener: TestSocket
    private let upstream: Int
    private let state = Locked(State())
    /// The port on which it listens.
    package let port: Int

    /// Starts a proxy for a port of this machine.
    package init(to upstream: Int) throws {
        self.upstream = upstream
        (listener, port) = try TestSocket.listening()
        BlockingCall.start { [self] in accept() }
    }

    /// The current behavior.
    package var behavior: Behavior {
        get { state.withLock { $0.behavior } }
        set { state.withLock { ($0.behavior, $0.keptBack) = (newValue, 0) } }
    }

    /// How often data was held back since the behavior was set.
    package var keptBackCount: Int { state.withLock { $0.keptBack } }

    /// Stops the proxy, and closes its connections.
    package func stop() { state.withLock { $0.isOver = true } }
    private var isOver: Bool { state.withLock { $0.isOver } }

    private func accept() {
        while !isOver {
            guard listener.isReadable(within: 20) else { continue }
            guard behavior != .hold else {
                // Each would stay open until the end, and the number of files of a process is limited.
                usleep(1_000)
                continue
            }
            guard let client = try? TestSocket(Foundation.accept(listener.descriptor, nil, nil)),
                let server = try? TestSocket.connected(to: upstream)
            else { continue }
            BlockingCall.start { [self] in copyRequests(from: client, to: server) }
            BlockingCall.start { [self] in copyResponses(from: server, to: client) }
        }
    }

    private func copyRequests(from client: TestSocket, to server: TestSocket) {
        while !isOver {
            guard let bytes = next(from: client) else { continue }
            guard !bytes.isEmpty else { break }
            server.write(bytes)
        }
        server.end()
    }

    private func copyResponses(from server: TestSocket, to client: TestSocket) {
        var count = 0
        while !isOver {
            guard var bytes = next(from: server) else { continue }
            guard !bytes.isEmpty else { break }
            switch behavior {
            case .pass, .hold: client.write(bytes)
            case .stall(let limit), .cut(let limit):
                let whole = bytes.count
                bytes = Array(bytes.prefix(max(0, limit - count)))
                client.write(bytes)
                count += bytes.count
                if bytes.count < whole { keepBack() }
                if count >= limit, behavior == .cut(after: limit) { return client.end() }
            case .dribble(let pause):
                for byte in bytes where !isOver {
                    client.write([byte])
                    usleep(UInt32(pause) * 1_000)
                }
            }
        }
        client.end()
    }

    /// The received data, or nil if nothing may pass.
    private func next(from socket: TestSocket) -> [UInt8]? {
        guard socket.isReadable(within: 20) else { return nil }
        guard behavior != .hold else {
            keepBack()
            usleep(1_000)
            return nil
        }
        return socket.read()
    }

    private func keepBack() { state.withLock { $0.keptBack += 1 } }
}

extension FaultyProxy {
    /// Applies each behavior in turn until `isMet` returns, with undisturbed work before, between and after.
    package func misbehave(
        _ behaviors: [Behavior], between work: () async throws -> Void, until isMet: () async throws -> Void
    ) async throws {
        for behavior in behaviors {
            try await work()
            self.behavior = behavior
            try await isMet()
            self.behavior = .pass
        }
        try await work()
    }
}
