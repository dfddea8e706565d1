package import TurnoutClient
import TurnoutEngine

/// The deciding clients, one for each SDK key that is in use.
///
/// A client is made when its SDK key is first used. Unknown keys allocate nothing, and clients that are no longer used
/// are removed, so that requests cannot fill the memory.
package final class DecisionClients: Sendable {
    private struct Entry {
        let client: DecisionClient
        /// When it was last used, as a number of uses and of sweeps.
        var use: Int
        var sweep: Int
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The names of the stores that requests chose.
        var profileNames: [String: String] = [:]
        var uses = 0
        var sweeps = 0
        var counts = ClientCounts()

        mutating func removeLeastUsed() -> DecisionClient? {
            guard let oldest = entries.min(by: { $0.value.use < $1.value.use }) else { return nil }
            entries[oldest.key] = nil
            counts.evicted += 1
            return oldest.value.client
        }
    }

    private let directory: DatafileDirectory
    private let services: DecisionServices
    private let limits: ClientLimits
    private let upstream: UpstreamDatafiles?
    private let uptime: @Sendable () -> Duration
    private let decisionCount: DecisionCount
    private let state = Locked(State())
    private let endOfChanges = Locked<(@Sendable () -> Void)?>(nil)

    /// Creates clients on demand.
    ///
    /// - Parameters:
    ///   - directory: The datafiles to decide with. Clients follow its changes.
    ///   - services: What all clients have in common.
    ///   - limits: The maximum number of clients, and of what each of them keeps.
    ///   - upstream: Downloads datafiles that the directory lacks. Default: nil.
    package init(
        _ directory: DatafileDirectory, services: DecisionServices, limits: ClientLimits = ClientLimits(),
        upstream: UpstreamDatafiles? = nil
    ) {
        self.directory = directory
        self.services = services
        self.limits = limits
        self.upstream = upstream
        uptime = services.clock.stopwatch()
        decisionCount = DecisionCount(FlagUsage(wallClock: services.wallClock))
        let end = directory.onChange { [weak self] in self?.follow($0) }
        endOfChanges.withLock { $0 = end }
    }

    deinit { endOfChanges.withLock { $0 }?() }

    // MARK: Clients

    /// The client for an SDK key; nil if there is no datafile for it.
    package subscript(sdkKey: String) -> DecisionClient? {
        if let known = known(sdkKey) { return known }
        guard let served = directory[sdkKey] else {
            state.withLock { $0.counts.unknownKeys += 1 }
            return nil
        }
        return add(makeClient(served))
    }

    /// Answers a request with an SDK key, after its datafile was downloaded from upstream if that is necessary.
    ///
    /// - Parameters:
    ///   - sdkKey: The key.
    ///   - respond: Responds. Its argument is why upstream has sent no datafile; nil if it was not asked, or has sent
    ///     one.
    /// - Returns: The answer.
    package func loading(
        _ sdkKey: String, _ respond: @escaping @Sendable (DatafileAbsence?) -> Answer
    ) -> Answer {
        guard let upstream, directory[sdkKey] == nil else { return respond(nil) }
        return .later { await respond(await upstream.load(sdkKey)).response }
    }

    private func known(_ sdkKey: String) -> DecisionClient? {
        state.withLock { state in
            guard let client = state.entries[sdkKey]?.client else { return nil }
            state.uses += 1
            state.entries[sdkKey]?.use = state.uses
            state.entries[sdkKey]?.sweep = state.sweeps
            return client
        }
    }

    private func makeClient(_ served: ServedDatafile) -> DecisionClient {
        let name = state.withLock { $0.profileNames[served.sdkKey] }
        let feed = NotificationFeed(
            epoch: String(services.random.next() >> 32, radix: 16), options: limits.notifications, uptime: uptime)
        return DecisionClient(
            served, services, profiles: name.flatMap { services.namedProfiles[$0] } ?? services.profiles,
            notifications: feed, overrides: VariationOverrides(limit: limits.overrides), counting: decisionCount)
    }

    /// Adds a client, unless another thread was faster.
    private func add(_ client: DecisionClient) -> DecisionClient? {
        let sdkKey = client.sdkKey
        let (added, evicted) = state.withLock { state -> (DecisionClient, DecisionClient?) in
            if let known = state.entries[sdkKey]?.client { return (known, nil) }
            let evicted = state.entries.count < limits.clients ? nil : state.removeLeastUsed()
            state.uses += 1
            state.counts.created += 1
            state.entries[sdkKey] = Entry(client: client, use: state.uses, sweep: state.sweeps)
            return (client, evicted)
        }
        evicted?.notifications.close()
        // The datafile may have changed since it was read.
        guard let newest = directory[sdkKey] else {
            remove(sdkKey)
            return nil
        }
        added.install(newest)
        return added
    }

    /// Removes the client for an SDK key, with its overrides, cached predictions and streams. The next request makes a
    /// new one.
    package func remove(_ sdkKey: String) {
        let client = state.withLock { $0.entries.removeValue(forKey: sdkKey)?.client }
        client?.notifications.close()
    }

    private func follow(_ change: DatafileChange) {
        switch change {
        case .published(let served):
            state.withLock { $0.entries[served.sdkKey]?.client }?.install(served)
        case .removed(let sdkKey):
            remove(sdkKey)
            state.withLock { $0.profileNames[sdkKey] = nil }
        }
    }

    /// Chooses the store for the assignments of an SDK key. The first choice counts, and only before the client is
    /// made. An unknown name chooses none: with the Agent, such a request leaves all users without assignments.
    package func chooseProfiles(_ name: String, for sdkKey: String) {
        guard directory[sdkKey] != nil, services.namedProfiles[name] != nil else { return }
        state.withLock { state in
            if state.entries[sdkKey] == nil, state.profileNames[sdkKey] == nil { state.profileNames[sdkKey] = name }
        }
    }

    // MARK: Upkeep

    /// Sends heartbeats, collects ``usage``, and removes clients that were not used for ``ClientLimits/idleTime``. Call
    /// it every ``ClientLimits/sweepInterval``, or use ``run()``.
    package func sweep() {
        let maximum = Int(limits.idleTime / limits.sweepInterval)
        let (clients, idle, used) = state.withLock { state -> ([DecisionClient], [DecisionClient], [String]) in
            let used = state.entries.filter { $0.value.sweep == state.sweeps }.map(\.key)
            state.sweeps += 1
            let idle = state.entries.filter { _, entry in
                // Overrides and open streams are in use, although no request asks for them.
                state.sweeps - entry.sweep > maximum && entry.client.overrides.isEmpty
                    && entry.client.notifications.subscriberCount == 0
            }
            for key in idle.keys { state.entries[key] = nil }
            state.counts.evicted += idle.count
            return (state.entries.values.map(\.client), idle.values.map(\.client), used)
        }
        for sdkKey in used { upstream?.touch(sdkKey) }
        usage.collect()
        for client in idle { client.notifications.close() }
        for client in clients { client.notifications.sendHeartbeat() }
    }

    /// Calls ``sweep()`` regularly, until the task is canceled.
    package func run() async {
        while (try? await services.clock.pause(for: limits.sweepInterval)) != nil { sweep() }
    }

    /// Ends all streams of notifications.
    package func close() {
        for client in state.withLock({ $0.entries.values.map(\.client) }) { client.notifications.close() }
    }

    /// Waits for calls of stores that have outlived their requests, such as an assignment that is being stored, but not
    /// longer than a limit.
    package func waitForUnfinishedCalls(within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            for client in state.withLock({ $0.entries.values.map(\.client) }) {
                group.addTask { await client.waitForUnfinishedCalls(within: limit) }
            }
        }
    }

    /// The decisions of flags.
    package var usage: FlagUsage { decisionCount.usage }

    /// The attributes of users that their datafiles do not know.
    var unknownAttributes: UnknownAttributes { decisionCount.unknownAttributes }

    /// The numbers since the start.
    package var counts: ClientCounts {
        let (counts, clients) = state.withLock { state -> (ClientCounts, [DecisionClient]) in
            var counts = state.counts
            counts.clients = state.entries.count
            return (counts, state.entries.values.map(\.client))
        }
        var result = counts
        result.decisions = decisionCount.value
        result.streams = clients.reduce(0) { $0 + $1.notifications.subscriberCount }
        return result
    }
}

/// The limits of deciding clients.
package struct ClientLimits: Sendable {
    /// The maximum number of clients; with more, the least recently used one is removed. Default: 1,000.
    package var clients = 1_000
    /// How long a client is kept without being used. Default: one hour.
    package var idleTime = Duration.seconds(3_600)
    /// The interval of heartbeats, and of looking for idle clients. Default: 15 seconds.
    package var sweepInterval = Duration.seconds(15)
    /// The maximum number of overrides of each client. Default: 10,000.
    package var overrides = 10_000
    /// The limits of each client's notifications.
    package var notifications = NotificationOptions()

    package init() {}
}

/// The numbers of deciding clients since the start.
package struct ClientCounts: Sendable, Equatable {
    package var clients = 0
    /// The clients that were made.
    package var created = 0
    /// The clients that were removed because there were too many, or they were idle.
    package var evicted = 0
    /// The requests with an SDK key for which there is no datafile.
    package var unknownKeys = 0
    package var decisions = 0
    /// The open streams of notifications.
    package var streams = 0

    package init() {}
}

/// Services shared by all deciding clients of a server.
package struct DecisionServices: Sendable {
    /// Stores assignments. Default: nil, they are not stored.
    package var profiles: (any ProfileStore)?
    /// Other stores by name, one of which a request may choose for its SDK key. Default: none.
    package var namedProfiles: [String: any ProfileStore] = [:]
    /// Predicts variations for contextual bandits. Default: nil, their rules are skipped.
    package var predictions: (any PredictionSource)?
    package var predictionOptions = PredictionOptions()
    /// Receives impressions and conversions. Default: nil, they are dropped.
    package var events: (any EventSink)?
    /// The longest time that a decision waits for predictions and profiles. Default: 10 seconds.
    package var timeLimit = Duration.seconds(10)
    /// Measures time. Default: the system's clock.
    package var clock: any Clock<Duration> = .continuous
    /// Provides the timestamps of events. Default: the system's.
    package var wallClock: any WallClock = .system
    /// Generates the ids of events and requests. Default: the system's random numbers.
    package var random: any RandomSource = .system
    /// Receives warnings and errors. Default: the standard error output.
    package var log: any Log = .standardError

    /// Creates services without stores and outputs.
    package init() {}
}

extension DecisionServices {
    /// The services of the runtime for an SDK key.
    func runtimeServices(profiles: (any ProfileStore)?) -> RuntimeServices {
        var services = RuntimeServices()
        // A store over a network tells the log itself when it fails.
        services.profiles = profiles.map { StoreAccess($0, log: $0 is NetworkProfileStore ? .silent : log) }
        services.events = events
        services.predictions = predictions
        services.predictionOptions = predictionOptions
        services.clock = clock
        services.wallClock = wallClock
        services.random = random
        services.log = log
        services.clientName = "turnout-server"
        return services
    }
}
