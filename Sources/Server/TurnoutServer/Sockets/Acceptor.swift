import LibC
import TurnoutClient

/// The thread that accepts connections.
final class Acceptor: Sendable {
    private let connections: ConnectionCount
    private let socket: ListeningSocket
    private let service: ListenerService
    private let workers: [Worker]
    private let context: Locked<TLSContext?>
    /// Connections have lower descriptors.
    private let endOfDescriptors: Int32
    private let epoll: Epoll
    private let ended = OneShot<Void>()

    init(
        _ socket: ListeningSocket, _ connections: ConnectionCount, _ service: ListenerService, _ workers: [Worker],
        _ context: TLSContext?, endOfDescriptors: Int32
    ) throws(ListenerError) {
        (self.socket, self.connections, self.service, self.workers) = (socket, connections, service, workers)
        self.context = Locked(context)
        self.endOfDescriptors = endOfDescriptors
        epoll = try Epoll()
    }

    func start() { WorkThread.run { self.run() } }

    /// Uses other settings of TLS for new connections.
    func use(_ context: TLSContext) { self.context.withLock { $0 = context } }

    /// Refuses further connections, and ends the thread. Blocks until it has ended.
    func stop() {
        socket.end()
        epoll.wake()
        ended.blockingValue()
    }

    private func run() {
        var (isNew, isFull) = (true, false)
        while !service.isDraining {
            epoll.watch(socket.descriptor, 1, isNew: isNew, reads: !isFull, writes: false, halfClosing: false)
            // Descriptors may become free at any time.
            _ = epoll.wait(isFull ? 100 : -1)
            (isNew, isFull) = (false, !isFull && !acceptAll())
        }
        ended.end(())
    }

    /// Accepts the connections that wait. Returns false if the process has no more file descriptors, or memory.
    private func acceptAll() -> Bool {
        while !service.isDraining {
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
        return true
    }

    private func add(_ descriptor: Int32, _ address: sockaddr_storage, _ size: socklen_t) {
        let address = Self.text(address, size)
        guard descriptor < endOfDescriptors, connections.add(address) else {
            service.count(\.refusedConnections)
            close(descriptor)
            return
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // The parts of a response must not wait for each other.
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        let worker = workers[Int(descriptor) % workers.count]
        worker.post(.connection(descriptor, address, context.withLock { $0 }))
    }

    /// An address in its usual form.
    static func text(_ address: sockaddr_storage, _ size: socklen_t) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
            let code = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getnameinfo($0, size, buffer.baseAddress, socklen_t(buffer.count), nil, 0, Int32(NI_NUMERICHOST))
                }
            }
            guard code == 0, let start = buffer.baseAddress else { return "" }
            let text = String(cString: start)
            // IPv4 on a socket for both.
            return text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text
        }
    }
}
