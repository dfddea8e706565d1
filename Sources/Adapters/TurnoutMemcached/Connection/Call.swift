#if Memcached
    import TurnoutClient

    /// How far a call is, for who does the work and for who waits for it.
    final class Call: Sendable {
        /// A server that is asked, and since when.
        struct Question {
            let server: Int
            let begunAt: ContinuousClock.Instant
        }

        /// When its time is up.
        let deadline: ContinuousClock.Instant
        private let last = Locked<Question?>(nil)

        /// Begins, with so much time.
        init(within limit: Duration) { deadline = .now + limit }

        /// Whether its time is up, so that nothing more should be begun.
        var isOver: Bool { deadline <= .now }

        /// The server that is asked now, or was last; nil: none yet.
        var lastQuestion: Question? { last.withLock { $0 } }

        /// Notes which server is asked now.
        func asks(_ server: Int) -> Question {
            let question = Question(server: server, begunAt: .now)
            last.withLock { $0 = question }
            return question
        }
    }
#endif
