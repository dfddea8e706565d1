#if Memcached
    import Foundation
    import TurnoutClient
    import TurnoutMemcached

    /// Stands between a store and a server, and lets answers through as it likes.
    final class FaultyProxy: Sendable {
        enum Manner: Equatable {
            /// As they come.
            case pass
            /// The first bytes on each connection; then nothing, and it stays open.
            case stall(after: Int)
            /// The first bytes on each connection; then it ends.
            case cut(after: Int)
            /// Byte by byte, with a pause of milliseconds.
            case dribble(Int32)
        }

        private let listener: TestSocket
        private let upstream: Int
        private let state = Locked((manner: Manner.pass, isOver: false))
        let server: MemcachedAddress

        init(to upstream: MemcachedAddress) throws {
            guard case .host(_, let port) = upstream else { throw MemcachedProcess.Failure() }
            self.upstream = port
            let (socket, own) = try TestSocket.listening()
            listener = socket
            server = .host("127.0.0.1", port: own)
            BlockingCall.start { [self] in accept() }
        }

        var manner: Manner {
            get { state.withLock { $0.manner } }
            set { state.withLock { $0.manner = newValue } }
        }

        /// Ends it, with all its connections.
        func stop() { state.withLock { $0.isOver = true } }
        private var isOver: Bool { state.withLock { $0.isOver } }

        private func accept() {
            while !isOver {
                guard listener.isReadable(within: 20) else { continue }
                guard let client = try? TestSocket(Foundation.accept(listener.descriptor, nil, nil)),
                    let server = try? TestSocket.connected(to: upstream)
                else { continue }
                BlockingCall.start { [self] in copyRequests(from: client, to: server) }
                BlockingCall.start { [self] in copyAnswers(from: server, to: client) }
            }
        }

        private func copyRequests(from client: TestSocket, to server: TestSocket) {
            while !isOver {
                guard client.isReadable(within: 20) else { continue }
                let bytes = client.read()
                guard !bytes.isEmpty else { break }
                server.write(bytes)
            }
            server.end()
        }

        private func copyAnswers(from server: TestSocket, to client: TestSocket) {
            var count = 0
            while !isOver {
                guard server.isReadable(within: 20) else { continue }
                var bytes = server.read()
                guard !bytes.isEmpty else { break }
                switch manner {
                case .pass: client.write(bytes)
                case .stall(let limit), .cut(let limit):
                    bytes = Array(bytes.prefix(max(0, limit - count)))
                    client.write(bytes)
                    count += bytes.count
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
    }
#endif
