import TurnoutClient
import TurnoutServer

/// The Agent's interface over a served datafile, without a socket.
struct TestAgent {
    let directory = DatafileDirectory(wallClock: .fixed(1_000_000))
    let clients: DecisionClients
    let handler: RequestPipeline
    let agent: Agent
    let events = RecordedEvents()
    let clock = ManualClock()

    init(
        _ configuration: AgentConfiguration = AgentConfiguration(), hosts: [String] = ["."],
        sdkKeys: [String] = [], limits: ClientLimits = ClientLimits(),
        datafile: [UInt8] = TestDatafile.shop(), _ change: (inout AgentServices) -> Void = { _ in },
        decisions: (inout DecisionServices) -> Void = { _ in }
    ) throws {
        try directory.publish(datafile, for: "shop")
        var services = DecisionServices()
        services.events = events
        services.profiles = MemoryProfileStore()
        services.clock = clock
        services.random = .seeded(7)
        services.log = .silent
        decisions(&services)
        clients = DecisionClients(directory, services: services, limits: limits)
        var agentServices = AgentServices()
        agentServices.log = .silent
        agentServices.allowsProfileRoutes = true
        agentServices.wallClock = .fixed(1_700_000_000_000)
        change(&agentServices)
        var server = ServerConfiguration()
        (server.agent, server.sdkKeys) = (configuration, sdkKeys)
        agent = Agent(clients, configuration: server, services: agentServices)
        let routes = agent.api + agent.webhook + agent.admin
        var options = AccessOptions()
        options.allowedHosts = hosts
        let access = AccessControl(
            options, listeningOn: "127.0.0.1", tokens: ManagementTokens(cryptography: WeakCryptography()))
        let pipeline = RequestPipeline(
            RouteTable(routes), access: access, metrics: RequestMetrics(),
            log: RequestLog(StructuredLog(LogOptions()) { _ in }, .none), random: .seeded(8))
        handler = pipeline.adding(agent.batch(pipeline))
    }

    /// Sends a request with the SDK key `shop`, unless `headers` say otherwise.
    func send(
        _ method: String, _ address: String, _ body: String = "", headers: HeaderFields = [:]
    ) async -> ServerResponse {
        let parts = address.split(separator: "?", maxSplits: 1)
        var fields: HeaderFields = ["X-Optimizely-SDK-Key": "shop", "Content-Type": "application/json"]
        for field in headers.fields { fields[field.name] = field.value.isEmpty ? nil : field.value }
        let head = RequestHead(
            method, String(parts[0]), query: QueryParameters(parsing: parts.count > 1 ? parts[1] : ""),
            headers: fields)
        return await handler.respond(to: ServerRequest(head, body: Array(body.utf8))).response
    }

    func post(_ address: String, _ body: String = "", headers: HeaderFields = [:]) async -> String {
        await send("POST", address, body, headers: headers).statusAndText
    }

    func get(_ address: String, headers: HeaderFields = [:]) async -> String {
        await send("GET", address, headers: headers).statusAndText
    }
}

extension DecisionClient {
    /// The decisions of a request.
    func decide(_ flags: RequestedFlags, for user: User, options: DecideOptions = []) async -> [Decision] {
        let decided = Locked<[Decision]>([])
        let answer = answer(flags, for: user, options: options) { decisions in
            decided.withLock { $0 = decisions }
            return ServerResponse(200)
        }
        _ = await answer.response
        return decided.withLock { $0 }
    }
}

/// Keeps the events that it receives.
final class RecordedEvents: EventSink {
    private let events = Locked<[OutgoingEvent]>([])

    var count: Int { events.withLock { $0.count } }
    var last: String { events.withLock { $0.last.map { String(decoding: $0.visitor, as: UTF8.self) } ?? "" } }

    func accept(_ event: OutgoingEvent) -> EventAcceptance {
        events.withLock { $0.append(event) }
        return .accepted
    }

    func flush() async {}
    func flush(within limit: Duration) async {}
    func close(within limit: Duration) async {}
    var losses: EventLosses { EventLosses() }
}
