import TestSupport
import TurnoutServer

@Suite("The steps before the Agent's routes")
struct AgentStepsTests {
    private static let forbidden =
        "403 {\"error\":\"unable to fetch fresh datafile (consider rechecking SDK key), status code: 403 Forbidden\"}\n"

    private static let notJSON = "415 {\"error\":\"send Content-Type: application/json\"}\n"

    // MARK: SDK keys

    @Test func aRequestNeedsAnSDKKey() async throws {
        let agent = try TestAgent()
        let missing = "400 {\"error\":\"missing required X-Optimizely-SDK-Key header\"}\n"
        #expect(await agent.get("/v1/config", headers: ["X-Optimizely-SDK-Key": ""]) == missing)
        #expect(await agent.get("/v1/config", headers: ["X-Optimizely-SDK-Key": "none"]) == Self.forbidden)
        let invalid = "400 {\"error\":\"sdkKey failed validation\"}\n"
        for key in ["a-b", "a:b:c", ":", "a:", "a b"] {
            #expect(await agent.get("/v1/config", headers: ["X-Optimizely-SDK-Key": key]) == invalid)
        }
        #expect(agent.clients.counts.clients == 0)
        #expect(agent.clients.counts.unknownKeys == 6)
    }

    @Test func aKnownKeyMayHaveAnyCharacters() async throws {
        let agent = try TestAgent()
        try agent.directory.publish(TestDatafile.shop(), for: "shop-fi")
        #expect(await agent.get("/v1/config", headers: ["X-Optimizely-SDK-Key": "shop-fi"]).hasPrefix("200"))
    }

    @Test func anAccessTokenFollowsTheKey() async throws {
        let agent = try TestAgent { $0.allowsAccess = { key, token in key == "shop" && token == "secret" } }
        #expect(await agent.get("/v1/config", headers: ["X-Optimizely-SDK-Key": "shop:secret"]).hasPrefix("200"))
        #expect(await agent.get("/v1/config", headers: ["X-Optimizely-SDK-Key": "shop:other"]) == Self.forbidden)
        #expect(await agent.get("/v1/config") == Self.forbidden)
    }

    // MARK: Content types

    @Test func contentHasToBeJSON() async throws {
        let agent = try TestAgent()
        let text = await agent.send("POST", "/v1/decide", "x", headers: ["Content-Type": "text/plain"])
        #expect(text.statusAndText == Self.notJSON)
        #expect(text.headers["Content-Type"]?.hasPrefix("application/json") == true)
        for path in ["/v1/decide", "/v1/activate?type=feature", "/v1/track?eventKey=a", "/v1/lookup", "/v1/save"] {
            #expect(await agent.post(path, "x", headers: ["Content-Type": ""]) == Self.notJSON, "\(path)")
        }
        #expect(await agent.post("/v1/decide", "", headers: ["Content-Type": ""]).hasPrefix("400"))
        let json: HeaderFields = ["Content-Type": "Application/JSON; charset=utf-8"]
        #expect(await agent.post("/v1/decide?keys=search", #"{"userId": "a"}"#, headers: json).hasPrefix("200"))
        let both: HeaderFields = ["Content-Type": "text/plain", "X-Optimizely-SDK-Key": "none"]
        #expect(await agent.post("/v1/decide", "x", headers: both) == Self.forbidden)
    }

    // MARK: Health and hosts

    @Test func anyPathThatEndsInHealthReportsIt() async throws {
        let agent = try TestAgent()
        for path in ["/health", "/v1/health", "/some/thing/HEALTH"] {
            #expect(await agent.get(path, headers: ["X-Optimizely-SDK-Key": ""]) == "200 {\"status\":\"ok\"}\n")
        }
        #expect(await agent.post("/health").hasPrefix("405"))
    }

    @Test(
        arguments: [
            (["Host": "shop.example.com:8080"], true), (["Host": "127.0.0.1"], true),
            (["Host": "a.b.example.org"], true),
            (["Host": "example.org"], false), (["Host": "evil.com"], false), ([:], true),
            (["Host": "evil.com", "X-Forwarded-Host": "shop.example.com"], false),
            (["Host": "shop.example.com", "X-Forwarded-Host": "a.example.org, evil.com"], false),
            (["Host": "shop.example.com", "X-Forwarded-Host": "a.example.org, shop.example.com"], true),
            (["Host": "shop.example.com", "X-Forwarded-Host": "evil.com"], false),
            (["Host": "evil.com", "Forwarded": "for=1.2.3.4;Host=\"shop.example.com:80\""], false),
            (["Host": "shop.example.com", "Forwarded": "for=1.2.3.4;Host=\"a.example.org:80\""], true),
            (["Host": "shop.example.com", "Forwarded": "host=a.example.org, for=1.2.3.4;host=evil.com"], false),
        ] as [([String: String], Bool)])
    func requestsNameAnAllowedHost(headers: [String: String], isAllowed: Bool) async throws {
        let hosts = ["shop.example.com", ".example.org"]
        let agent = try TestAgent(hosts: hosts)
        var fields = HeaderFields()
        for (name, value) in headers { fields.append(name, value) }
        let response = await agent.get("/v1/datafile", headers: fields)
        #expect(response.hasPrefix(isAllowed ? "200" : "404 {\"error\":\"invalid request host\"}\n"))
        #expect(await agent.get("/health", headers: fields).hasPrefix("200"))
        #expect(await (try TestAgent(hosts: hosts + ["."])).get("/v1/datafile", headers: fields).hasPrefix("200"))
    }

    // MARK: Description

    @Test func theRootSaysWhereTheDescriptionIs() async throws {
        let version = Server.version
        #expect(
            await (try TestAgent()).get("/")
                == "200 Turnout \(version). The routes are described at /openapi.yaml\n")
    }

    @Test func theDescriptionIsServed() async throws {
        #expect(await (try TestAgent()).get("/openapi.yaml") == "200 " + OpenAPIDocument.text)
    }

    // MARK: Administration and webhook

    @Test func administratorsSeeVersionAndConfiguration() async throws {
        var configuration = AgentConfiguration()
        configuration.webhookProjects = [20: AgentWebhookProject(sdkKeys: ["shop"], secret: "hidden")]
        let uptime = Duration.seconds(93_789)
        let agent = try TestAgent(configuration, sdkKeys: ["shop"]) { services in
            services.uptime = { uptime }
        }
        let info = await agent.send("GET", "/info")
        let text =
            #"{"version":"0.1.0","author":"Turnout","app_name":"turnout","uptime":"26h3m9s","host":"127.0.0.1"}"#
        #expect(info.statusAndText == "200 \(text)\n")
        #expect(info.headers["App-Name"] == "turnout" && info.headers["App-Version"] == "0.1.0")
        let config = await agent.get("/config")
        #expect(config.contains(#""sdkKeys":["shop"]"#) && config.contains(#""operationsLimit":500"#))
        #expect(!config.contains("hidden"))
    }

    @Test func theWebhookRequestsDatafilesAgain() async throws {
        var configuration = AgentConfiguration()
        configuration.webhookProjects = [
            20: AgentWebhookProject(sdkKeys: ["shop", "other"], secret: "s"),
            21: AgentWebhookProject(sdkKeys: ["third"], secret: "", skipsSignature: true),
        ]
        let requested = Locked<[String]>([])
        let log = MemoryLog()
        let agent = try TestAgent(configuration) { services in
            services.log = log
            services.cryptography = WeakCryptography()
            services.refresh = { key in requested.withLock { $0.append(key) } }
        }
        func announce(_ body: String, _ signature: String = "") async -> String {
            await agent.post("/webhooks/optimizely", body, headers: ["X-Hub-Signature": signature])
        }
        let body = #"{"project_id": 20, "event": "project.datafile_updated"}"#
        let mac = WeakCryptography().hmacSHA1(Array(body.utf8), key: Array("s".utf8))
        let signature = "sha1=" + mac.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(await announce(body, signature) == "204 ")
        #expect(requested.withLock { $0 } == ["shop", "other"])
        let wrong = "400 {\"error\":\"Computed signature does not match signature in request. Ignoring message.\"}\n"
        #expect(await announce(body, "sha1=00") == wrong)
        #expect(await announce(body) == wrong)
        #expect(log.entries.count { $0.message.contains("project 20 has a wrong signature") } == 1)
        #expect(await announce(body, signature) == "204 ")
        #expect(await announce(body) == wrong)
        #expect(log.entries.count { $0.message.contains("project 20 has a wrong signature") } == 2)
        requested.withLock { $0 = ["shop", "other"] }
        #expect(await announce(#"{"project_id": 21}"#) == "204 ")
        #expect(await announce(#"{"project_id": 99}"#) == "204 ")
        for id in [99, 98, 99] { #expect(await announce(#"{"project_id": \#(id)}"#) == "204 ") }
        #expect(log.entries.count { $0.message.contains("named project 99, which is not configured") } == 1)
        #expect(log.entries.count { $0.message.contains("named project 98, which is not configured") } == 1)
        #expect(await announce("{}") == "204 ")
        let unreadable = "400 {\"error\":\"Unable to parse webhook message.\"}\n"
        for body in ["", "x", "[]", #"{"project_id": "20"}"#] { #expect(await announce(body) == unreadable) }
        #expect(requested.withLock { $0 } == ["shop", "other", "third"])
        let text = await agent.post("/webhooks/optimizely", body, headers: ["Content-Type": "text/plain"])
        #expect(text == Self.notJSON)
    }
}

@Suite("The Agent's interface in front of another server")
struct AgentRelayTests {
    @Test func anUnknownKeyIsAskedForUpstream() async throws {
        let clock = ManualClock()
        let directory = DatafileDirectory(wallClock: .fixed(0))
        let source = MemoryDatafileSource(TestDatafile.shop())
        let created = Locked<[String]>([])
        let upstream = UpstreamDatafiles(into: directory, clock: clock, log: .silent) { key in
            created.withLock { $0.append(key) }
            guard key == "shop" else {
                let unknown = MemoryDatafileSource()
                unknown.fail(with: DatafileSourceError.status(403))
                return unknown
            }
            return source
        }
        var services = DecisionServices()
        (services.clock, services.log) = (clock, .silent)
        let clients = DecisionClients(directory, services: services, upstream: upstream)
        var agentServices = AgentServices()
        agentServices.refresh = { upstream.refresh($0) }
        agentServices.allowsAccess = { key, _ in key != "protected" }
        let agent = Agent(clients, configuration: ServerConfiguration(), services: agentServices)
        let table = RouteTable(agent.api)
        func status(_ key: String) async -> Int {
            let head = RequestHead("GET", "/v1/config", headers: ["X-Optimizely-SDK-Key": key])
            return await table.respond(to: ServerRequest(head)).response.status
        }
        #expect(await status("shop") == 200)
        #expect(await status("shop") == 200)
        #expect(await status("none") == 403)
        #expect(await status("protected") == 403)
        #expect(await status("not-plausible") == 400)
        #expect(created.withLock { $0 } == ["shop", "none"])
        #expect(clients.counts.clients == 1)
        source.publish(TestDatafile.shop(revision: 2))
        upstream.refresh("shop")
        try await wait("the new datafile") { directory["shop"]?.project.revision == "2" }
        #expect(clients["shop"]?.served.project.revision == "2")
        upstream.close()
    }
}
