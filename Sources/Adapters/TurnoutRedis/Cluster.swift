import LibC
import TurnoutClient

/// Servers that partition the keys by slot. A server redirects requests for other slots, so an outdated topology
/// costs only time.
struct Cluster: KeyRouting {
    /// The next server to query, and whether to send `ASKING`.
    private struct Target: Hashable {
        var server: ProfileServerAddress
        var isAsking = false
    }

    private let topology: Topology
    private let timeout: Duration
    /// A healthy cluster needs two.
    private static let maximumRedirects = 8
    /// Microseconds before a key that is moving between servers is requested again.
    private static let shortPause: UInt32 = 2_000

    init(_ seeds: [ProfileServerAddress], _ options: RedisOptions, _ tls: TLSContext?) {
        topology = Topology(seeds, options, tls)
        timeout = options.timeout
    }

    func perform<Result: Sendable>(
        on key: String, _ body: (RedisSession) throws(ProfileServerError) -> Result
    ) throws(ProfileServerError) -> Result {
        let slot = HashSlot.of(key)
        let deadline = ContinuousClock.now.advanced(by: timeout)
        try topology.refreshIfStale(until: deadline)
        var target = Target(server: topology.owner(of: slot))
        var redirects = 0
        while true {
            do {
                return try topology.pool(target.server).perform(until: deadline, isAsking: target.isAsking, body)
            } catch {
                redirects += 1
                guard redirects < Self.maximumRedirects else { throw error }
                target = try next(after: error, from: target, slot, until: deadline)
                if error.redirection == .again { usleep(Self.shortPause) }
            }
        }
    }

    /// The target after an error.
    private func next(
        after error: ProfileServerError, from target: Target, _ slot: Int, until deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) -> Target {
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
            topology.invalidate()
            guard error.code != .deadlineExceeded else { throw error }
            try topology.refreshIfStale(until: deadline)
            // A replica may have taken over.
            let owner = Target(server: topology.owner(of: slot))
            guard owner.server != target.server else { throw error }
            return owner
        }
    }

    /// All servers are queried in parallel. Redirected keys are requested together, so a moved slot costs one round
    /// trip.
    func replies(to commands: [RedisCommand], for keys: [String]) throws(ProfileServerError) -> [Reply] {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        try topology.refreshIfStale(until: deadline)
        let slots = keys.map(HashSlot.of)
        var replies = [Reply?](repeating: nil, count: keys.count)
        var open = Dictionary(grouping: keys.indices) { Target(server: topology.owner(of: slots[$0])) }
        var redirects = 0
        while !open.isEmpty {
            redirects += 1
            var (elsewhere, isAgain) = ([Target: [Int]](), false)
            let targets = Array(open)
            let outcomes = Pool.outcomes(
                of: targets.map { target, places in
                    ManyCommands(
                        pool: topology.pool(target.server), commands: places.map { commands[$0] },
                        isAsking: target.isAsking)
                }, until: deadline)
            for ((target, places), outcomes) in zip(targets, outcomes) {
                for (place, outcome) in zip(places, outcomes) {
                    do throws(ProfileServerError) { replies[place] = try outcome.get() } catch {
                        guard redirects < Self.maximumRedirects else { throw error }
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

    func masters() throws(ProfileServerError) -> [Pool] {
        topology.invalidate()
        try topology.refreshIfStale(until: .now.advanced(by: timeout))
        guard let masters = topology.masters else {
            throw ProfileServerError(.unavailable, "the cluster does not report which servers have all keys")
        }
        return masters.map { topology.pool($0) }
    }
}

/// The known topology of a cluster, and the connections to its servers.
final class Topology: Sendable {
    private struct State {
        var slots = SlotMap()
        var pools: [ProfileServerAddress: Pool] = [:]
        /// The number of detected changes; initially one, because nothing is known.
        var invalidations = 1
        /// The number of changes that the last reply covers.
        var settledInvalidations = 0
        var isAsking = false
        /// Why the servers are not a cluster, or nil.
        var refusal: ProfileServerError?
        var askedAt: ContinuousClock.Instant?
    }

    private let seeds: [ProfileServerAddress]
    private let options: RedisOptions
    private let tls: TLSContext?
    private let state = Locked(State())
    /// The shortest time between queries; during a failover, asking more often would not help.
    private static let leastPause = Duration.milliseconds(100)

    init(_ seeds: [ProfileServerAddress], _ options: RedisOptions, _ tls: TLSContext?) {
        self.seeds = seeds
        self.options = options
        self.tls = tls
    }

    /// The connections to a server.
    func pool(_ address: ProfileServerAddress) -> Pool {
        state.withLock { state in
            let pool = state.pools[address] ?? Pool(address, options, tls)
            state.pools[address] = pool
            return pool
        }
    }

    /// The owner of a slot, or any server, which will redirect.
    func owner(of slot: Int) -> ProfileServerAddress {
        let owner = state.withLock { $0.slots.owner(of: slot) }
        return owner ?? seeds.randomElement() ?? seeds[0]
    }

    /// The servers that own slots; nil if the owners of some slots are unknown.
    var masters: Set<ProfileServerAddress>? {
        let masters = state.withLock { $0.slots.masters }
        return masters.areComplete ? masters.servers : nil
    }

    /// Records that a slot has moved, and schedules a refresh, since other slots may have moved with it.
    func move(_ slot: Int, to server: ProfileServerAddress) {
        state.withLock { state in
            state.slots.move(slot, to: server)
            state.invalidations += 1
        }
    }

    /// Records that the topology has changed.
    func invalidate() { state.withLock { $0.invalidations += 1 } }

    /// Queries the owners of all slots, if they may have changed. Does not wait for another thread's query.
    ///
    /// - Throws: `ProfileServerError` if the servers are not a cluster: independent servers would each get some of
    ///   the calls.
    func refreshIfStale(until deadline: ContinuousClock.Instant) throws(ProfileServerError) {
        refresh(until: deadline)
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
    }

    private func refresh(until deadline: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        let asked: (allServers: Set<ProfileServerAddress>, invalidations: Int)? = state.withLock { state in
            guard state.invalidations > state.settledInvalidations, !state.isAsking,
                state.askedAt.map({ $0.advanced(by: Self.leastPause) < now }) ?? true
            else { return nil }
            state.isAsking = true
            return (state.slots.allServers, state.invalidations)
        }
        guard let (allServers, invalidations) = asked else { return }
        let (slots, refusal) = ask(
            allServers.shuffled() + seeds.shuffled().filter { !allServers.contains($0) }, until: deadline)
        state.withLock { state in
            state.isAsking = false
            state.askedAt = .now
            state.refusal = slots == nil && allServers.isEmpty ? refusal : nil
            guard let slots else { return }
            state.slots = slots
            // Changes detected after the query may not be in the reply.
            state.settledInvalidations = invalidations
            state.pools = state.pools.filter { slots.allServers.contains($0.key) || seeds.contains($0.key) }
        }
    }

    /// The first valid reply, or the refusal of a server that is not part of a cluster.
    private func ask(
        _ servers: [ProfileServerAddress], until deadline: ContinuousClock.Instant
    ) -> (SlotMap?, refusal: ProfileServerError?) {
        var refusal: ProfileServerError?
        for server in servers {
            let limit = min(deadline, ContinuousClock.now.advanced(by: options.connectTimeout))
            do throws(ProfileServerError) {
                let reply = try pool(server).replies(to: [RedisCommand("CLUSTER", "SLOTS")], until: limit)[0]
                if let slots = SlotMap(reply, from: server), !slots.allServers.isEmpty {
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
