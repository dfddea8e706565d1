#if Redis
    /// Which server of a cluster has which slot, as far as is known.
    struct SlotMap: Sendable {
        /// The place in `servers` for each slot; -1: nobody has it, or it is not known.
        private var owners = [Int16](repeating: -1, count: HashSlot.count)
        /// The servers that have slots, or had some.
        private var servers: [RedisAddress] = []
        /// Everybody in the cluster.
        private(set) var everybody: Set<RedisAddress> = []

        /// Knows nothing.
        init() {}

        /// Reads the answer to `CLUSTER SLOTS`; nil: it is none. `source` is who answered.
        init?(_ reply: Reply, from source: RedisAddress) {
            guard let ranges = reply.elements else { return nil }
            for range in ranges {
                guard let parts = range.elements, parts.count >= 3, let first = parts[0].integer,
                    let last = parts[1].integer, 0 <= first, first <= last, last < HashSlot.count,
                    let master = Self.address(parts[2], from: source)
                else { return nil }
                let place = place(of: master)
                for slot in first...last { owners[Int(slot)] = place }
                everybody.formUnion(parts[2...].compactMap { Self.address($0, from: source) })
            }
        }

        private static func address(_ node: Reply, from source: RedisAddress) -> RedisAddress? {
            guard let parts = node.elements, parts.count >= 2, let port = parts[1].integer, 1...65_535 ~= port else {
                return nil
            }
            // A server that does not know its own name gives none.
            let host = parts[0].text.flatMap { $0.isEmpty || $0 == "?" ? nil : $0 }
            return source.replacing(host: host, port: Int(port))
        }

        private mutating func place(of server: RedisAddress) -> Int16 {
            if let place = servers.firstIndex(of: server) { return Int16(exactly: place) ?? -1 }
            // More than one for each slot are no servers but nonsense.
            guard servers.count < HashSlot.count else { return -1 }
            servers.append(server)
            return Int16(servers.count - 1)
        }

        /// Who has a slot; nil: not known.
        func owner(of slot: Int) -> RedisAddress? {
            let place = Int(owners[slot])
            return servers.indices ~= place ? servers[place] : nil
        }

        /// Notes who has a slot now.
        mutating func move(_ slot: Int, to server: RedisAddress) {
            owners[slot] = place(of: server)
            everybody.insert(server)
        }

        /// The servers that have slots, and whether each slot has one.
        var masters: (servers: Set<RedisAddress>, areComplete: Bool) {
            let places = Set(owners)
            return (Set(places.filter { $0 >= 0 }.map { servers[Int($0)] }), !places.contains(-1))
        }
    }
#endif
