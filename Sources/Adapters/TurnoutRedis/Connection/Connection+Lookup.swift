#if Redis
    import Dispatch
    import TurnoutClient

    extension Connection {
        private final class Attempt: Sendable {
            let outcome = Locked<Result<Connection, RedisError>?>(nil)
            let isOver = DispatchSemaphore(value: 0)
        }

        /// Connects. Nobody can interrupt the system while it looks up a name, so that is done on another thread; a
        /// connection that comes too late is closed.
        static func open(
            to address: RedisAddress, until deadline: ContinuousClock.Instant
        ) throws(RedisError) -> Connection {
            guard address.isName else { return try Connection(to: address, until: deadline) }
            let attempt = Attempt()
            // Whoever waits for it may stand on one of the threads that others share.
            BlockingCall.startUnbounded {
                let outcome = Result { () throws(RedisError) in try Connection(to: address, until: deadline) }
                attempt.outcome.withLock { $0 = outcome }
                attempt.isOver.signal()
            }
            let left = max(.zero, ContinuousClock.now.duration(to: deadline))
            guard attempt.isOver.wait(timeout: .now() + .nanoseconds(left.wholeNanoseconds)) == .success,
                let outcome = attempt.outcome.withLock({ $0 })
            else { throw .late }
            return try outcome.get()
        }
    }

    extension RedisAddress {
        /// Whether a name has to be looked up.
        fileprivate var isName: Bool {
            guard case .host(let host, _) = self else { return false }
            return !host.contains(":") && host.contains { !$0.isNumber && $0 != "." }
        }
    }
#endif
