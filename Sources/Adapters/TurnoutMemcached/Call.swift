#if Memcached
    import Dispatch
    import TurnoutClient

    /// A call on its way through a ``ConnectionPool``: who made it waits for its end, or until its time is up.
    final class Call: Sendable {
        private let deadline: ContinuousClock.Instant
        private let body: @Sendable (ServerConnections, Call) -> Void
        private let ended = DispatchSemaphore(value: 0)
        private let asked = Locked<(number: Int, since: ContinuousClock.Instant)?>(nil)

        init(within limit: Duration, _ body: @escaping @Sendable (ServerConnections, Call) -> Void) {
            deadline = .now + limit
            self.body = body
        }

        /// Whether its time is up, so that nothing more should be begun.
        var isOver: Bool { deadline <= .now }

        /// The server that is asked now, or was last; nil: none yet.
        var server: (number: Int, silence: Duration)? {
            asked.withLock { $0.map { ($0.number, $0.since.duration(to: .now)) } }
        }

        /// Notes which server is asked now.
        func asks(_ server: Int) { asked.withLock { $0 = (server, .now) } }

        /// Does the work, unless its time is up.
        func run(_ connections: ServerConnections) {
            if !isOver { body(connections, self) }
            ended.signal()
        }

        /// Waits for the end, or until the time is up; nothing more is begun then.
        func wait() {
            let limit = ContinuousClock.now.duration(to: deadline)
            _ = ended.wait(timeout: .now() + .nanoseconds(limit.wholeNanoseconds))
        }
    }
#endif
