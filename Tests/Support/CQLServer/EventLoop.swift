import Dispatch
import TurnoutClient

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

/// The thread of a server: waits for its sockets, and answers.
final class EventLoop {
    /// What other threads ask for.
    enum Command: Sendable {
        /// Closes the listener and the connections of a node.
        case takeDown(Int)
        /// Listens again.
        case bringUp(Int)
        /// Closes everything and ends the thread.
        case stop
    }

    /// A command whose sender waits.
    struct Call: Sendable {
        let command: Command
        let done: DispatchSemaphore
    }

    private let shared: CQLServer.Shared
    /// By node; nil: it is down.
    private var listeners: [Int32?]
    private var connections: [Connection] = []
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    private var isStopped = false

    init(_ shared: CQLServer.Shared, listeners: [Int32]) {
        self.shared = shared
        self.listeners = listeners
    }

    deinit { scratch.deallocate() }

    static var time: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    func run() {
        while !isStopped {
            // The pipe, the listeners, and the connections, in this order.
            let paused = shared.state.withLock { $0.ring.nodes.map(\.isPaused) }
            var polls = [pollfd(fd: shared.wakeReader, events: Int16(POLLIN), revents: 0)]
            for (node, listener) in listeners.enumerated() {
                polls.append(pollfd(fd: paused[node] ? -1 : listener ?? -1, events: Int16(POLLIN), revents: 0))
            }
            let first = polls.count
            for connection in connections {
                let isReading = connection.wantsToRead && !paused[connection.session.node]
                let events = (isReading ? POLLIN : 0) | (connection.wantsToWrite ? POLLOUT : 0)
                polls.append(pollfd(fd: connection.socket, events: Int16(events), revents: 0))
            }
            _ = poll(&polls, nfds_t(polls.count), timeout)
            if polls[0].revents != 0 { obey() }
            for node in listeners.indices where polls[node + 1].revents != 0 { accept(node) }
            // Commands may have removed connections: by socket, not by index.
            let ready = polls[first...].filter { $0.revents != 0 }.map(\.fd)
            serve(Set(ready), paused)
        }
        connections = []
        for case let listener? in listeners { close(listener) }
    }

    private var timeout: Int32 {
        guard let due = connections.compactMap(\.nextDue).min() else { return -1 }
        let time = Self.time
        return due <= time ? 0 : Int32((due - time + 999_999) / 1_000_000)
    }

    private func serve(_ ready: Set<Int32>, _ paused: [Bool]) {
        let time = Self.time
        for connection in connections {
            if ready.contains(connection.socket), !paused[connection.session.node] {
                connection.read(scratch, shared, at: time)
            }
            if !paused[connection.session.node] { connection.release(at: time) }
        }
        let events = shared.state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
        for connection in connections {
            for event in events { connection.send(event) }
            if connection.wantsToWrite { connection.write() }
        }
        connections.removeAll(where: \.hasEnded)
    }

    private func accept(_ node: Int) {
        guard let listener = listeners[node] else { return }
        while let socket = Sockets.accept(listener) {
            connections.append(Connection(socket, node: node))
            shared.state.withLock { $0.counts[node].connections += 1 }
        }
    }

    private func obey() {
        for call in shared.takeCalls() {
            switch call.command {
            case .takeDown(let node):
                if let listener = listeners[node] { close(listener) }
                listeners[node] = nil
                connections.removeAll { $0.session.node == node }
            case .bringUp(let node):
                let (address, port) = shared.state.withLock { ($0.ring[node].address, $0.port) }
                if listeners[node] == nil {
                    listeners[node] = try? Sockets.listen(on: address, port: port).socket
                }
            case .stop: isStopped = true
            }
            call.done.signal()
        }
    }
}
