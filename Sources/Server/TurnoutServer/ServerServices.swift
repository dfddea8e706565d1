import TurnoutClient

/// The services behind the routes of a ``Server``.
struct ServerServices: Sendable {
    let datafiles: DatafileDirectory
    let rollouts: RolloutDirectory
    let clients: DecisionClients
    let streams: EventStreamHub
    let changes: FlagChangeStreams
    let upstream: UpstreamDatafiles?
    let refusedBodies = RefusedBodies()
    let events: EventService
    let predictions: PredictionService
    let results: ResultsService
    let platform: SegmentPlatform
    let users: UserForgetting
    /// The users whom spokes have to forget.
    let forgotten: ForgottenUsers
    /// The hub of a spoke.
    let hub: HubLink?
    /// The flags as pages show them.
    let flags: ConsoleFlagSource

    /// Assembles the services that a configuration asks for. None of them runs yet.
    init(_ configuration: ServerConfiguration, _ adapters: ServerAdapters) {
        datafiles = DatafileDirectory(wallClock: adapters.wallClock, compress: adapters.compress)
        flags = ConsoleFlagSource(adapters.flagsFile, datafiles)
        rollouts = RolloutDirectory(wallClock: adapters.wallClock, log: adapters.log)
        upstream = Self.upstream(configuration, adapters, into: datafiles)
        hub = HubLink(configuration, adapters)
        var predictionOptions = configuration.predictions.serviceOptions
        predictionOptions.hasHub = hub != nil
        let exclusions = configuration.results.exclude.compactMap(ResultExclusion.init)
        results = ResultsService(
            adapters.storage.events, exclusions: { try exclusions.resolved(by: adapters.storage.segments) },
            daysAfterStop: { configuration.results.daysAfterStop }, clock: adapters.clock,
            wallClock: adapters.wallClock)
        events = Self.eventService(configuration, adapters, datafiles, refusedBodies, results)
        predictions = PredictionService(
            datafiles, events: adapters.storage.events, predictionOptions,
            clock: adapters.clock, wallClock: adapters.wallClock, log: adapters.log)
        platform = Self.platform(configuration, adapters, datafiles, events)
        var services = Self.decisionServices(configuration, adapters, events: adapters.events ?? events.sink)
        if services.predictions == nil {
            services.predictions = predictions
            // Weights change, and choosing with them costs less than a look-up in a cache.
            services.predictionOptions.cachedPredictions = 0
        }
        clients = DecisionClients(
            datafiles, services: services, limits: configuration.limits.clientLimits, upstream: upstream)
        forgotten = ForgottenUsers(in: adapters.storage.directory, wallClock: adapters.wallClock)
        users = UserForgetting(
            segments: platform.store, profiles: Self.profiles(adapters),
            beforehand: { [forgotten] in try forgotten.add($0) },
            onChange: { [platform] in try platform.countChange() }
        ) { [events] in try await events.forget($0) }
        streams = EventStreamHub(limit: configuration.limits.streams)
        changes = FlagChangeStreams(datafiles, streams: streams, clock: adapters.clock)
    }

    /// The reports of the services about themselves, in the order of `/metrics`.
    func reports(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, access: AccessControl
    ) -> [ServiceReport] {
        let report = DatafileReport(
            datafiles, upstream: upstream, isRequired: configuration.requiresDatafiles,
            wallClock: adapters.wallClock)
        return [
            .process(Server.version, startedAt: adapters.wallClock.millisecondsSince1970()),
            .storage(adapters.storage.directory), report.report, report.sources, report.diagnostics,
            .connections(adapters.listener),
            .bodies(refusedBodies), .clients(clients), .unknownAttributes(clients), .streams(streams), .access(access),
            events.report, platform.report, predictions.report, rollouts.report,
        ] + [hub?.report].compactMap { $0 } + adapters.reports
    }

    /// The pages of the console.
    func consolePages(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, _ state: ServerState, _ changes: ChangeRoutes
    ) -> ConsolePages {
        let (wallClock, usage) = (adapters.wallClock, clients.usage)
        let facts = FlagFacts(wallClock: wallClock, log: changes.log) { FlagDecisions(usage) }
        return ConsolePages(
            results: ResultsPage(service: results, hub: hub?.address.withoutCredentials, wallClock: wallClock),
            live: LivePage(
                events: events.recent, streams: streams, since: usage.since, experiments: results.experiments),
            flags: FlagsPage(source: flags, facts: facts),
            flag: FlagPage(source: flags, facts: facts, isEditable: configuration.console.editing != .off),
            users: UsersPage(
                source: flags, clients: clients, platform: platform,
                latestAttributes: adapters.storage.events.latestAttributes),
            health: HealthPage(
                state: state, clients: clients, datafiles: datafiles, events: events,
                seenClients: adapters.storage.events.clients, wallClock: wallClock),
            changes: ChangePages(editing: changes.editing, log: changes.log))
    }

    /// Whether a key is that of a datafile, a project, a bandit or a data platform.
    func knows(_ key: String) -> Bool {
        datafiles[key] != nil || platform.project(of: key) != nil || predictions.knows(key)
            || datafiles.hasProject(key)
    }

    /// Starts the services that work beside requests.
    ///
    /// - Parameter sdkKeys: The keys whose datafiles are always relayed.
    /// - Returns: The tasks in which they work.
    func start(_ sdkKeys: [String]) -> [Task<Void, Never>] {
        let tasks = [
            Task { [clients] in await clients.run() }, Task { [changes] in await changes.run() },
            Task { [events] in await events.run() }, Task { [platform] in await platform.run() },
        ]
        guard let hub else {
            return tasks + [Task { [predictions] in await predictions.run() }]
                + [upstream?.start(sdkKeys)].compactMap { $0 }
        }
        let copy = hub.load()
        predictions.use(copy.bandits, updated: copy.updated)
        let following = Task { [predictions, upstream, users, events] in
            await hub.run { state in
                predictions.use(state.bandits, updated: state.updated)
                await upstream?.serve(sdkKeys + state.sdkKeys)
            } forget: { ids in
                for id in ids { _ = try await users.forget(id) }
                await events.waitForForwarding()
            }
        }
        return tasks + [following] + [upstream?.start(sdkKeys + copy.sdkKeys)].compactMap { $0 }
    }

    /// The stores of assignments, each once: the standard one may also have a name.
    static func profiles(_ adapters: ServerAdapters) -> [any ProfileStore] {
        var known: Set<ObjectIdentifier> = []
        return ([adapters.profiles] + adapters.namedProfiles.values).filter { store in
            !(type(of: store) is AnyClass) || known.insert(ObjectIdentifier(store as AnyObject)).inserted
        }
    }

    private static func upstream(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, into datafiles: DatafileDirectory
    ) -> UpstreamDatafiles? {
        guard let source = adapters.upstream else { return nil }
        var options = UpstreamDatafiles.Options()
        options.pollingInterval = configuration.pollingInterval
        return UpstreamDatafiles(
            into: datafiles, options, clock: adapters.clock, random: adapters.random, log: adapters.log, source: source)
    }

    private static func eventService(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, _ datafiles: DatafileDirectory,
        _ refused: RefusedBodies, _ results: ResultsService
    ) -> EventService {
        var options = configuration.events.serviceOptions
        options.exclusions = configuration.results.exclude
        options.daysAfterStop = configuration.results.daysAfterStop
        // A hub is of the same operator, and its events are wanted soon after it is back.
        if configuration.hub != nil { options.forwarding.longestDelay = .seconds(5) }
        return EventService(
            adapters.storage.log, into: adapters.storage.events, options,
            datafiles: datafiles, beforeExpiry: results.keepFinalResults, transport: adapters.eventTransport,
            clock: adapters.clock, wallClock: adapters.wallClock, random: adapters.random, refused: refused,
            messages: adapters.log)
    }

    private static func platform(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, _ datafiles: DatafileDirectory,
        _ events: EventService
    ) -> SegmentPlatform {
        var options = configuration.segments
        options.deviceDays = configuration.events.retentionDays
        options.hasHub = configuration.hub != nil
        return SegmentPlatform(
            adapters.storage.segments, events: adapters.storage.events, log: adapters.storage.log, options,
            datafiles: datafiles, clock: adapters.clock,
            wallClock: adapters.wallClock, messages: adapters.log, onAppend: { events.wake() })
    }

    private static func decisionServices(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, events: any EventSink
    ) -> DecisionServices {
        var services = DecisionServices()
        services.profiles = adapters.profiles
        services.namedProfiles = adapters.namedProfiles
        services.predictions = adapters.predictions
        services.events = events
        services.timeLimit = configuration.limits.decisionTime
        services.clock = adapters.clock
        services.wallClock = adapters.wallClock
        services.random = adapters.random
        services.log = adapters.log
        return services
    }
}

extension ServerConfiguration {
    /// Whether a server without a datafile is of no use. A server that loads datafiles from upstream on request, or
    /// serves only configurations for RolloutManager, needs none.
    fileprivate var requiresDatafiles: Bool {
        if flags != nil || !sdkKeys.isEmpty || hub != nil { return true }
        return upstream == nil && (datafiles != nil || rollouts == nil)
    }
}

extension LimitOptions {
    fileprivate var clientLimits: ClientLimits {
        var limits = ClientLimits()
        limits.clients = clients
        limits.notifications.streams = min(limits.notifications.streams, streams)
        return limits
    }
}
