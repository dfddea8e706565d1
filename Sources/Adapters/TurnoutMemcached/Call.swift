#if Memcached
    import Dispatch
    import TurnoutClient

    /// A call on its way through a ``ConnectionPool``: who made it waits for its end, or until its time is up.
    final class Call: Sendable {
        private struct State {
            var server: Int?
            var isAbandoned = false
        }

        private let deadline: ContinuousClock.Instant
        private let body: @Sendable (ServerConnections, Call) -> Void
        private let ended = DispatchSemaphore(value: 0)
        private let state = Locked(State())

        init(within limit: Duration, _ body: @escaping @Sendable (ServerConnections, Call) -> Void) {
            deadline = .now + limit
            self.body = body
        }

        /// Whether nobody waits any more, so that nothing should be begun.
        var isOver: Bool { state.withLock { $0.isAbandoned } || deadline <= .now }

        /// Notes which server is asked now.
        func asks(_ server: Int) { state.withLock { $0.server = server } }

        /// Does the work, unless its time is up.
        func run(_ connections: ServerConnections) {
            if !isOver { body(connections, self) }
            ended.signal()
        }

        /// Waits for the end. Nil: in time; otherwise the last server that was asked, if one was.
        func wait() -> (server: Int?, Void)? {
            let limit = ContinuousClock.now.duration(to: deadline)
            guard ended.wait(timeout: .now() + .nanoseconds(limit.wholeNanoseconds)) == .timedOut else { return nil }
            return state.withLock { state in
                state.isAbandoned = true
                return (state.server, ())
            }
        }
    }
#endif
