#if Server
    import Synchronization
    import TurnoutClient
    import TurnoutServer

    #if canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// The thread that accepts connections, and ends those that are past their deadlines.
    final class Acceptor: Sendable {
        private enum Phase: Int, AtomicRepresentable { case accepting, sweeping, stopping }

        private let connections: ConnectionTable
        private let socket: ListeningSocket
        private let service: ListenerService
        private let daemons: DaemonPool
        private let phase = Atomic<Phase>(.accepting)
        private let ended = OneShot<Void>()

        init(
            _ socket: ListeningSocket, _ connections: ConnectionTable, _ service: ListenerService,
            _ daemons: DaemonPool
        ) {
            self.socket = socket
            self.connections = connections
            self.service = service
            self.daemons = daemons
        }

        /// Starts the thread.
        func start() { WorkThread.run { self.run() } }

        /// Refuses further connections.
        func stopAccepting() {
            phase.store(.sweeping, ordering: .relaxed)
            socket.end()
        }

        /// Ends the thread. Blocks until it has ended.
        func stop() {
            phase.store(.stopping, ordering: .relaxed)
            ended.blockingValue()
        }

        /// How often deadlines are checked.
        private static let interval: Int32 = 100

        private func run() {
            var isFull = false
            var nextSweep: Int64 = 0
            while true {
                let phase = phase.load(ordering: .relaxed)
                guard phase != .stopping else { break }
                let isAccepting = phase == .accepting && !isFull
                var waited = pollfd(fd: isAccepting ? socket.descriptor : -1, events: Int16(POLLIN), revents: 0)
                poll(&waited, 1, phase == .sweeping ? 10 : Self.interval)
                let now = service.advance()
                isFull = isAccepting && waited.revents & Int16(POLLIN) != 0 && !acceptAll()
                guard now >= nextSweep else { continue }
                nextSweep = now + Int64(Self.interval)
                service.count(\.timedOutRequests, by: connections.sweep(at: now))
            }
            ended.end(())
        }

        /// Accepts the connections that wait. Returns false if the process has no more file descriptors, or memory.
        private func acceptAll() -> Bool {
            while true {
                var address = sockaddr_storage()
                var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
                let descriptor = withUnsafeMutablePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { accept(socket.descriptor, $0, &size) }
                }
                guard descriptor < 0 else {
                    add(descriptor, address, size)
                    continue
                }
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return false
                default: return true
                }
            }
        }

        private func add(_ descriptor: Int32, _ address: sockaddr_storage, _ size: socklen_t) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let connection = HTTPConnection(descriptor, remoteAddress: Self.text(address, size), service)
            guard connections.add(connection) else {
                service.count(\.refusedConnections)
                close(descriptor)
                return
            }
            daemons.add(connection, address, size)
        }

        /// An address in its usual form.
        private static func text(_ address: sockaddr_storage, _ size: socklen_t) -> String {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
                let code = withUnsafePointer(to: address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        getnameinfo(
                            $0, size, buffer.baseAddress, socklen_t(buffer.count), nil, 0, Int32(NI_NUMERICHOST))
                    }
                }
                guard code == 0, let start = buffer.baseAddress else { return "" }
                let text = String(cString: start)
                // IPv4 on a socket for both.
                return text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text
            }
        }
    }
#endif
