#if Memcached || Redis
    import Foundation
    import TurnoutClient

    /// Stands between a store and a server, and lets through what it likes.
    package final class FaultyProxy: Sendable {
        /// What it does with what comes.
        package enum Manner: Sendable, Equatable {
            /// Everything goes through.
            case pass
            /// Nothing goes through, in either direction. It does later, as when a network is whole again.
            case hold
            /// The first bytes of answers on each connection; then nothing, and it stays open.
            case stall(after: Int)
            /// The first bytes of answers on each connection; then it ends.
            case cut(after: Int)
            /// Answers byte by byte, with a pause of milliseconds.
            case dribble(Int32)
        }

        private struct State {
            var manner = Manner.pass
            var keptBack = 0
            var isOver = false
        }

        private let listener: TestSocket
        private let upstream: Int
        private let state = Locked(State())
        /// Where it listens.
        package let port: Int

        /// Starts a proxy in front of a port of this machine.
        package init(to upstream: Int) throws {
            self.upstream = upstream
            (listener, port) = try TestSocket.listening()
            BlockingCall.start { [self] in accept() }
        }

        /// What it does from now on.
        package var manner: Manner {
            get { state.withLock { $0.manner } }
            set { state.withLock { ($0.manner, $0.keptBack) = (newValue, 0) } }
        }

        /// How often something did not go through since the manner was set.
        package var keptBackCount: Int { state.withLock { $0.keptBack } }

        /// Ends it, with all its connections.
        package func stop() { state.withLock { $0.isOver = true } }
        private var isOver: Bool { state.withLock { $0.isOver } }

        private func accept() {
            while !isOver {
                guard listener.isReadable(within: 20) else { continue }
                guard manner != .hold else {
                    // Each would stay open until the end of it, and a process has only so many files.
                    usleep(1_000)
                    continue
                }
                guard let client = try? TestSocket(Foundation.accept(listener.descriptor, nil, nil)),
                    let server = try? TestSocket.connected(to: upstream)
                else { continue }
                BlockingCall.start { [self] in copyRequests(from: client, to: server) }
                BlockingCall.start { [self] in copyAnswers(from: server, to: client) }
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

        private func copyAnswers(from server: TestSocket, to client: TestSocket) {
            var count = 0
            while !isOver {
                guard var bytes = next(from: server) else { continue }
                guard !bytes.isEmpty else { break }
                switch manner {
                case .pass, .hold: client.write(bytes)
                case .stall(let limit), .cut(let limit):
                    let whole = bytes.count
                    bytes = Array(bytes.prefix(max(0, limit - count)))
                    client.write(bytes)
                    count += bytes.count
                    if bytes.count < whole { keepBack() }
                    if count >= limit, manner == .cut(after: limit) { return client.end() }
                case .dribble(let pause):
                    for byte in bytes where !isOver {
                        client.write([byte])
                        usleep(UInt32(pause) * 1_000)
                    }
                }
            }
            client.end()
        }

        /// What came; nil: nothing that may go through.
        private func next(from socket: TestSocket) -> [UInt8]? {
            guard socket.isReadable(within: 20) else { return nil }
            guard manner != .hold else {
                keepBack()
                usleep(1_000)
                return nil
            }
            return socket.read()
        }

        private func keepBack() { state.withLock { $0.keptBack += 1 } }
    }

    extension FaultyProxy {
        /// Misbehaves in one manner after the other, each until that was met, with undisturbed work before, between and
        /// after.
        package func misbehave(
            _ manners: [Manner], between work: () async throws -> Void, until isMet: () async throws -> Void
        ) async throws {
            for manner in manners {
                try await work()
                self.manner = manner
                try await isMet()
                self.manner = .pass
            }
            try await work()
        }
    }
#endif
