#if Redis
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// Servers that share the keys among them, by slots. Where a slot is not, the server tells where it is; so nothing
    /// but speed depends on what is known of them.
    struct Cluster: KeyRouting {
        /// Whom to ask next, and how.
        private struct Target: Hashable {
            var server: RedisAddress
            var isAsking = false
        }

        private let topology: Topology
        private let timeout: Duration
        /// A cluster that is in order needs two.
        private static let longestChase = 8
        /// Microseconds until a key that is between two servers is asked for again.
        private static let shortPause: UInt32 = 2_000

        init(_ seeds: [RedisAddress], _ options: RedisOptions) {
            topology = Topology(seeds, options)
            timeout = options.timeout
        }

        func perform<Result: Sendable>(
            on key: String, _ body: (Session) throws(RedisError) -> Result
        ) throws(RedisError) -> Result {
            let slot = HashSlot.of(key)
            let deadline = ContinuousClock.now.advanced(by: timeout)
            try topology.refreshIfStale(until: deadline)
            var target = Target(server: topology.owner(of: slot))
            var chase = 0
            while true {
                do {
                    return try topology.pool(target.server).perform(until: deadline, isAsking: target.isAsking, body)
                } catch {
                    chase += 1
                    guard chase < Self.longestChase else { throw error }
                    target = try next(after: error, from: target, slot, until: deadline)
                    if error.redirection == .again { usleep(Self.shortPause) }
                }
            }
        }

        /// Where to go after an error.
        private func next(
            after error: RedisError, from target: Target, _ slot: Int, until deadline: ContinuousClock.Instant
        ) throws(RedisError) -> Target {
            switch error.redirection {
            case .moved(let slot, let host, let port):
                let server = target.server.replacing(host: host, port: port)
                topology.move(slot, to: server)
                return Target(server: server)
            case .ask(let host, let port):
                return Target(server: target.server.replacing(host: host, port: port), isAsking: true)
            case .again: return Target(server: topology.owner(of: slot))
            case nil:
                guard error.breaksConnection || error.code == .unreachable else { throw error }
                topology.distrust()
                guard error.code != .deadlineExceeded else { throw error }
                try topology.refreshIfStale(until: deadline)
                // Elsewhere there may be a replica that took over.
                let owner = Target(server: topology.owner(of: slot))
                guard owner.server != target.server else { throw error }
                return owner
            }
        }

        /// Who is elsewhere is asked for there with all others who are, so that a slot that moves costs a round trip.
        func replies(to command: (String) -> Command, for keys: [String]) throws(RedisError) -> [Reply] {
            let deadline = ContinuousClock.now.advanced(by: timeout)
            try topology.refreshIfStale(until: deadline)
            let slots = keys.map(HashSlot.of)
            var replies = [Reply?](repeating: nil, count: keys.count)
            var open = Dictionary(grouping: keys.indices) { Target(server: topology.owner(of: slots[$0])) }
            var chase = 0
            while !open.isEmpty {
                chase += 1
                var (elsewhere, isAgain) = ([Target: [Int]](), false)
                for (target, places) in open {
                    let outcomes = self.outcomes(of: places.map { command(keys[$0]) }, from: target, until: deadline)
                    for (place, outcome) in zip(places, outcomes) {
                        do throws(RedisError) { replies[place] = try outcome.get() } catch {
                            guard chase < Self.longestChase else { throw error }
                            let next = try next(after: error, from: target, slots[place], until: deadline)
                            elsewhere[next, default: []].append(place)
                            if error.redirection == .again { isAgain = true }
                        }
                    }
                }
                if isAgain { usleep(Self.shortPause) }
                open = elsewhere
            }
            return replies.compactMap { $0 }
        }

        /// What a server answers to each of many commands; to all of a batch that it does not answer, why not.
        private func outcomes(
            of commands: [Command], from target: Target, until deadline: ContinuousClock.Instant
        ) -> [Result<Reply, RedisError>] {
            commands.batches(of: batchSize).flatMap { batch -> [Result<Reply, RedisError>] in
                do throws(RedisError) {
                    let replies = try topology.pool(target.server).perform(until: deadline, isAsking: target.isAsking) {
                        (session) throws(RedisError) in try session.replies(to: Array(batch))
                    }
                    return zip(batch, replies).map { command, reply in
                        reply.error.map { .failure($0.of(command).at(target.server)) } ?? .success(reply)
                    }
                } catch {
                    return Array(repeating: .failure(error), count: batch.count)
                }
            }
        }

        func masters() throws(RedisError) -> [Pool] {
            topology.distrust()
            try topology.refreshIfStale(until: .now.advanced(by: timeout))
            guard let masters = topology.masters else {
                throw RedisError(.unavailable, "the cluster does not tell who has which keys")
            }
            return masters.map { topology.pool($0) }
        }
    }
#endif
