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
                    let some = places.map { commands[$0] }
                    return ManyCommands(topology.pool(target.server), some, isAsking: target.isAsking)
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
