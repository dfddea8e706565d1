#if Redis
    import TurnoutClient

    /// What is known of a cluster, and the connections to its servers.
    final class Topology: Sendable {
        private struct State {
            var slots = SlotMap()
            var pools: [RedisAddress: Pool] = [:]
            /// How often something was seen to have changed, at first that nothing is known.
            var doubts = 1
            /// How many of them the last answer settled.
            var settledDoubts = 0
            var isAsking = false
            /// Why there is no cluster; nil: there is one, as far as is known.
            var refusal: RedisError?
            var askedAt: ContinuousClock.Instant?
        }

        private let seeds: [RedisAddress]
        private let options: RedisOptions
        private let state = Locked(State())
        /// While a cluster has no new master for an old one, asking more often would not help.
        private static let leastPause = Duration.milliseconds(100)

        init(_ seeds: [RedisAddress], _ options: RedisOptions) {
            self.seeds = seeds
            self.options = options
        }

        /// The connections to a server.
        func pool(_ address: RedisAddress) -> Pool {
            state.withLock { state in
                let pool = state.pools[address] ?? Pool(address, options)
                state.pools[address] = pool
                return pool
            }
        }

        /// The server that has a slot, or another one, which will know.
        func owner(of slot: Int) -> RedisAddress {
            let owner = state.withLock { $0.slots.owner(of: slot) }
            return owner ?? seeds.randomElement() ?? seeds[0]
        }

        /// The servers that have slots; nil: some slots have none, as far as is known.
        var masters: Set<RedisAddress>? {
            let masters = state.withLock { $0.slots.masters }
            return masters.areComplete ? masters.servers : nil
        }

        /// Notes that a slot has moved. The others that may have moved with it are asked for soon.
        func move(_ slot: Int, to server: RedisAddress) {
            state.withLock { state in
                state.slots.move(slot, to: server)
                state.doubts += 1
            }
        }

        /// Notes that something has changed.
        func distrust() { state.withLock { $0.doubts += 1 } }

        /// Asks who has which slot, if that may have changed. Nobody waits for another thread that asks.
        ///
        /// - Throws: That there is no cluster. Servers that do not know of each other would each get some of the calls.
        func refreshIfStale(until deadline: ContinuousClock.Instant) throws(RedisError) {
            refresh(until: deadline)
            if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        }

        private func refresh(until deadline: ContinuousClock.Instant) {
            let now = ContinuousClock.now
            let asked: (everybody: Set<RedisAddress>, doubts: Int)? = state.withLock { state in
                guard state.doubts > state.settledDoubts, !state.isAsking,
                    state.askedAt.map({ $0.advanced(by: Self.leastPause) < now }) ?? true
                else { return nil }
                state.isAsking = true
                return (state.slots.everybody, state.doubts)
            }
            guard let (everybody, doubts) = asked else { return }
            let (slots, refusal) = ask(
                everybody.shuffled() + seeds.shuffled().filter { !everybody.contains($0) }, until: deadline)
            state.withLock { state in
                state.isAsking = false
                state.askedAt = .now
                state.refusal = slots == nil && everybody.isEmpty ? refusal : nil
                guard let slots else { return }
                state.slots = slots
                // What was seen since the question may be news to who answered.
                state.settledDoubts = doubts
                state.pools = state.pools.filter { slots.everybody.contains($0.key) || seeds.contains($0.key) }
            }
        }

        /// What the first says that knows, or why one of them never will.
        private func ask(
            _ servers: [RedisAddress], until deadline: ContinuousClock.Instant
        ) -> (SlotMap?, refusal: RedisError?) {
            var refusal: RedisError?
            for server in servers {
                let limit = min(deadline, ContinuousClock.now.advanced(by: options.connectTimeout))
                do throws(RedisError) {
                    let replies = try pool(server).perform(until: limit) { (session) throws(RedisError) in
                        try session.answers(to: [Command("CLUSTER", "SLOTS")])
                    }
                    if let reply = replies.first, let slots = SlotMap(reply, from: server), !slots.everybody.isEmpty {
                        return (slots, nil)
                    }
                } catch {
                    if error.code == .badOptions { refusal = error.at(server) }
                }
                if ContinuousClock.now >= deadline { break }
            }
            return (nil, refusal)
        }
    }
#endif
