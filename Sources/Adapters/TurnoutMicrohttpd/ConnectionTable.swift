#if Server
    import TurnoutClient
    import TurnoutServer

    #if canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// The open connections by socket.
    ///
    /// The library closes a socket after ``remove(_:)``. What is done to the sockets of the table is therefore done
    /// while it is locked: afterwards the number of a socket may belong to another one.
    final class ConnectionTable: Sendable {
        private struct State {
            var connections: [Int32: HTTPConnection] = [:]
            var perAddress: [String: Int] = [:]
            var isAbandoned = false
        }

        let limits: ListenerLimits
        private let state = Locked(State())

        init(_ limits: ListenerLimits) { self.limits = limits }

        /// The number of connections.
        var count: Int { state.withLock { $0.connections.count } }

        /// Adds a connection. Returns false if there are too many.
        func add(_ connection: HTTPConnection) -> Bool {
            state.withLock { state in
                guard state.connections.count < limits.connections else { return false }
                if let limit = limits.connectionsPerAddress {
                    let count = state.perAddress[connection.remoteAddress, default: 0]
                    guard count < limit else { return false }
                    state.perAddress[connection.remoteAddress] = count + 1
                }
                state.connections[connection.descriptor] = connection
                return true
            }
        }

        /// The connection of a socket, which the library has taken.
        func start(_ descriptor: Int32) -> HTTPConnection? {
            let (connection, isAbandoned) = state.withLock { ($0.connections[descriptor], $0.isAbandoned) }
            connection?.start()
            if isAbandoned { connection?.abandon() }
            return connection
        }

        /// Removes a connection, whose socket is closed next.
        func remove(_ connection: HTTPConnection) {
            state.withLock { state in
                guard state.connections.removeValue(forKey: connection.descriptor) != nil,
                    let count = state.perAddress[connection.remoteAddress]
                else { return }
                state.perAddress[connection.remoteAddress] = count > 1 ? count - 1 : nil
            }
        }

        /// Abandons all connections, including those that the library takes later.
        func abandonAll() {
            state.withLock { state in
                state.isAbandoned = true
                for connection in state.connections.values { connection.abandon() }
            }
        }

        /// Ends connections without a request, and streams.
        func drainAll() {
            state.withLock { state in for connection in state.connections.values { connection.drain() } }
        }

        /// Ends the connections that are past their deadlines, and the streams whose clients have gone.
        ///
        /// - Returns: The number of connections past their deadlines.
        func sweep(at now: Int64) -> Int {
            state.withLock { state in
                var (overdue, streams, polled): (Int, [StreamReader], [pollfd]) = (0, [], [])
                for connection in state.connections.values {
                    if connection.endIfOverdue(at: now) { overdue += 1 }
                    guard let stream = connection.waitingStream else { continue }
                    streams.append(stream)
                    polled.append(pollfd(fd: connection.descriptor, events: Self.closedByPeer, revents: 0))
                }
                guard !polled.isEmpty, poll(&polled, nfds_t(polled.count), 0) > 0 else { return overdue }
                for (stream, result) in zip(streams, polled) where result.revents != 0 { stream.abandon() }
                return overdue
            }
        }

        /// Linux's POLLRDHUP, which Swift's module of the C library lacks.
        private static let closedByPeer: Int16 = 0x2000
    }
#endif
