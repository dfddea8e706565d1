import Dispatch
import LibC
import TurnoutClient

/// A thread that reads requests and writes responses of the connections that it was given.
final class Worker: Sendable {
    /// What other threads tell the worker.
    enum Message: Sendable {
        case connection(Int32, String, TLSContext?)
        /// The response for a connection was made.
        case response(UInt64, ServerResponse)
        /// The stream of a connection has more, or has ended.
        case streamChanged(UInt64)
        /// Connections without requests are to be closed, and streams to end.
        case drain
        /// All connections are to be closed.
        case stop
    }

    private let service: ListenerService
    private let connections: ConnectionCount
    private let epoll: Epoll
    private let messages = Locked<[Message]>([])
    private let ended = OneShot<Void>()

    /// Prepares a thread.
    ///
    /// - Throws: ``ListenerError`` if the process may open no more files.
    init(_ service: ListenerService, _ connections: ConnectionCount) throws(ListenerError) {
        (self.service, self.connections, epoll) = (service, connections, try Epoll())
    }

    func start() { WorkThread.run { self.run() } }

    func post(_ message: Message) {
        let isFirst = messages.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        if isFirst { epoll.wake() }
    }

    /// Closes all connections, and ends the thread. Blocks.
    func stop() {
        post(.stop)
        ended.blockingValue()
    }

    // MARK: The thread

    private func run() {
        let thread = WorkerThread(self, service, connections, epoll)
        var isStopped = false
        while !isStopped {
            let ready = epoll.wait(thread.pause)
            thread.advance()
            for socket in ready { thread.handle(socket) }
            for message in takeMessages() { isStopped = !thread.handle(message) || isStopped }
            thread.sweep()
        }
        thread.closeAll()
        ended.end(())
    }

    private func takeMessages() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

/// The connections of a worker, and what they share. Used on its thread.
final class WorkerThread {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    /// Milliseconds of the system's clock.
    private(set) var now: Int64 = 0
    private(set) var date = ""
    private var second = time_t(0)

    private let worker: Worker
    private let service: ListenerService
    private let count: ConnectionCount
    private let epoll: Epoll
    private var connections: [UInt64: HTTPConnection] = [:]
    private var lastNumber: UInt64 = 0
    /// When a connection may be past its deadline, but not earlier than some time after the last sweep.
    private var (nextSweep, earliestSweep) = (Int64.max, Int64(0))

    init(_ worker: Worker, _ service: ListenerService, _ count: ConnectionCount, _ epoll: Epoll) {
        (self.worker, self.service, self.count, self.epoll) = (worker, service, count, epoll)
        advance()
    }

    deinit { buffer.deallocate() }

    /// How long to wait for a socket or a message, in milliseconds; negative for no limit.
    var pause: Int32 { nextSweep == .max ? -1 : Int32(clamping: max(0, nextSweep - now)) }

    func advance() {
        now = Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000)
        let second = time(nil)
        guard second != self.second else { return }
        (self.second, date) = (second, HTTPDate.text(Int64(second)))
    }

    /// Continues with a connection whose socket is ready.
    func handle(_ ready: ReadySocket) { update(ready.number) { $0.handle(ready) } }

    /// Does what another thread wants. Returns false if the thread is to end.
    func handle(_ message: Worker.Message) -> Bool {
        switch message {
        case .connection(let descriptor, let address, let context):
            lastNumber += 1
            connections[lastNumber] = HTTPConnection(lastNumber, descriptor, address, context, worker, service, self)
            update(lastNumber) { _ in }
        case .response(let number, let response): update(number) { $0.finish(response) }
        case .streamChanged(let number): update(number) { $0.continueStream() }
        case .drain: for number in connections.keys { update(number) { $0.drain() } }
        case .stop: return false
        }
        return true
    }

    /// Closes the connections that are past their deadlines.
    func sweep() {
        guard now >= nextSweep else { return }
        (nextSweep, earliestSweep) = (.max, now + service.interval)
        var overdue = 0
        for number in connections.keys { update(number) { if $0.closeIfOverdue() { overdue += 1 } } }
        if overdue > 0 { service.count(\.timedOutRequests, by: overdue) }
    }

    func closeAll() { for number in connections.keys { update(number) { $0.close() } } }

    /// Changes a connection. Then forgets it if it is closed, or tells the system what it waits for.
    private func update(_ number: UInt64, _ body: (HTTPConnection) -> Void) {
        guard let connection = connections[number] else { return }
        body(connection)
        guard connection.isClosed else {
            nextSweep = min(nextSweep, max(earliestSweep, connection.end))
            return connection.watch(epoll)
        }
        connections[number] = nil
        count.remove(connection.remoteAddress)
    }
}
