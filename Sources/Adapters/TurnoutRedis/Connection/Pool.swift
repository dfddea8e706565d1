#if Redis
    import Dispatch
    import TurnoutClient

    /// The connections to one server: a bounded number, made when they are needed, kept while they work.
    final class Pool: Sendable {
        private struct Idle {
            let connection: Connection
            let since: ContinuousClock.Instant
        }

        private struct State {
            /// The one that was used last is used first, so that those nobody needs grow old.
            var idle: [Idle] = []
            /// Opens after 50 ms · 2ⁿ, at most some seconds.
            var gate = OutageGate(Backoff(first: .milliseconds(50), longest: .seconds(5), random: .system))
            /// What the server, or the way to it, failed with.
            var failure: RedisError?
        }

        /// After so long without use a connection must show that it works: on the way, devices forget silent ones.
        private static let longestSilence = Duration.seconds(30)

        /// Which server it is.
        let address: RedisAddress
        private let options: RedisOptions
        private let state = Locked(State())
        private let free = DispatchSemaphore(value: 0)
        private let lookups: BoundedCalls

        /// Connects to nobody yet.
        init(_ address: RedisAddress, _ options: RedisOptions) {
            self.address = address
            self.options = options
            lookups = BoundedCalls(limit: options.maximumConnections)
            // Dispatch wants semaphores to end with no less than they began with.
            for _ in 0..<options.maximumConnections { free.signal() }
        }

        /// Calls `body` with a connection that seems to work; again, with a new one, if it was dead nevertheless.
        ///
        /// - Throws: What `body` throws, or that there is no connection in time, or that none may be tried yet.
        func perform<Result: Sendable>(
            until deadline: ContinuousClock.Instant, isAsking: Bool = false,
            _ body: (Session) throws(RedisError) -> Result
        ) throws(RedisError) -> Result {
            do throws(RedisError) {
                try wait(until: deadline)
                defer { free.signal() }
                let start = ContinuousClock.now
                try pass(at: start, until: deadline)
                do throws(RedisError) {
                    return try attempt(until: deadline, isAsking, body)
                } catch {
                    if error.breaksConnection { note(error, begunAt: start) }
                    throw error
                }
            } catch {
                throw error.at(address)
            }
        }

        /// Waits until there may be another connection, unless the server is left alone anyway.
        private func wait(until deadline: ContinuousClock.Instant) throws(RedisError) {
            if let failure = state.withLock({ $0.gate.isOpen(at: .now) ? nil : $0.failure }) {
                throw leftAlone(failure)
            }
            let left = max(.zero, ContinuousClock.now.duration(to: deadline))
            guard free.wait(timeout: .now() + .nanoseconds(left.wholeNanoseconds)) == .success else {
                throw RedisError(.deadlineExceeded, "all connections were in use all the time")
            }
        }

        /// Asks whether the server may be tried now: it may have failed while this call waited.
        private func pass(at now: ContinuousClock.Instant, until deadline: ContinuousClock.Instant) throws(RedisError) {
            let failure = state.withLock { $0.gate.admits(at: now, until: deadline) ? nil : $0.failure }
            if let failure { throw leftAlone(failure) }
        }

        private func leftAlone(_ failure: RedisError) -> RedisError {
            let code = failure.code == .deadlineExceeded ? .unreachable : failure.code
            return RedisError(code, "left alone for now, because a moment ago: \(failure.message)")
        }

        private func attempt<Result: Sendable>(
            until deadline: ContinuousClock.Instant, _ isAsking: Bool, _ body: (Session) throws(RedisError) -> Result
        ) throws(RedisError) -> Result {
            if let idle = state.withLock({ $0.idle.popLast() }), isAlive(idle, until: deadline) {
                do throws(RedisError) {
                    return try use(idle.connection, until: deadline, isAsking, body)
                } catch {
                    // All that is done on connections may be done twice. Who waited in vain has no time for that.
                    guard error.breaksConnection, error.code != .deadlineExceeded else { throw error }
                }
            }
            return try use(open(until: deadline), until: deadline, isAsking, body)
        }

        private func isAlive(_ idle: Idle, until deadline: ContinuousClock.Instant) -> Bool {
            guard !idle.connection.hasUnexpectedInput else { return false }
            let now = ContinuousClock.now
            guard idle.since.duration(to: now) >= Self.longestSilence else { return true }
            let limit = min(deadline, now.advanced(by: options.connectTimeout))
            let session = Session(connection: idle.connection, deadline: limit, isAsking: false)
            return (try? session.replies(to: [Command("PING")])) == [.text("PONG")]
        }

        private func open(until deadline: ContinuousClock.Instant) throws(RedisError) -> Connection {
            let limit = min(deadline, ContinuousClock.now.advanced(by: options.connectTimeout))
            let connection = try Connection.open(to: address, until: limit, lookups)
            try connection.introduce(options, until: limit)
            return connection
        }

        private func use<Result: Sendable>(
            _ connection: Connection, until deadline: ContinuousClock.Instant, _ isAsking: Bool,
            _ body: (Session) throws(RedisError) -> Result
        ) throws(RedisError) -> Result {
            do throws(RedisError) {
                let result = try body(Session(connection: connection, deadline: deadline, isAsking: isAsking))
                keep(connection)
                return result
            } catch {
                if error.breaksConnection { closeIdle() } else { keep(connection) }
                throw error
            }
        }

        private func note(_ failure: RedisError, begunAt start: ContinuousClock.Instant) {
            state.withLock { state in
                state.failure = failure
                state.gate.failed(at: .now, begunAt: start)
            }
        }

        private func keep(_ connection: Connection) {
            state.withLock { state in
                state.idle.append(Idle(connection: connection, since: .now))
                state.gate.worked()
            }
        }

        /// Closes the connections that nobody uses: if one is dead, most likely the others are, too.
        private func closeIdle() {
            _ = state.withLock { state in
                defer { state.idle.removeAll() }
                return state.idle
            }
        }
    }
#endif
