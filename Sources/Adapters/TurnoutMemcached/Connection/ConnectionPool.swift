#if Memcached
    import TurnoutClient

    /// Makes calls on threads of their own, a few at a time, each with connections that no other has meanwhile.
    ///
    /// A call could run on the thread that makes it, but then nothing would bound it: libmemcached measures each of its
    /// waits, not their sum, and looks up names of hosts for as long as that takes. Going to another thread and back
    /// costs less than one way through the network.
    final class ConnectionPool: Sendable {
        /// Connections that nobody uses now.
        private struct Idle {
            let connections: SharedConnections
            let since: ContinuousClock.Instant
        }

        /// Connections that one call after the other is given, on different threads.
        private final class SharedConnections: Sendable {
            let content: Locked<ServerConnections>
            init(_ options: MemcachedOptions, _ health: ServerHealth) {
                content = Locked(ServerConnections(options, health))
            }
        }

        /// After so long without use connections are closed: on the way, devices forget silent ones.
        private static let longestSilence = Duration.seconds(60)

        private let options: MemcachedOptions
        private let health: ServerHealth
        private let calls: BoundedCalls
        /// Those that were used last are used first, so that those nobody needs grow old.
        private let idle = Locked<[Idle]>([])

        init(_ options: MemcachedOptions, log: any Log) {
            self.options = options
            health = ServerHealth(options, log: log)
            calls = BoundedCalls(limit: options.maximumConnections)
        }

        /// Does some work with connections, within the time for a call.
        func perform<Value: Sendable>(
            _ body: @escaping @Sendable (ServerConnections, Call) throws(MemcachedError) -> Value
        ) throws(MemcachedError) -> Value {
            let call = Call(within: options.timeout)
            let outcome: Result<Value, MemcachedError>
            do throws(BoundedCalls.Failure) {
                outcome = try calls.outcome(within: options.timeout) { [self] in
                    Result { () throws(MemcachedError) in try run(call, body) }
                }
            } catch {
                throw failure(of: call, error)
            }
            return try outcome.get()
        }

        private func run<Value: Sendable>(
            _ call: Call, _ body: (ServerConnections, Call) throws(MemcachedError) -> Value
        ) throws(MemcachedError) -> Value {
            let connections = takeIdle() ?? SharedConnections(options, health)
            defer { idle.withLock { $0.append(Idle(connections: connections, since: .now)) } }
            return try connections.content.withLock { (content) throws(MemcachedError) in try body(content, call) }
        }

        private func takeIdle() -> SharedConnections? {
            let (last, old): (Idle?, [Idle]) = idle.withLock { idle in
                let limit = ContinuousClock.now - Self.longestSilence
                let isCurrent = idle.firstIndex { $0.since > limit } ?? idle.endIndex
                let old = Array(idle[..<isCurrent])
                idle.removeFirst(isCurrent)
                return (idle.popLast(), old)
            }
            // Outside the lock, because the end of a connection may take a moment.
            _ = old
            return last?.connections
        }

        /// Why a call brought nothing.
        private func failure(of call: Call, _ failure: BoundedCalls.Failure) -> MemcachedError {
            guard failure == .late else {
                return MemcachedError(.overloaded, "all connections hang, or too many calls wait for one")
            }
            guard let question = call.lastQuestion else {
                return MemcachedError(.deadlineExceeded, "all connections were in use all the time")
            }
            let server = options.servers[question.server]
            let error = MemcachedError(.deadlineExceeded, "no complete answer in time", server: server)
            // It may have been asked just now, after the call waited for its turn.
            if question.begunAt.duration(to: .now) >= options.answerTimeout {
                health.failed(question.server, error, begunAt: question.begunAt)
            }
            return error
        }
    }
#endif
