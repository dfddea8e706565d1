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
    package static let version = "0.1.0"

    /// The datafiles to serve and to decide with. Sources publish to it.
    package let datafiles: DatafileDirectory
    /// All routes.
    package let routes: RouteTable
    /// Answers requests.
    package let handler: any RequestHandler

    private let configuration: ServerConfiguration
    private let adapters: ServerAdapters
    private let clients: DecisionClients
    private let streams: EventStreamHub
    private let changes: FlagChangeStreams
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
        clients = DecisionClients(
            datafiles, services: Self.decisionServices(configuration, adapters),
            limits: configuration.limits.clientLimits)
        streams = EventStreamHub(limit: configuration.limits.streams)
        changes = FlagChangeStreams(datafiles, streams: streams, clock: adapters.clock)

        let access = AccessControl(
            configuration.access, listeningOn: configuration.host,
            tokens: ManagementTokens(tokens, cryptography: adapters.cryptography), clock: adapters.clock)
        let reports =
            [
                DatafileReport(datafiles, wallClock: adapters.wallClock).report, .connections(adapters.listener),
                .clients(clients), .streams(streams), .access(access),
            ] + adapters.reports
        state = ServerState(reports)
        let requests = RequestMetrics()

        let operations = OperationsRoutes(
            state, version: Self.version, reports: reports, requests: requests, clock: adapters.clock)
        let agent = Agent(clients, configuration: configuration.agent, services: Self.agentServices(adapters))
        let ofrep = OFREPRoutes(
            clients, changes: configuration.limits.streams > 0 ? changes : nil, options: configuration.ofrep)
        routes = RouteTable(operations.routes + agent.api + agent.webhook + ofrep.routes)
        requests.name(routes.routes)

        let pipeline = RequestPipeline(
            routes, access: access, metrics: requests, log: RequestLog(adapters.log, configuration.log.requests),
            random: adapters.random, clock: adapters.clock)
        handler = Self.inflating(AgentHandler(agent, hosts: access.hosts, next: pipeline), adapters.decompressor)
    }

    private static func inflating(
        _ handler: any RequestHandler, _ decompressor: (any Decompressor)?
    ) -> any RequestHandler {
        guard let decompressor else { return handler }
        return InflatingHandler(handler, decompressor)
    }

    private static func decisionServices(
        _ configuration: ServerConfiguration, _ adapters: ServerAdapters
    ) -> DecisionServices {
        var services = DecisionServices()
        services.profiles = adapters.profiles
        services.predictions = adapters.predictions
        services.events = adapters.events
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
        services.wallClock = adapters.wallClock
        services.random = adapters.random
        services.uptime = adapters.clock.stopwatch()
        services.log = adapters.log
        services.version = version
        return services
    }

    // MARK: Start and stop

    /// Starts to listen.
    ///
    /// - Returns: The port.
    /// - Throws: An error that says why the address cannot be used.
    package func start() throws -> UInt16 {
        let port = try adapters.listener.start(handler)
        state.enter(.serving)
        background.withLock { [clients, changes] in
            $0 = [Task { await clients.run() }, Task { await changes.run() }]
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
        await adapters.listener.stop(within: configuration.shutdown.limit)
        await adapters.profiles.flush(within: configuration.shutdown.limit)
        await adapters.events?.close(within: configuration.shutdown.limit)
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
