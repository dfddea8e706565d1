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
    struct Cluster: Servers {
        /// Whom to ask next, and how.
        private struct Target: Equatable {
            var server: RedisAddress
            var isAsking = false
        }

        private let topology: Topology
        private let timeout: Duration
        /// A cluster that is in order needs two.
        private static let longestChase = 8

        init(_ seeds: [RedisAddress], _ options: RedisOptions) {
            topology = Topology(seeds, options)
            timeout = options.timeout
        }

        func perform<Result: Sendable>(
            on key: String, _ body: (Session) throws(RedisError) -> Result
        ) throws(RedisError) -> Result {
            let slot = HashSlot.of(key)
            let deadline = ContinuousClock.now.advanced(by: timeout)
            topology.refreshIfStale(until: deadline)
            var target = Target(server: topology.owner(of: slot))
            var chase = 0
            while true {
                do {
                    return try topology.pool(target.server).perform(until: deadline, isAsking: target.isAsking, body)
                } catch {
                    chase += 1
                    guard chase < Self.longestChase else { throw error }
                    target = try next(after: error, from: target, slot, until: deadline)
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
            case .again:
                usleep(2_000)
                return Target(server: topology.owner(of: slot))
            case nil:
                guard error.breaksConnection || error.code == .unreachable else { throw error }
                topology.distrust()
                guard error.code != .deadlineExceeded else { throw error }
                topology.refreshIfStale(until: deadline)
                // Elsewhere there may be a replica that took over.
                let owner = Target(server: topology.owner(of: slot))
                guard owner.server != target.server else { throw error }
                return owner
            }
        }

        func replies(to command: (String) -> Command, for keys: [String]) throws(RedisError) -> [Reply] {
            topology.refreshIfStale(until: .now.advanced(by: timeout))
            var replies = [Reply?](repeating: nil, count: keys.count)
            let places = Dictionary(grouping: keys.indices) { topology.owner(of: HashSlot.of(keys[$0])) }
            for (server, places) in places {
                for batch in places.batches(of: batchSize) {
                    let commands = batch.map { command(keys[$0]) }
                    let deadline = ContinuousClock.now.advanced(by: timeout)
                    // Whom it does not have, or what it cannot say now, is asked for one by one: see below.
                    let answers = try? topology.pool(server).perform(until: deadline) { (session) throws(RedisError) in
                        try session.replies(to: commands)
                    }
                    for (place, reply) in zip(batch, answers ?? []) where reply.error == nil { replies[place] = reply }
                }
            }
            var complete: [Reply] = []
            complete.reserveCapacity(keys.count)
            for (key, reply) in zip(keys, replies) {
                if let reply {
                    complete.append(reply)
                } else {
                    complete.append(try self.reply(to: command(key), for: key))
                }
            }
            return complete
        }

        private func reply(to command: Command, for key: String) throws(RedisError) -> Reply {
            try perform(on: key) { (session) throws(RedisError) in try session.answers(to: [command])[0] }
        }

        func masters() throws(RedisError) -> [Pool] {
            topology.distrust()
            topology.refreshIfStale(until: .now.advanced(by: timeout))
            guard let masters = topology.masters else {
                throw RedisError(.unavailable, "the cluster does not tell who has which keys")
            }
            return masters.map { topology.pool($0) }
        }
    }
#endif
