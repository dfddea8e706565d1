#if Redis
    import TurnoutClient

    extension Connection {
        /// Connects. Nobody can interrupt the system while it looks up a name, so that is one of `lookups`, on another
        /// thread; a connection that comes too late is closed.
        static func open(
            to address: RedisAddress, until deadline: ContinuousClock.Instant, _ lookups: BoundedCalls
        ) throws(RedisError) -> Connection {
            guard address.isName else { return try Connection(to: address, until: deadline) }
            let outcome: Result<Connection, RedisError>
            do throws(BoundedCalls.Failure) {
                outcome = try lookups.outcome(within: ContinuousClock.now.duration(to: deadline)) {
                    Result { () throws(RedisError) in try Connection(to: address, until: deadline) }
                }
            } catch {
                switch error {
                case .late: throw .late
                case .stuck: throw .broken("the system still looks up the host's name for earlier calls")
                }
            }
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
