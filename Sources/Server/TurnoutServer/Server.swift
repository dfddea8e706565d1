import TurnoutClient

/// `turnout serve`: the services and routes that a configuration asks for, behind a listener.
///
/// ```text
/// datafiles ──► clients ──► the Agent's interface, OFREP ──┐
///     └───────► change streams ────────────────────────────┼─► routes ─► pipeline ─► listener
/// state, metrics ─► /health, /ready, /status, /metrics ────┘
/// ```
package final class Server: Sendable {
    /// The version of the server.
    package static let version = LibraryVersion.current

    /// The datafiles to serve and to decide with. Sources publish to it.
    package let datafiles: DatafileDirectory
    /// The configurations for RolloutManager. Sources publish to it.
    package let rollouts: RolloutDirectory
    /// All routes.
    package let routes: RouteTable
    /// Answers requests.
    package let handler: any RequestHandler

    private let configuration: ServerConfiguration
    private let adapters: ServerAdapters
    private let clients: DecisionClients
    private let streams: EventStreamHub
    private let changes: FlagChangeStreams
    private let upstream: UpstreamDatafiles?
    private let events: EventService
    private let predictions: PredictionService
    private let platform: SegmentPlatform
    private let state: ServerState
    private let background = Locked<[Task<Void, Never>]>([])

    /// Assembles a server, which does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - tokens: The tokens in the file that the configuration names. Default: none.
    ///   - adapters: What it gets from outside.
    package init(
        _ configuration: ServerConfiguration, tokens: [ManagementTokens.Token] = [], adapters: ServerAdapters
    ) {
        (self.configuration, self.adapters) = (configuration, adapters)
        datafiles = DatafileDirectory(wallClock: adapters.wallClock, compress: adapters.compress)
        upstream = Self.upstream(configuration, adapters, into: datafiles)
        events = Self.eventService(configuration, adapters, datafiles)
        predictions = PredictionService(
            datafiles, events: adapters.processedEvents, configuration.predictions.serviceOptions,
            clock: adapters.clock, wallClock: adapters.wallClock, log: adapters.log)
        platform = Self.platform(configuration, adapters, datafiles)
        rollouts = RolloutDirectory(wallClock: adapters.wallClock, log: adapters.log)
        var services = Self.decisionServices(configuration, adapters, events: adapters.events ?? events.sink)
        if services.predictions == nil {
            services.predictions = predictions
            // Weights change, and choosing with them costs less than a look-up in a cache.
            services.predictionOptions.cachedPredictions = 0
        }
        clients = DecisionClients(
            datafiles, services: services,
            limits: configuration.limits.clientLimits, upstream: upstream)
        streams = EventStreamHub(limit: configuration.limits.streams)
        changes = FlagChangeStreams(datafiles, streams: streams, clock: adapters.clock)

        let datafileTokens = DatafileTokens(pairs: configuration.datafileTokens)
        let handedOut = DatafileRoutes(datafiles, tokens: datafileTokens, upstream: upstream, changes: changes)
        let access = AccessControl(
            configuration.access, listeningOn: configuration.host,
            tokens: ManagementTokens(tokens, cryptography: adapters.cryptography), clock: adapters.clock)
        let report = DatafileReport(datafiles, wallClock: adapters.wallClock)
        let reports =
            [
                report.report, report.sources, report.diagnostics, .connections(adapters.listener), .clients(clients),
                .streams(streams), .access(access), events.report, platform.report, predictions.report, rollouts.report,
            ] + adapters.reports
        let state = ServerState(reports)
        self.state = state
        let requests = RequestMetrics()

        let operations = OperationsRoutes(
            state, version: Self.version, reports: reports, requests: requests, clock: adapters.clock)
        var agentServices = Self.agentServices(adapters)
        agentServices.allowsAccess = { datafileTokens.allow($0, token: $1) }
        agentServices.refresh = { [upstream] in upstream?.refresh($0) }
        agentServices.problem = { state.phase == .draining ? "the server is stopping" : nil }
        let agent = Agent(clients, configuration: configuration.agent, services: agentServices)
        let ofrep = OFREPRoutes(
            clients, tokens: datafileTokens, refusal: { agent.refusal(of: $0, for: $1) },
            changes: configuration.limits.streams > 0 ? changes : nil, options: configuration.ofrep)
        routes = RouteTable(
            operations.routes + handedOut.all + agent.api + agent.webhook + agent.admin + ofrep.routes + events.routes
                + SegmentRoutes(platform, wallClock: adapters.wallClock).all
                + SegmentManagementRoutes(platform).all
                + PredictionRoutes(predictions).routes
                + RolloutRoutes(rollouts, save: adapters.saveRollout, messages: adapters.log).all)
        requests.name(routes.routes, others: AgentHandler.Step.allCases.map(\.name))

        let pipeline = RequestPipeline(
            routes, access: access, metrics: requests, log: RequestLog(adapters.log, configuration.log.requests),
            random: adapters.random, clock: adapters.clock)
        let first = routes.routes.count
        let outer = AgentHandler(agent, hosts: access.hosts, next: pipeline, clock: adapters.clock) {
            requests.add($0.map { first + $0.rawValue }, status: $1, time: $2)
        }
        handler = Self.inflating(outer, adapters.decompressor)
    }

    private static func inflating(
        _ handler: any RequestHandler, _ decompressor: (any Decompressor)?
    ) -> any RequestHandler {
        guard let decompressor else { return handler }
        return InflatingHandler(handler, decompressor)
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
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, _ datafiles: DatafileDirectory
    ) -> EventService {
        EventService(
            adapters.eventLog, into: adapters.processedEvents, configuration.events.serviceOptions,
            datafiles: datafiles, transport: adapters.eventTransport, clock: adapters.clock,
            wallClock: adapters.wallClock, random: adapters.random, messages: adapters.log)
    }

    private static func platform(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, _ datafiles: DatafileDirectory
    ) -> SegmentPlatform {
        var options = configuration.segments
        options.deviceDays = configuration.events.retentionDays
        return SegmentPlatform(
            adapters.segmentStore ?? MemorySegmentStore(options.limits), events: adapters.processedEvents,
            log: adapters.eventLog, options, datafiles: datafiles, clock: adapters.clock,
            wallClock: adapters.wallClock, messages: adapters.log)
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

    private static func agentServices(_ adapters: ServerAdapters) -> AgentServices {
        var services = AgentServices()
        services.cryptography = adapters.cryptography
        services.segments = adapters.segments
        services.sendSegmentEvent = adapters.sendSegmentEvent
        services.wallClock = adapters.wallClock
        services.random = adapters.random
        services.uptime = adapters.clock.stopwatch()
        services.log = adapters.log
        services.version = version
        return services
    }

    // MARK: Start and stop

    /// Downloads the datafiles of the configured SDK keys from the other server, if there is one. Those that cannot be
    /// downloaded are cached ones, or tried again later.
    package func startUpstream() async { await upstream?.start(configuration.sdkKeys) }

    /// Starts to listen.
    ///
    /// - Returns: The port.
    /// - Throws: An error that says why the address cannot be used.
    package func start() throws -> UInt16 {
        // Before any task sleeps: while one prepares timers, others would block the threads that it needs.
        _ = SystemTimers.prepare()
        let port = try adapters.listener.start(handler)
        state.enter(.serving)
        background.withLock { [clients, changes, events, platform, predictions] in
            $0 = [
                Task { await clients.run() }, Task { await changes.run() }, Task { await events.run() },
                Task { await platform.run() }, Task { await predictions.run() },
            ]
        }
        adapters.log.write(
            .info, "listening",
            [
                .init("host", .string(configuration.host)), .init("port", .integer(Int(port))),
                .init("datafiles", .integer(datafiles.sdkKeys.count)),
            ])
        return port
    }

    /// Stops: `/ready` fails first, and load balancers have the configured time to notice. Then requests in progress
    /// are answered, streams end, and what waits is written.
    ///
    /// - Parameter immediately: Whether load balancers get no time. Default: false.
    package func stop(immediately: Bool = false) async {
        state.enter(.draining)
        let delay = immediately ? .zero : configuration.shutdown.delay
        adapters.log(.info, "stopping in \(delay.logText)")
        if delay > .zero { try? await adapters.clock.pause(for: delay) }
        for task in background.withLock({ $0 }) { task.cancel() }
        streams.close()
        clients.close()
        upstream?.close()
        await adapters.listener.stop(within: configuration.shutdown.limit)
        await adapters.profiles.flush(within: configuration.shutdown.limit)
        await adapters.events?.close(within: configuration.shutdown.limit)
        await events.close()
        adapters.log(.info, "stopped")
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
