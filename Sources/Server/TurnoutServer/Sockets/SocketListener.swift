import LibC
import TurnoutClient

/// A listener over the system's sockets: HTTP/1.1 and 1.0, with TLS if it has a certificate.
///
/// Some threads, by default as many as there are processors, serve all connections, and call the handler. One more
/// accepts connections. For HTTP/2, and on the internet, put a reverse proxy before it.
package final class SocketListener: HTTPListener {
    private struct Running {
        let workers: [Worker]
        let acceptor: Acceptor
        let connections: ConnectionCount
        let service: ListenerService
        let shortage: String?

        var counts: ListenerCounts {
            var counts = service.counts
            counts.connections = connections.value
            return counts
        }
    }

    private enum State {
        case idle
        case running(Running)
        /// The handler is released, because it may refer to the listener.
        case stopped(ListenerCounts)
    }

    private let host: String
    private let port: UInt16
    private let certificate: CertificateFiles?
    private let limits: ListenerLimits
    private let threads: Int
    private let passed: ListeningSocket?
    private let state = Locked(State.idle)
    /// The certificate that new connections get.
    private let used = Locked<Certificate?>(nil)

    /// Creates a listener, which does not listen yet.
    ///
    /// - Parameters:
    ///   - host: The address to listen on, or a name that has one. Default: loopback, so that only this machine can
    ///     connect. For all addresses, use `0.0.0.0` or `::`.
    ///   - port: The port. Default: 0, a free one.
    ///   - certificate: The files for TLS. Default: none, so that connections are not encrypted.
    ///   - limits: The limits. Default: the standard ones.
    ///   - threads: The number of threads that serve connections. Default: nil, the number of processors.
    ///   - passed: The socket to listen on. Default: nil, one with the address and the port.
    package init(
        host: String = "127.0.0.1", port: UInt16 = 0, certificate: CertificateFiles? = nil,
        limits: ListenerLimits = ListenerLimits(), threads: Int? = nil, on passed: ListeningSocket? = nil
    ) {
        self.host = host
        self.port = port
        self.certificate = certificate
        self.limits = limits
        self.threads = max(1, threads ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        self.passed = passed
    }

    private var running: Running? {
        state.withLock { if case .running(let running) = $0 { running } else { nil } }
    }

    /// The numbers of connections and refused requests; zeros before the start.
    package var counts: ListenerCounts {
        switch state.withLock({ $0 }) {
        case .idle: ListenerCounts()
        case .running(let running): running.counts
        case .stopped(let counts): counts
        }
    }

    /// Starts to accept connections. Raises the process's limit of open files if the number of connections needs
    /// it.
    ///
    /// - Throws: ``ListenerError`` if the address or the certificate cannot be used, the process may not open
    ///   enough files, or the listener was started before.
    package func start(_ handler: any RequestHandler) throws -> UInt16 {
        guard case .idle = state.withLock({ $0 }) else { throw ListenerError("the listener was started before") }
        let socket = try passed ?? ListeningSocket(host: host, port: port)
        let files = FileLimit(forConnections: limits.connections)
        let service = ListenerService(handler, limits)
        let connections = ConnectionCount(limits)
        let read = try certificate?.read()
        // A thread needs two files.
        var workers: [Worker] = []
        let count = max(1, min(threads, files.count / 32))
        for _ in 0..<count { workers.append(try Worker(service, connections)) }
        guard let room = files.freeForConnections else {
            throw ListenerError("the process may open only \(files.count) files; allow it more (ulimit -n)")
        }
        let acceptor = try Acceptor(
            socket, connections, service, workers, try read.map(TLSContext.init),
            endOfDescriptors: files.endOfConnections)
        let running = Running(
            workers: workers, acceptor: acceptor, connections: connections, service: service,
            shortage: room < limits.connections || count < threads
                ? files.shortage(of: limits.connections, room, threads: threads, count) : nil)
        used.withLock { $0 = read }
        state.withLock { $0 = .running(running) }
        for worker in workers { worker.start() }
        acceptor.start()
        return socket.port
    }

    /// Why there are fewer threads or connections than configured; nil if there are enough.
    package var shortage: String? { running?.shortage }

    /// Reads the files for TLS again. New connections get the new certificate; earlier ones stay open.
    ///
    /// - Returns: Whether the certificate or its key has changed; false without TLS, and before the start.
    /// - Throws: ``ListenerError`` if the files cannot be used; then the earlier certificate stays in use.
    package func reloadCertificate() throws -> Bool {
        guard let running, let read = try certificate?.read(), used.withLock({ $0 }) != read else { return false }
        running.acceptor.use(try TLSContext(read))
        used.withLock { $0 = read }
        return true
    }

    package func stop(within limit: Duration) async {
        guard let running, running.service.startDraining() else { return }
        let (connections, deadline) = (running.connections, ContinuousClock.now + limit)
        await BlockingCall.value { running.acceptor.stop() }
        for worker in running.workers { worker.post(.drain) }
        while connections.value > 0, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(5))
        }
        await BlockingCall.value { for worker in running.workers { worker.stop() } }
        state.withLock { $0 = .stopped(running.counts) }
    }
}

/// Why a listener cannot start.
package struct ListenerError: Error, Sendable, CustomStringConvertible {
    /// The failure, its cause, and the remedy.
    package let description: String

    init(_ description: String) { self.description = description }
}
