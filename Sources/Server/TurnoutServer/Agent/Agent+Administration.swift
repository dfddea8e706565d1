import TurnoutClient
import TurnoutEngine

extension Agent {
    /// `GET /info`.
    var info: ServerResponse {
        .go { writer in
            writer.object {
                $0.member("version", services.version)
                $0.member("author", "Turnout")
                $0.member("app_name", "turnout")
                $0.member("uptime", services.uptime().goText)
                $0.member("host", server.host)
            }
        }
    }

    /// `POST /webhooks/optimizely`: requests the datafiles of a project again.
    func webhook(_ request: ServerRequest) -> ServerResponse {
        guard request.body.isEmpty || request.hasJSON else { return .notJSON }
        guard let message = try? JSONValue(parsing: request.body), case .object = message,
            let projectID = Self.projectID(in: message)
        else { return .agentError(400, "Unable to parse webhook message.") }
        guard let project = configuration.webhookProjects[projectID] else {
            ignore(projectID, "the webhook named project \(projectID), which is not configured")
            return ServerResponse(204)
        }
        guard project.skipsSignature || isSigned(request, by: project) else {
            ignore(projectID, "the webhook's message for project \(projectID) has a wrong signature")
            let message = "Computed signature does not match signature in request. Ignoring message."
            return .agentError(400, message)
        }
        ignoredProjects.withLock { _ = $0.remove(projectID) }
        for sdkKey in project.sdkKeys { services.refresh(sdkKey) }
        return ServerResponse(204)
    }

    /// Logs why messages are ignored, once until one of the project is valid: anyone can call the webhook.
    private func ignore(_ projectID: Int64, _ reason: String) {
        let isNew = ignoredProjects.withLock { $0.count < 1_000 && $0.insert(projectID).inserted }
        if isNew { services.log(.warning, "\(reason); such messages are ignored") }
    }

    /// The id in a message; 0 without one, nil if it is not a whole number.
    private static func projectID(in message: JSONValue) -> Int64? {
        switch message["project_id"] {
        case .integer(let id): id
        case nil, .null: 0
        default: nil
        }
    }

    private func isSigned(_ request: ServerRequest, by project: AgentWebhookProject) -> Bool {
        guard let cryptography = services.cryptography, !project.secret.isEmpty else { return false }
        let mac = cryptography.hmacSHA1(request.body, key: Array(project.secret.utf8))
        let digits = Array("0123456789abcdef".utf8)
        let expected = Array("sha1=".utf8) + mac.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        let signature = Array((request.head.headers["X-Hub-Signature"] ?? "").utf8)
        return cryptography.isEqualInConstantTime(expected, signature)
    }
}

extension ServerConfiguration {
    /// The configuration with the members that the vendor's Agent prints. Secrets are left out, and so are the settings
    /// of stores and caches, which contain some.
    var agentJSON: [UInt8] {
        var writer = JSONWriter.go()
        writer.beginObject()
        writer.member("author", "Turnout")
        writer.member("name", "turnout")
        writer.member("sdkKeys", sdkKeys)
        writer.object("admin") { $0.member("port", "\(port)") }
        writer.object("api") { writer in
            writer.object("cors") { write(access.cors, to: &$0) }
            writer.member("maxConns", limits.connections)
            writer.member("port", "\(port)")
            writer.member("enableNotifications", agent.allowsNotifications)
            writer.member("enableOverrides", agent.allowsOverrides)
        }
        writer.object("log") { $0.member("level", "\(log.level)") }
        writer.object("client") { writer in
            writer.member("datafileURLTemplate", upstream?.withoutCredentials ?? "")
            writer.member("eventURL", events.forwardingAddress?.withoutCredentials ?? "")
            writer.object("userProfileService") { $0.member("default", agent.profileServices.standard ?? "") }
            writer.object("odp") { writer in
                writer.member("disable", agent.disablesSegments)
                writer.object("segmentsCache") { $0.member("default", agent.segmentCaches.standard ?? "") }
            }
            writer.object("cmab") { writer in
                writer.member("predictionEndpoint", agent.predictionAddress?.withoutCredentials ?? "")
            }
        }
        writer.object("server") { writer in
            writer.member("allowedHosts", access.allowedHosts ?? [])
            writer.member("healthCheckPath", agent.healthPath)
            writer.member("host", host)
            writer.object("batchRequests") { writer in
                writer.member("maxConcurrency", agent.batchConcurrency)
                writer.member("operationsLimit", agent.batchLimit)
            }
        }
        writer.object("webhook") { writer in
            writer.member("port", "\(port)")
            writer.object("projects") { write(agent.webhookProjects, to: &$0) }
        }
        writer.endObject()
        return writer.goDocument
    }

    private func write(_ cors: CORSOptions, to writer: inout JSONWriter) {
        writer.member("allowedOrigins", cors.origins)
        writer.member("allowedMethods", [])
        writer.member("allowedHeaders", cors.headers)
        writer.member("exposedHeaders", cors.exposedHeaders)
        writer.member("allowedCredentials", false)
        writer.member("maxAge", Int(cors.maximumAge.components.seconds))
    }

    private func write(_ projects: [Int64: AgentWebhookProject], to writer: inout JSONWriter) {
        for (id, project) in projects.sorted(by: { $0.key < $1.key }) {
            writer.object(String(id)) { writer in
                writer.member("sdkKeys", project.sdkKeys)
                writer.member("skipSignatureCheck", project.skipsSignature)
            }
        }
    }
}

extension Duration {
    /// The duration as Go prints it, in whole seconds: `26h3m9s`.
    fileprivate var goText: String {
        let seconds = components.seconds
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        return (hours > 0 ? "\(hours)h" : "") + (seconds >= 60 ? "\(minutes)m" : "") + "\(seconds % 60)s"
    }
}
