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
    package var datafiles: DatafileDirectory { services.datafiles }
    /// The configurations for RolloutManager. Sources publish to it.
    package var rollouts: RolloutDirectory { services.rollouts }
    package let handler: RequestPipeline
    package var routes: RouteTable { handler.routes }

    private let configuration: ServerConfiguration
    private let adapters: ServerAdapters
    private let services: ServerServices
    private let access: AccessControl
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
        services = ServerServices(configuration, adapters)
        let datafileTokens = DatafileTokens(pairs: configuration.datafileTokens)
        let agent = Self.agent(configuration, adapters, services, datafileTokens)
        access = AccessControl(
            configuration.access, listeningOn: configuration.host,
            tokens: ManagementTokens(tokens, cryptography: adapters.cryptography),
            isKnown: { [services] in services.knows($0) },
            isAdministrator: agent.adminTokens.administratorCheck, clock: adapters.clock)
        let reports = services.reports(configuration, adapters, access: access)
        state = ServerState(reports)
        let requests = RequestMetrics()
        let operations = OperationsRoutes(
            state, version: Self.version, reports: reports, requests: requests, clock: adapters.clock)
        let changes = Self.changes(configuration, adapters, access)
        let console = Console(
            ConsoleGate(
                access, configuration.console, isEncrypted: configuration.certificate != nil,
                cryptography: adapters.cryptography, random: adapters.random, clock: adapters.clock),
            services.consolePages(configuration, adapters, state, changes), messages: adapters.log)
        let routes =
            operations.routes + Self.routes(configuration, adapters, services, datafileTokens, agent) + console.routes
            + changes.all
        let pipeline = RequestPipeline(
            RouteTable(routes), access: access, metrics: requests,
            log: RequestLog(adapters.log, configuration.log.requests), random: adapters.random, clock: adapters.clock)
        handler = pipeline.adding(
            agent.batch(pipeline),
            coding: BodyCoding(
                decompressor: adapters.decompressor, refused: services.refusedBodies, compress: adapters.compress))
    }

    private static func changes(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, _ access: AccessControl
    ) -> ChangeRoutes {
        let (events, wallClock) = (adapters.storage.events, adapters.wallClock)
        let log = ChangeLog(in: adapters.storage.directory, isTemporary: configuration.data == nil)
        let week: Int64 = 7 * 86_400_000
        let seenUsers = { @Sendable in try events.seenUsers(since: wallClock.millisecondsSince1970() - week) }
        let editing = adapters.flagsFile.map { file in
            FlagEditing(file, configuration.console, log: log, wallClock: wallClock, seenUsers: seenUsers)
        }
        return ChangeRoutes(
            editing: editing, log: log, access: access, seenUsers: seenUsers, messages: adapters.log)
    }

    private static func agent(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, _ services: ServerServices,
        _ tokens: DatafileTokens
    ) -> Agent {
        var agentServices = Self.agentServices(adapters)
        let usesService = configuration.agent.profileServices.standardStore != nil && configuration.profiles == nil
        agentServices.allowsProfileRoutes = configuration.access.allowsProfileRoutes || usesService
        agentServices.allowsAccess = { tokens.allow($0, token: $1) }
        agentServices.refresh = { [upstream = services.upstream] in upstream?.refresh($0) }
        agentServices.onForce = { [events = services.events] in events.force($0, of: $1) }
        return Agent(services.clients, configuration: configuration, services: agentServices)
    }

    private static func agentServices(_ adapters: ServerAdapters) -> AgentServices {
        var services = AgentServices()
        services.cryptography = adapters.cryptography
        services.segments = adapters.segments
        services.sendSegmentEvent = adapters.sendSegmentEvent
        services.wallClock = adapters.wallClock
        services.uptime = adapters.clock.stopwatch()
        services.log = adapters.log
        services.version = version
        return services
    }

    // MARK: Start and stop

    /// Replaces the management tokens: those that are not among these are refused from now on.
    package func use(_ tokens: [ManagementTokens.Token]) {
        access.use(ManagementTokens(tokens, cryptography: adapters.cryptography))
    }

    /// Starts to listen. The datafiles of the configured SDK keys are then downloaded from the other server, if there
    /// is one, which may hang: until they are here, or cannot be downloaded for now, `/ready` fails.
    ///
    /// - Returns: The port.
    /// - Throws: An error that says why the address cannot be used.
    package func start() throws -> UInt16 {
        // Before any task sleeps: while one prepares timers, others would block the threads that it needs.
        _ = SystemTimers.prepare()
        let port = try adapters.listener.start(handler)
        background.withLock { $0 = services.start(configuration.sdkKeys) }
        state.enter(.serving)
        adapters.log.write(
            .info, "listening",
            [
                .init("host", .string(configuration.host)), .init("port", .integer(Int(port))),
                .init("datafiles", .integer(datafiles.sdkKeys.count)),
                .init("console", .string(configuration.address(port: port) + Console.path)),
            ])
        return port
    }

    /// Stops: `/ready` fails first, and load balancers have the configured time to notice. Then requests in progress
    /// are answered, streams end, and pending data is written within ``ShutdownOptions/limit``; see there.
    ///
    /// - Parameter immediately: Whether to stop without that time. Default: false.
    package func stop(immediately: Bool = false) async {
        state.enter(.draining)
        let delay = immediately ? .zero : configuration.shutdown.delay
        adapters.log(.info, "stopping in \(delay.logText)")
        if delay > .zero { try? await adapters.clock.pause(for: delay) }
        for task in background.withLock({ $0 }) { task.cancel() }
        services.streams.close()
        services.clients.close()
        services.upstream?.close()
        let (limit, elapsed) = (configuration.shutdown.limit, adapters.clock.stopwatch())
        await adapters.listener.stop(within: limit)
        await services.clients.waitForUnfinishedCalls(within: max(limit - elapsed(), .zero))
        // Slow requests must not take all of the time.
        let rest = max(limit - elapsed(), .seconds(2))
        await withTaskGroup(of: Void.self) { group in
            for store in ServerServices.profiles(adapters) { group.addTask { await store.flush(within: rest) } }
            group.addTask { [adapters] in await adapters.events?.close(within: rest) }
        }
        await adapters.storage.close()
        adapters.log(.info, "stopped")
    }
}

extension Server {
    /// The routes of all services.
    static func routes(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, _ services: ServerServices,
        _ tokens: DatafileTokens, _ agent: Agent
    ) -> [Route] {
        let changes = services.changes
        let datafiles = DatafileRoutes(
            services.datafiles, tokens: tokens, upstream: services.upstream, changes: changes)
        let ofrep = OFREPRoutes(
            clients: services.clients, datafileTokens: tokens, agentTokens: agent.tokens,
            changes: configuration.limits.streams > 0 ? changes : nil, options: configuration.ofrep)
        return datafiles.all + agent.api + agent.webhook + agent.admin + ofrep.routes + services.events.routes
            + FlagUsageRoutes(usage: services.clients.usage, datafiles: services.datafiles).all
            + UserRoutes(
                forgetting: services.users, hub: services.hub, forgotten: services.forgotten,
                hasEngine: adapters.storage.events.engine != nil, messages: adapters.log
            ).all
            + PredictionRoutes(services.predictions).routes
            + SpokeRoutes(
                users: services.forgotten, datafiles: services.datafiles, predictions: services.predictions,
                forgetEvents: { [events = services.events] in try await events.forget($0) }, messages: adapters.log
            ).all
            + centralRoutes(configuration, adapters, services)
            + RolloutRoutes(services.rollouts).all
            + FlagRoutes(source: services.flags, clients: services.clients, platform: services.platform).all
    }

    /// The routes of what a hub has for all of its spokes.
    private static func centralRoutes(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters, _ services: ServerServices
    ) -> [Route] {
        let routes =
            SegmentRoutes(services.platform, wallClock: adapters.wallClock).all
            + SegmentManagementRoutes(services.platform).all
            + ResultsRoutes(services.results, messages: adapters.log).all
        guard let hub = services.hub, let transport = adapters.hub else { return routes }
        let time = configuration.segmentsTime
        return HubRelay(hub.address, over: transport, queryTime: time, messages: adapters.log)
            .routes(routes)
    }
}
