import TestSupport
import TurnoutFlags
import TurnoutServer

@Suite("Access")
struct AccessTests {
    private static let evaluation = "/ofrep/v1/evaluate/flags/checkout_redesign"
    private static let ada = #"{"context":{"targetingKey":"ada"}}"#

    // MARK: Keys

    @Test func aKeyMayCarryATokenForItsDatafile() {
        let head = RequestHead("GET", "/", headers: ["X-Optimizely-SDK-Key": "key:token:more", "X-API-Key": "other"])
        #expect(head.clientKey == ClientKey(sdkKey: "key", accessToken: "token:more"))
        #expect(RequestHead("GET", "/", headers: ["X-API-Key": ""]).clientKey == nil)
    }

    @Test(arguments: [
        ("/p/a%2Bb/ofrep/v1/configuration", "/ofrep/v1/configuration", "a+b"), ("/p/key/", "/", "key"),
        ("/p/key", "/p/key", nil), ("/p//v1/decide", "/p//v1/decide", nil), ("/v1/decide", "/v1/decide", nil),
    ]) func aKeyInThePathMovesToTheHeader(path: String, rest: String, key: String?) {
        var head = RequestHead("GET", path)
        head.moveKeyFromPath()
        #expect(head.path == rest)
        #expect(head.clientKey?.sdkKey == key)
    }

    @Test func labelsDistinguishKeysWithoutShowingThem() {
        #expect("ShopDemoSdkKey".keyLabel.hasPrefix("ShopDe…"))
        #expect("ShopDemoSdkKey1".keyLabel != "ShopDemoSdkKey2".keyLabel)
        #expect(!"abcd".keyLabel.contains("abc"))
    }

    // MARK: Hosts

    @Test func aServerOfThisMachineAnswersOnlyToItsNames() async throws {
        let shop = try ShopServer()
        func status(_ headers: HeaderFields) async -> Int { await shop.response("GET", "/metrics", headers).status }
        #expect(await status(["Host": "localhost:8080"]) == 200)
        #expect(await status(["Host": "LOCALHOST"]) == 200)
        #expect(await status(["Host": "[::1]:8080"]) == 200)
        #expect(await status(["Host": "attacker.example"]) == 404)
        #expect(await status(["Host": "localhost", "X-Forwarded-Host": "attacker.example"]) == 404)
        // A page of that host, whose name leads to this machine, may add the headers of proxies.
        #expect(await status(["Host": "attacker.example", "X-Forwarded-Host": "localhost"]) == 404)
        #expect(await status(["Host": "attacker.example", "Forwarded": "host=localhost"]) == 404)
        #expect(await status(["Host": "localhost", "Forwarded": "for=1.2.3.4; host=\"attacker.example\""]) == 404)
        #expect(await shop.response("GET", "/health", ["Host": "10.0.0.7"]).status == 200)
    }

    @Test func hostsCanBeAllowed() async throws {
        let shop = try ShopServer { $0.access.allowedHosts = ["flags.example", ".shop.example"] }
        func status(_ host: String) async -> Int {
            await shop.response("POST", Self.evaluation, ["Host": host, "X-API-Key": ShopServer.key], body: Self.ada)
                .status
        }
        #expect(await status("flags.example") == 200)
        #expect(await status("eu.shop.example:443") == 200)
        #expect(await status("shop.example") == 404)
        #expect(await status("127.0.0.1") == 200)
        let open = try ShopServer { $0.host = "0.0.0.0" }
        let response = await open.response(
            "POST", Self.evaluation, ["Host": "any.example", "X-API-Key": ShopServer.key], body: Self.ada)
        #expect(response.status == 200)
    }

    // MARK: Management

    static func token(_ text: String, _ scopes: Set<ManagementScope>) throws -> ManagementTokens.Token {
        let hash = NettleCryptography().sha256(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let names = scopes.map(\.rawValue).joined(separator: ", ")
        let text = #"{"tokens": {"ci": {"sha256": "\#(hash.joined())", "scopes": ["\#(names)"]}}}"#
        let source = SourceFile(name: "tokens.json", bytes: Array(text.utf8))
        return try ManagementTokens.read(try Node(json: source), in: source)[0]
    }

    @Test func withoutTokensManagementIsForThisMachine() async throws {
        let shop = try ShopServer()
        #expect(await shop.response("GET", "/status", [:]).status == 200)
        #expect(await shop.response("GET", "/status", [:], from: "::1").status == 200)
        #expect(await shop.response("GET", "/status", [:], from: "10.0.0.7").status == 403)
        // A proxy on this machine forwards requests of others.
        #expect(await shop.response("GET", "/status", ["X-Forwarded-For": "10.0.0.7"]).status == 403)
        // A web page in a browser on this machine.
        #expect(await shop.response("GET", "/status", ["Origin": "https://attacker.example"]).status == 403)
    }

    @Test(arguments: [("PUT", "/segments/vip/users/ada", "flags"), ("GET", "/users/ada/segments", "events")])
    func changesAndEventsNeedATokenOrASetting(method: String, path: String, scope: String) async throws {
        let refused = await (try ShopServer()).response(method, path, [:])
        #expect(refused.status == 403)
        for part in ["\"\(scope)\\\"", "turnout token new", "--token-file", "access.local_management=true"] {
            #expect(refused.text.contains(part), "\(refused.text)")
        }
        let development = try ShopServer { $0.access.allowsLocalManagement = true }
        #expect(await development.response(method, path, [:]).status != 403)
        #expect(await development.response(method, path, [:], from: "10.0.0.7").status == 403)
        #expect(await development.response(method, path, ["X-Forwarded-For": "10.0.0.7"]).status == 403)
        #expect(await development.response(method, path, ["Origin": "https://attacker.example"]).status == 403)
        // With tokens, the setting allows nothing.
        let token = try Self.token("secret", [.read])
        let production = try ShopServer(tokens: [token]) { $0.access.allowsLocalManagement = true }
        #expect(await production.response(method, path, [:]).status == 401)
    }

    @Test func tokensCanBeReplaced() async throws {
        let shop = try ShopServer(tokens: [try Self.token("old", [.read])])
        func status(_ token: String) async -> Int {
            await shop.response("GET", "/status", ["Authorization": "Bearer " + token]).status
        }
        #expect(await status("old") == 200)
        shop.server.use([try Self.token("new", [.read])])
        #expect(await status("old") == 401)
        #expect(await status("new") == 200)
    }

    @Test func administratorsOfTheAgentReadTheMetrics() async throws {
        var authorization = AgentConfiguration().adminAuthorization
        // The hash of "a".
        let hash = "$2b$04$abcdefghijklmnopqrstuuMFdJu9yVgmagVAIC24fOZkaFqd3s9JC"
        authorization.clients = [.init(id: "admin", secretHash: Array(hash.utf8), sdkKeys: [])]
        authorization.secrets = [Array("secret".utf8)]
        authorization.timeToLive = .seconds(60)
        let shop = try ShopServer { $0.agent.adminAuthorization = authorization }
        // Requests from this machine need one, too, unless they may do everything.
        #expect(await shop.response("GET", "/metrics", [:]).status == 401)
        let open = try ShopServer {
            $0.agent.adminAuthorization = authorization
            $0.access.allowsLocalManagement = true
        }
        #expect(await open.response("GET", "/metrics", [:]).status == 200)
        let issued = try await shop.response(
            "POST", "/oauth/token", ["Content-Type": "application/x-www-form-urlencoded"],
            body: "grant_type=client_credentials&client_id=admin&client_secret=YQ%3D%3D"
        ).json
        guard case .string(let token)? = issued["access_token"] else { return #expect(Bool(false), "\(issued)") }
        for path in ["/metrics", "/info", "/config"] {
            func status(_ headers: HeaderFields) async -> Int {
                await shop.response("GET", path, headers, from: "10.0.0.7").status
            }
            #expect(await status(["Authorization": "Bearer " + token]) == 200, "\(path)")
            #expect(await status([:]) != 200, "\(path)")
        }
        let upload = await shop.response("PUT", "/segments/vip/users/ada", ["Authorization": "Bearer " + token])
        #expect(upload.status == 403)
    }

    @Test func aTokenNeedsTheScope() async throws {
        let shop = try ShopServer(tokens: [try Self.token("secret", [.read])])
        func status(_ authorization: String?) async -> ServerResponse {
            await shop.response("GET", "/status", authorization.map { ["Authorization": $0] } ?? [:])
        }
        #expect(await status("Bearer secret").status == 200)
        #expect(await status("bearer secret").status == 200)
        let missing = await status(nil)
        #expect(missing.status == 401)
        #expect(missing.headers["WWW-Authenticate"] == "Bearer")
        #expect(await status("Bearer other").status == 401)
        #expect(await status("Basic secret").status == 401)
        let other = try ShopServer(tokens: [try Self.token("secret", [.events])])
        #expect(await other.response("GET", "/status", ["Authorization": "Bearer secret"]).status == 403)
    }

    @Test(arguments: [
        "{}", #"{"tokens": []}"#, #"{"tokens": {"ci": {"sha256": "12", "scopes": ["read"]}}}"#,
        #"{"tokens": {"ci": {"scopes": ["read"]}}}"#,
        #"{"tokens": {"ci": {"sha256": "\#(String(repeating: "0", count: 64))", "scopes": ["root"]}}}"#,
        #"{"tokens": {"ci": {"sha256": "\#(String(repeating: "0", count: 64))", "scopes": []}}}"#,
        #"{"tokens": {"ci": {"secret": "x", "scopes": ["read"]}}}"#,
    ]) func aTokenFileWithAMistakeIsRefused(text: String) throws {
        let source = SourceFile(name: "tokens.json", bytes: Array(text.utf8))
        let root = try Node(json: source)
        #expect(throws: TokenFileError.self) { try ManagementTokens.read(root, in: source) }
    }

    // MARK: Rates

    @Test func aKeyHasARate() async throws {
        let shop = try ShopServer {
            $0.access.requestsPerSecond = 2
            $0.access.burst = 3
        }
        func evaluate() async -> ServerResponse { await shop.response("POST", Self.evaluation, body: Self.ada) }
        for _ in 1...3 { #expect(await evaluate().status == 200) }
        let refused = await evaluate()
        #expect(refused.status == 429)
        #expect(refused.headers["Retry-After"] == "1")
        shop.clock.advance(by: .milliseconds(499))
        #expect(await evaluate().status == 429)
        shop.clock.advance(by: .milliseconds(2))
        #expect(await evaluate().status == 200)
        #expect(await evaluate().status == 429)
        // Another key is not affected, and neither is the health.
        #expect(await shop.response("POST", Self.evaluation, ["X-API-Key": "other"], body: Self.ada).status == 403)
        #expect(await shop.response("GET", "/health").status == 200)
    }

    @Test(arguments: ["/datafiles/\(ShopServer.key).json", "/ofrep/v1/stream/\(ShopServer.key)", "/json/100300.json"])
    func aKeyInThePathHasARateOfItsOwn(path: String) async throws {
        let shop = try ShopServer {
            $0.access.requestsPerSecond = 1
            $0.access.burst = 1
        }
        // All requests come from one proxy.
        #expect(await shop.response("GET", "/datafiles/unknown.json", [:]).status == 403)
        #expect(await shop.response("GET", "/datafiles/unknown.json", [:]).status == 429)
        #expect(await shop.response("GET", path, [:]).status == 200)
        #expect(await shop.response("GET", path, ["X-API-Key": "another"]).status == 429)
    }

    @Test func madeUpKeysAreNoWayAroundTheRate() async throws {
        let shop = try ShopServer {
            $0.access.requestsPerSecond = 1
            $0.access.burst = 3
        }
        var statuses: [Int] = []
        for number in 1...5 {
            let headers: HeaderFields = ["X-API-Key": "made-up-\(number)"]
            statuses.append(await shop.response("POST", Self.evaluation, headers, body: Self.ada).status)
        }
        #expect(statuses == [403, 403, 403, 429, 429])
        #expect(await shop.response("POST", Self.evaluation, body: Self.ada).status == 200)
    }

    @Test func aBucketIsNeverFullerThanTheBurst() {
        let clock = ManualClock()
        let limiter = RateLimiter(rate: 0.5, burst: 2, clock: clock)
        clock.advance(by: .seconds(3_600))
        #expect(limiter.take(for: "a") == nil)
        #expect(limiter.take(for: "a") == nil)
        #expect(limiter.take(for: "a") == .seconds(2))
    }

    // MARK: Web pages

    @Test func aPreflightIsAnswered() async throws {
        let shop = try ShopServer()
        let headers: HeaderFields = [
            "Origin": "https://shop.example", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type, x-api-key",
        ]
        let response = await shop.response("OPTIONS", Self.evaluation, headers)
        #expect(response.status == 204)
        #expect(response.headers["Access-Control-Allow-Origin"] == "*")
        #expect(response.headers["Access-Control-Allow-Methods"] == "POST")
        let allowed = try #require(response.headers["Access-Control-Allow-Headers"])
        for name in ["Content-Type", "Authorization", "X-API-Key", "If-None-Match"] { #expect(allowed.contains(name)) }
        #expect(response.headers["Access-Control-Max-Age"] == "300")
        #expect(await shop.response("OPTIONS", "/status", headers).status == 405)
        #expect(await shop.response("OPTIONS", Self.evaluation, [:]).status == 405)
    }

    @Test func aPageCanReadTheTag() async throws {
        let shop = try ShopServer { $0.access.cors.origins = ["https://shop.example"] }
        func evaluate(_ origin: String) async -> ServerResponse {
            await shop.response(
                "POST", "/ofrep/v1/evaluate/flags", ["Origin": origin, "X-API-Key": ShopServer.key], body: Self.ada)
        }
        let response = await evaluate("https://shop.example")
        #expect(response.headers["Access-Control-Allow-Origin"] == "https://shop.example")
        #expect(response.headers["Access-Control-Expose-Headers"]?.contains("ETag") == true)
        #expect(response.headers["Vary"] == "Origin")
        let other = await evaluate("https://other.example")
        #expect(other.headers["Access-Control-Allow-Origin"] == nil)
    }

    @Test func refusalsToPagesCanBeReadAsWell() async throws {
        let shop = try ShopServer()
        let response = await shop.response("POST", Self.evaluation, ["Origin": "https://shop.example"], body: Self.ada)
        #expect(response.status == 401)
        #expect(response.headers["Access-Control-Allow-Origin"] == "*")
    }
}
