import Dispatch
import LibC
import TurnoutClient

/// The thread of a server: waits for its sockets, and answers.
final class EventLoop {
    /// What other threads ask for.
    enum Command: Sendable {
        /// Closes the listener and the connections of a node.
        case takeDown(Int)
        /// Listens again.
        case bringUp(Int)
        /// Looks at the nodes that are paused.
        case look
        /// Closes everything and ends the thread.
        case stop
    }

    /// A command whose sender waits.
    struct Call: Sendable {
        let command: Command
        let done: DispatchSemaphore
    }

    /// A node's port. It stays bound while the node is down, so that no other socket takes it.
    private struct Listener {
        var socket: Int32
        var isOpen = true
    }

    private let shared: CQLServer.Shared
    private var listeners: [Listener]
    private var connections: [Connection] = []
    private let encryption: TLSContext?
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    private var isStopped = false

    init(_ shared: CQLServer.Shared, listeners: [Int32], _ encryption: sending TLSContext?) {
        self.shared = shared
        self.encryption = encryption
        self.listeners = listeners.map { Listener(socket: $0) }
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
            var paused = pausedNodes
            var polls = [pollfd(fd: shared.wakeReader, events: Int16(POLLIN), revents: 0)]
            for (node, listener) in listeners.enumerated() {
                let isPolled = listener.isOpen && !paused[node]
                polls.append(pollfd(fd: isPolled ? listener.socket : -1, events: Int16(POLLIN), revents: 0))
            }
            let first = polls.count
            for connection in connections {
                let isReading = connection.wantsToRead && !paused[connection.session.node]
                let events = (isReading ? POLLIN : 0) | (connection.wantsToWrite ? POLLOUT : 0)
                polls.append(pollfd(fd: events == 0 ? -1 : connection.socket, events: Int16(events), revents: 0))
            }
            _ = poll(&polls, nfds_t(polls.count), timeout(paused))
            if polls[0].revents != 0 {
                obey()
                paused = pausedNodes
            }
            for node in listeners.indices where polls[node + 1].revents != 0 && !paused[node] { accept(node) }
            // Commands may have removed connections: by socket, not by index.
            let ready = polls[first...].filter { $0.revents != 0 }.map(\.fd)
            serve(Set(ready), paused)
        }
        shared.endCalls()
    }

    private var pausedNodes: [Bool] { shared.state.withLock { $0.ring.nodes.map(\.isPaused) } }

    private func timeout(_ paused: [Bool]) -> Int32 {
        let answering = connections.filter { !paused[$0.session.node] }
        guard let due = answering.compactMap(\.nextDue).min() else { return -1 }
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
        guard listeners[node].isOpen else { return }
        while let socket = Sockets.accept(listeners[node].socket) {
            connections.append(Connection(socket, node: node, encryption))
            shared.state.withLock { $0.counts[node].connections += 1 }
        }
    }

    private func obey() {
        for call in shared.takeCalls() {
            switch call.command {
            case .takeDown(let node):
                connections.removeAll { $0.session.node == node }
                if listeners[node].isOpen { close(listeners[node].socket) }
                listeners[node] = Listener(socket: bind(node), isOpen: false)
            case .bringUp(let node):
                if listeners[node].socket < 0 { listeners[node].socket = bind(node) }
                listeners[node].isOpen = Sockets.open(listeners[node].socket)
            case .look: break
            case .stop:
                isStopped = true
                connections = []
                for listener in listeners { close(listener.socket) }
                listeners = []
            }
            call.done.signal()
        }
    }

    /// A socket with a node's port; -1 if there is none.
    private func bind(_ node: Int) -> Int32 {
        let (address, port) = shared.state.withLock { ($0.ring[node].address, $0.port) }
        return (try? Sockets.bind(to: address, port: port))?.socket ?? -1
    }
}
