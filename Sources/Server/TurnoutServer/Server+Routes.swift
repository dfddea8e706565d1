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
            services.clients, tokens: tokens, refusal: { agent.refusal(of: $0, for: $1) },
            changes: configuration.limits.streams > 0 ? changes : nil, options: configuration.ofrep)
        return datafiles.all + agent.api + agent.webhook + agent.admin + ofrep.routes + services.events.routes
            + SegmentRoutes(services.platform, wallClock: adapters.wallClock).all
            + SegmentManagementRoutes(services.platform).all
            + UserRoutes(services.users, messages: adapters.log).all
            + PredictionRoutes(services.predictions).routes
            + RolloutRoutes(services.rollouts).all
    }
}
