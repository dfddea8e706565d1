#if Server
    import TurnoutClient
    import TurnoutServer

    #if canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// The threads that serve connections. If the certificate changes, others take over, because the library reads it
    /// only when a thread starts.
    final class DaemonPool: Sendable {
        private struct State {
            var certificate: Certificate?
            var current: [Daemon]
            /// Serve the connections that they have, and then end.
            var retired: [Daemon] = []
        }

        private let files: CertificateFiles?
        private let threads: Int
        private let connections: ConnectionTable
        private let state: Locked<State>

        /// Prepares the threads.
        ///
        /// - Throws: ``ListenerError`` if the certificate cannot be used.
        init(threads: Int, certificate files: CertificateFiles?, _ connections: ConnectionTable) throws(ListenerError) {
            (self.files, self.threads, self.connections) = (files, threads, connections)
            let certificate = try files?.read()
            let daemons = try Self.daemons(threads, certificate, connections)
            state = Locked(State(certificate: certificate, current: daemons))
        }

        private static func daemons(
            _ count: Int, _ certificate: Certificate?, _ connections: ConnectionTable
        ) throws(ListenerError) -> [Daemon] {
            var daemons: [Daemon] = []
            for _ in 0..<count { daemons.append(try Daemon(certificate: certificate, connections: connections)) }
            return daemons
        }

        /// Starts the threads.
        func start() { for daemon in state.withLock({ $0.current }) { daemon.start() } }

        /// Hands a connection to a thread, which closes its socket.
        func add(_ connection: HTTPConnection, _ address: sockaddr_storage, _ size: socklen_t) {
            // While it is locked, so that no retired thread gets a connection.
            state.withLock { state in
                state.current[Int(connection.descriptor) % state.current.count].add(connection, address, size)
            }
        }

        /// Reads the certificate again, and uses it for new connections.
        ///
        /// - Returns: Whether it has changed.
        /// - Throws: ``ListenerError`` if the new one cannot be used; then the earlier one stays in use.
        func reloadCertificate() throws(ListenerError) -> Bool {
            guard let certificate = try files?.read(), state.withLock({ $0.certificate }) != certificate else {
                return false
            }
            let daemons = try Self.daemons(threads, certificate, connections)
            for daemon in daemons { daemon.start() }
            let retired = state.withLock { state in
                let retired = state.current
                state.retired.removeAll { $0.hasEnded }
                state.retired += retired
                (state.certificate, state.current) = (certificate, daemons)
                return retired
            }
            for daemon in retired { daemon.retire() }
            return true
        }

        /// Closes all connections and ends the threads. No connection may be suspended. Blocks.
        func stop() { for daemon in state.withLock({ $0.retired + $0.current }) { daemon.stop() } }
    }
#endif
