import TurnoutClient
import TurnoutEngine

/// The interface of the vendor's Agent: the same routes, texts and orders, over this server's deciding clients.
///
/// A request under `/v1` passes these steps, each of which may answer it: the SDK key, the token, the type of the
/// content, the route.
package final class Agent: Sendable {
    let clients: DecisionClients
    let server: ServerConfiguration
    let services: AgentServices
    let tokens: AgentTokens
    let adminTokens: AgentTokens
    /// Hashing a password takes long.
    let passwordChecks = ConcurrencyLimit(4)
    /// The projects whose messages the webhook ignores, because they are not configured or have a wrong signature.
    let ignoredProjects = Locked<Set<Int64>>([])

    var configuration: AgentConfiguration { server.agent }

    package init(_ clients: DecisionClients, configuration server: ServerConfiguration, services: AgentServices) {
        self.clients = clients
        self.server = server
        self.services = services
        let (cryptography, clock) = (services.cryptography, services.wallClock)
        tokens = AgentTokens(server.agent.apiAuthorization, cryptography: cryptography, wallClock: clock)
        adminTokens = AgentTokens(server.agent.adminAuthorization, cryptography: cryptography, wallClock: clock)
    }

    // MARK: Routes

    package var api: [Route] {
        [
            route("GET", "/v1/config", "the contents of the datafile") { .now(self.config($0)) },
            route("GET", "/v1/datafile", "the datafile") { .now(self.datafile($0)) },
            route("POST", "/v1/decide", "decides flags", self.decide),
            route("POST", "/v1/activate", "decides experiments and flags, as before `decide`", self.activate),
            route("POST", "/v1/track", "records a conversion", self.track),
            route("POST", "/v1/override", "puts a user into a variation", self.override),
            route("POST", "/v1/lookup", "the stored assignments of a user", self.lookup),
            route("POST", "/v1/save", "replaces the stored assignments of a user", self.save),
            route("POST", "/v1/send-odp-event", "reports an event to the data platform") {
                .now(self.sendSegmentEvent($0))
            },
            route("POST", "/v1/reset", "forgets overrides and cached predictions") { .now(self.reset($0)) },
            route("GET", "/v1/notifications/event-stream", "streams decisions and conversions") {
                .now(self.notifications($0))
            },
            Route("POST", "/oauth/token", "issues a token", bodyLimit: .credentials, respond: token(for:)),
            Route(
                "GET", "/health", "tells whether the process is alive", ending: configuration.healthPath, access: .probe
            ) { _ in .now(.json(200, Array("{\"status\":\"ok\"}\n".utf8))) },
            Route("GET", "/openapi.yaml", "describes these routes", access: .open) { _ in .now(OpenAPIDocument.response)
            },
            Route("GET", "/", "names the server; leads browsers to the console", access: .open) { request in
                if request.head.headers["Accept"]?.contains("text/html") == true {
                    return .now(.redirection(to: "/console/"))
                }
                return .now(.text(200, "Turnout \(self.services.version). The routes are described at /openapi.yaml\n"))
            },
        ]
    }

    package var admin: [Route] {
        [
            adminRoute("/config", "the configuration, without secrets") { .json(200, $0.server.agentJSON) },
            adminRoute("/info", "the version, and the time since the start") { $0.info },
        ]
    }

    /// The route for announcements of changed datafiles.
    package var webhook: [Route] {
        [
            Route("POST", "/webhooks/optimizely", "announces a changed datafile", access: .intake) {
                .now(self.webhook($0))
            }
        ]
    }

    /// The route for several requests in one, each of which passes a pipeline.
    package func batch(_ pipeline: RequestPipeline) -> Route {
        let batch = AgentBatch(configuration, services, pipeline)
        return Route(
            "POST", "*/batch", "answers several requests, each with its own headers", ending: "/batch",
            bodyLimit: .batch, access: .open, respond: batch.respond)
    }

    // MARK: The steps before a route

    private func route(
        _ method: String, _ path: String, _ summary: String, _ respond: @escaping @Sendable (AgentCall) -> Answer
    ) -> Route {
        Route(method, path, summary) { request in
            guard let key = self.loadableKey(of: request) else { return self.answer(request, nil, respond) }
            return self.clients.loading(key) { self.answer(request, $0, respond) }
        }
    }

    private func answer(
        _ request: ServerRequest, _ absence: DatafileAbsence?, _ respond: @Sendable (AgentCall) -> Answer
    ) -> Answer {
        switch admit(request, absence) {
        case .failure(let refusal): .now(refusal.response)
        case .success(let client): respond(AgentCall(request: request, client: client))
        }
    }

    /// The SDK key of a request, if its datafile may be downloaded for it.
    private func loadableKey(of request: ServerRequest) -> String? {
        guard let text = request.head.headers[ClientKey.header], Self.isPlausible(text) else { return nil }
        let key = ClientKey(text)
        return services.allowsAccess(key.sdkKey, key.accessToken) ? key.sdkKey : nil
    }

    /// The client for a request, or the response that refuses it. `absence` is why upstream has sent no datafile of the
    /// SDK key; nil if it was not asked, or has sent one.
    private func admit(
        _ request: ServerRequest, _ absence: DatafileAbsence?
    ) -> Result<DecisionClient, AgentRefusal> {
        guard let key = request.head.headers["X-Optimizely-SDK-Key"], !key.isEmpty else {
            return .failure(AgentRefusal(400, "missing required X-Optimizely-SDK-Key header"))
        }
        let (sdkKey, accessToken) = (ClientKey(key).sdkKey, ClientKey(key).accessToken)
        let isAllowed = services.allowsAccess(sdkKey, accessToken)
        if isAllowed, let name = request.head.headers["X-Optimizely-UPS-Name"], !name.isEmpty,
            tokens.refusal(of: request.head, for: key) == nil
        {
            clients.chooseProfiles(name, for: sdkKey)
        }
        guard isAllowed, let client = clients[sdkKey] else {
            guard Self.isPlausible(key) else { return .failure(AgentRefusal(400, "sdkKey failed validation")) }
            if case .unavailable? = absence {
                return .failure(AgentRefusal(500, "failed to instantiate Optimizely for SDK Key: \(sdkKey)"))
            }
            return .failure(
                AgentRefusal(
                    403,
                    "unable to fetch fresh datafile (consider rechecking SDK key), status code: 403 Forbidden"))
        }
        if let response = tokens.refusal(of: request.head, for: key) { return .failure(AgentRefusal(response)) }
        guard request.body.isEmpty || request.head.method != "POST" || request.hasJSON else {
            return .failure(AgentRefusal(.notJSON))
        }
        return .success(client)
    }

    /// Whether a text looks like an SDK key, with or without an access token, to the vendor's Agent.
    private static func isPlausible(_ key: String) -> Bool {
        let parts = key.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10
                            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
                            || byte == UInt8(ascii: "_")
                    }
            }
    }

    private func adminRoute(
        _ path: String, _ summary: String, _ respond: @escaping @Sendable (Agent) -> ServerResponse
    ) -> Route {
        // Without tokens of its own, the route is for the server's operator.
        let access: RouteAccess = configuration.adminAuthorization.isEnabled ? .open : .management(.read)
        return Route("GET", path, summary, access: access) { request in
            var response = self.adminTokens.administratorRefusal(of: request.head) ?? respond(self)
            response.headers["Author"] = "Turnout"
            response.headers["App-Name"] = "turnout"
            response.headers["App-Version"] = self.services.version
            return .now(response)
        }
    }

    // MARK: Datafile and notifications

    /// `GET /v1/datafile`: the datafile as it is served everywhere.
    private func datafile(_ call: AgentCall) -> ServerResponse {
        let served = call.client.served
        return Self.response(served.content, tag: served.entityTag, to: call.request)
    }

    /// `GET /v1/config`: the contents of the datafile.
    private func config(_ call: AgentCall) -> ServerResponse {
        let (served, body) = call.client.listing { ProjectListing($0).json }
        // A different representation of the same content has a tag of its own.
        let tag = served.entityTag.dropLast() + "-config\""
        return Self.response(body, tag: String(tag), to: call.request)
    }

    private static func response(_ body: SharedBody, tag: String, to request: ServerRequest) -> ServerResponse {
        guard !EntityTag.isNamed(tag, in: request.head) else { return ServerResponse(304, headers: ["ETag": tag]) }
        return ServerResponse(
            200, headers: ["Content-Type": "application/json; charset=utf-8", "ETag": tag], body: .shared(body))
    }

    /// `GET /v1/notifications/event-stream`: decisions, conversions and changes of the datafile, as they happen.
    private func notifications(_ call: AgentCall) -> ServerResponse {
        guard configuration.allowsNotifications else { return .text(403, "Notification stream not enabled\n") }
        let query = call.request.head.query
        let filters = query.values("filter")
        // Unknown names are ignored, so a list of only such names receives nothing.
        let kinds =
            filters.isEmpty
            ? NotificationKind.allCases
            : filters.flatMap { $0.split(separator: ",") }.compactMap { NotificationKind(rawValue: String($0)) }
        let stream = call.client.notifications.subscribe(
            to: Set(kinds), isRaw: query["raw"] != nil, after: call.request.head.headers["Last-Event-ID"])
        guard let stream else { return .agentError(503, "too many notification streams") }
        return .events(stream)
    }
}

/// A request under `/v1` that was admitted.
struct AgentCall: Sendable {
    let request: ServerRequest
    let client: DecisionClient
}

/// The response to a request that is refused.
struct AgentRefusal: Error {
    let response: ServerResponse

    init(_ response: ServerResponse) { self.response = response }
    init(_ status: Int, _ message: String) { response = .agentError(status, message) }
}

extension ServerRequest {
    /// Whether the content is JSON.
    var hasJSON: Bool {
        guard let type = head.headers["Content-Type"] else { return false }
        let name = type.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        return String(Substring(name)).equalsIgnoringCase("application/json")
    }
}

extension ServerResponse {
    /// A response of JSON as Go's encoder writes it.
    static func go(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> ServerResponse {
        var writer = JSONWriter.go()
        write(&writer)
        return .json(status, writer.goDocument)
    }

    /// An error: `{"error":"…"}`.
    static func agentError(_ status: Int, _ message: String) -> ServerResponse {
        .go(status) { $0.object { $0.member("error", message) } }
    }

    /// The refusal of content that is not said to be JSON. The vendor's Agent has an empty body.
    static var notJSON: ServerResponse { .agentError(415, "send Content-Type: application/json") }
}
