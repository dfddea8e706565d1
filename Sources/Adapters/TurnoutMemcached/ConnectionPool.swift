#if Memcached
    import Dispatch
    import TurnoutClient

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// Runs calls on a few threads of their own, each with its own connections.
    ///
    /// A call could run on the thread that makes it, but then nothing would bound it: libmemcached measures each of its
    /// waits, not their sum, and looks up names of hosts for as long as that takes. Going to another thread and back
    /// costs less than one way through the network.
    final class ConnectionPool: Sendable {
        private let options: MemcachedOptions
        private let health: ServerHealth
        private let queue: CallQueue

        init(_ options: MemcachedOptions, log: any Log) {
            self.options = options
            health = ServerHealth(options, log: log)
            queue = CallQueue(limit: options.maximumConnections)
        }

        deinit { queue.close() }

        /// Does some work with connections, within the deadline.
        func perform<Value: Sendable>(
            _ body: @escaping @Sendable (ServerConnections, Call) throws(MemcachedError) -> Value
        ) throws(MemcachedError) -> Value {
            let outcome = Locked<Result<Value, MemcachedError>?>(nil)
            let call = Call(within: options.deadline) { connections, call in
                let result = Result { () throws(MemcachedError) in try body(connections, call) }
                outcome.withLock { $0 = result }
            }
            if queue.add(call) { startThread() }
            call.wait()
            if let result = outcome.withLock({ $0 }) { return try result.get() }
            guard let server = call.server else {
                throw MemcachedError(.deadlineExceeded, "no connection was free in time")
            }
            let error = MemcachedError(.deadlineExceeded, "no answer in time", server: options.servers[server.number])
            // It may have been asked just now, after the call waited for a thread.
            if server.silence >= options.answerTimeout { health.failed(server.number, error) }
            throw error
        }

        private func startThread() {
            // Whoever waits for it may stand on one of the threads that others share; there are few of these.
            BlockingCall.startUnbounded { [options, health, queue] in
                // Who writes to a broken connection hears of it, but the process must not end.
                var (signals, before) = (sigset_t(), sigset_t())
                sigemptyset(&signals)
                sigaddset(&signals, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &signals, &before)
                let connections = ServerConnections(options, health)
                queue.serve { $0.run(connections) }
                pthread_sigmask(SIG_SETMASK, &before, nil)
            }
        }
    }

    /// The calls that wait for a thread, and how many threads there are.
    private final class CallQueue: Sendable {
        private struct State {
            var calls: [Call] = []
            var threads = 0
            var idle = 0
            var isClosed = false
        }

        /// How long a thread waits for a call before it ends, and its connections with it.
        private static let patience = DispatchTimeInterval.seconds(60)

        private let state = Locked(State())
        private let limit: Int
        private let added = DispatchSemaphore(value: 0)

        init(limit: Int) { self.limit = limit }

        /// Lets a call wait. Whether it needs another thread.
        func add(_ call: Call) -> Bool {
            let needsThread = state.withLock { state in
                state.calls.append(call)
                guard state.calls.count > state.idle, state.threads < limit else { return false }
                state.threads += 1
                state.idle += 1
                return true
            }
            added.signal()
            return needsThread
        }

        /// Does one call after the other, until there was none for a while, or there will be none.
        func serve(_ body: (Call) -> Void) {
            while let call = next() {
                body(call)
                state.withLock { $0.idle += 1 }
            }
        }

        private func next() -> Call? {
            while true {
                let isLate = added.wait(timeout: .now() + Self.patience) == .timedOut
                let (call, isOver) = state.withLock { state -> (Call?, Bool) in
                    guard !state.isClosed else { return (nil, true) }
                    // Unless there are as many calls as threads, whose signals are on their way.
                    if isLate, state.calls.count >= state.idle { return (nil, false) }
                    state.idle -= 1
                    if isLate { state.threads -= 1 }
                    return (isLate ? nil : state.calls.removeFirst(), isLate)
                }
                if isOver { return nil }
                if let call { return call }
            }
        }

        /// Lets all threads end.
        func close() {
            let threads = state.withLock { state in
                state.isClosed = true
                return state.threads
            }
            for _ in 0..<threads { added.signal() }
        }
    }
#endif
