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
