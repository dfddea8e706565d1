import TestSupport
import TurnoutServer

@Suite("The Agent's tokens")
struct AgentTokensTests {
    private static let form: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]

    private static func configuration() -> AgentConfiguration {
        var configuration = AgentConfiguration()
        let client = AgentAuthorization.Client(id: "app", secretHash: Array("pass".utf8), sdkKeys: ["shop"])
        configuration.apiAuthorization.clients = [client]
        configuration.apiAuthorization.secrets = [Array("new".utf8), Array("old".utf8)]
        configuration.apiAuthorization.timeToLive = .seconds(1_800)
        let admin = AgentAuthorization.Client(id: "admin", secretHash: Array("root".utf8), sdkKeys: [])
        configuration.adminAuthorization.clients = [admin]
        configuration.adminAuthorization.secrets = [Array("admin".utf8)]
        configuration.adminAuthorization.timeToLive = .seconds(60)
        return configuration
    }

    private static func agent(
        _ configuration: AgentConfiguration = configuration(), at seconds: Int64 = 1_700_000_000
    ) throws -> TestAgent {
        try TestAgent(configuration) { services in
            services.cryptography = WeakCryptography()
            services.wallClock = .fixed(seconds * 1_000)
        }
    }

    private static func request(_ id: String, _ secret: String) -> String {
        let text = Base64.standard.encode(Array(secret.utf8)).map { $0 == "=" ? "%3D" : String($0) }.joined()
        return "grant_type=client_credentials&client_id=\(id)&client_secret=\(text)"
    }

    private static func token(of agent: TestAgent, _ id: String, _ secret: String) async throws -> String {
        let response = await agent.post("/oauth/token", request(id, secret), headers: form)
        let start = try #require(response.ranges(of: "\"access_token\":\"").first?.upperBound)
        return String(response[start...].prefix { $0 != "\"" })
    }

    // MARK: Issuing

    @Test func aClientGetsATokenForItsSDKKeys() async throws {
        let agent = try Self.agent()
        let response = await agent.post("/oauth/token", Self.request("app", "pass"), headers: Self.form)
        #expect(response.hasPrefix("200 {\"access_token\":\""))
        #expect(response.hasSuffix(",\"token_type\":\"bearer\",\"expires_in\":1800}\n"))
        let parts = try await Self.token(of: agent, "app", "pass").split(separator: ".")
        let texts = parts.prefix(2).map { String(decoding: Base64.urlSafe.decode($0) ?? [], as: UTF8.self) }
        #expect(texts[0] == #"{"alg":"HS256","typ":"JWT"}"#)
        #expect(texts[1] == #"{"exp":1700001800,"iss":"Optimizely","sdk_keys":["shop"]}"#)
    }

    @Test(arguments: [
        ("", 400, #"{"error":"invalid_request","error_description":"grant_type missing from request body"}"#),
        ("grant_type=password", 400, #"{"error":"unsupported_grant_type"}"#),
        (
            "grant_type=client_credentials", 401,
            #"{"error":"invalid_client","error_description":"client_id missing from request body"}"#
        ),
        (
            "grant_type=client_credentials&client_id=app", 401,
            #"{"error":"invalid_client","error_description":"client_secret missing from request body"}"#
        ),
        (
            request("app", "wrong"), 401,
            #"{"error":"invalid_client","error_description":"invalid client_id or client_secret"}"#
        ),
        (
            request("eve", "pass"), 401,
            #"{"error":"invalid_client","error_description":"invalid client_id or client_secret"}"#
        ),
        (
            "grant_type=client_credentials&client_id=app&client_secret=*", 401,
            #"{"error":"invalid_client","error_description":"invalid client_id or client_secret"}"#
        ),
    ])
    func wrongRequestsAreRefused(body: String, status: Int, expected: String) async throws {
        #expect(await (try Self.agent()).post("/oauth/token", body, headers: Self.form) == "\(status) \(expected)\n")
    }

    @Test func theRequestIsAForm() async throws {
        let response = await (try Self.agent()).post("/oauth/token", "{}")
        let text = "Content-Type header value must be application/x-www-form-urlencoded"
        #expect(response == "415 {\"error\":\"invalid_request\",\"error_description\":\"\(text)\"}\n")
    }

    // MARK: Verifying

    @Test func requestsNeedATokenForTheirSDKKey() async throws {
        let agent = try Self.agent()
        func get(_ authorization: String, key: String = "shop") async -> String {
            await agent.get(
                "/v1/datafile", headers: ["Authorization": authorization, "X-Optimizely-SDK-Key": key])
        }
        let token = try await Self.token(of: agent, "app", "pass")
        #expect(await get("Bearer " + token).hasPrefix("200"))
        #expect(await agent.get("/v1/datafile", headers: ["Jwt": token]).hasPrefix("200"))
        #expect(await get("") == "401 {\"error\":\"unauthorized\",\"reason\":\"empty token\"}\n")
        #expect(await get("Basic " + token).contains("empty token"))
        #expect(await get("Bearer x.y").contains("token contains an invalid number of segments"))
        #expect(await get("Bearer x.y.z").contains("token is malformed"))
        #expect(await get("Bearer " + token.dropLast(2) + "AA").contains("signature is invalid"))
        #expect(await get("Bearer " + token, key: "none").hasPrefix("403"))
        try agent.directory.publish(TestDatafile.shop(), for: "other")
        let text = "SDK key given in X-Optimizely-Sdk-Key header was not found in the SDK keys in this token's claims"
        #expect(await get("Bearer " + token, key: "other") == "401 {\"error\":\"\(text)\"}\n")
        #expect(await get("Bearer " + token, key: "shop:x") == "401 {\"error\":\"\(text)\"}\n")
    }

    @Test func missingTokensComeBeforeWrongContentAndAfterTheSDKKey() async throws {
        let agent = try Self.agent()
        #expect(await agent.post("/v1/decide", "x", headers: ["Content-Type": "text/plain"]).hasPrefix("401"))
        #expect(await agent.post("/v1/decide", "x", headers: ["X-Optimizely-SDK-Key": ""]).hasPrefix("400"))
    }

    @Test func anOldSecretStillVerifies() async throws {
        var old = Self.configuration()
        old.apiAuthorization.secrets = [Array("old".utf8)]
        let token = try await Self.token(of: try Self.agent(old), "app", "pass")
        let bearer: HeaderFields = ["Authorization": "Bearer " + token]
        #expect(await (try Self.agent()).get("/v1/datafile", headers: bearer).hasPrefix("200"))
        var new = Self.configuration()
        new.apiAuthorization.secrets = [Array("new".utf8)]
        #expect(await (try Self.agent(new)).get("/v1/datafile", headers: bearer).hasPrefix("401"))
    }

    @Test func tokensExpire() async throws {
        let token = try await Self.token(of: try Self.agent(), "app", "pass")
        let bearer: HeaderFields = ["Authorization": "Bearer " + token]
        #expect(await (try Self.agent(at: 1_700_001_799)).get("/v1/datafile", headers: bearer).hasPrefix("200"))
        let later = await (try Self.agent(at: 1_700_001_800)).get("/v1/datafile", headers: bearer)
        #expect(later == "401 {\"error\":\"token expired\"}\n")
    }

    @Test func tokensWithoutASignatureAreRefused() async throws {
        let agent = try Self.agent()
        let header = Base64.urlSafe.encode(Array(#"{"alg":"none"}"#.utf8))
        let claims = Base64.urlSafe.encode(Array(#"{"exp":9999999999,"sdk_keys":["shop"]}"#.utf8))
        let response = await agent.get("/v1/datafile", headers: ["Authorization": "Bearer \(header).\(claims)."])
        #expect(response == "401 {\"error\":\"unauthorized\",\"reason\":\"unexpected signing method\"}\n")
    }

    // MARK: Administrators

    @Test func administratorsHaveTokensOfTheirOwn() async throws {
        let agent = try Self.agent()
        #expect(await agent.get("/config") == "401 {\"error\":\"empty token\"}\n")
        let admin = try await Self.token(of: agent, "admin", "root")
        #expect(await agent.get("/config", headers: ["Authorization": "Bearer " + admin]).hasPrefix("200"))
        #expect(await agent.get("/v1/datafile", headers: ["Authorization": "Bearer " + admin]).hasPrefix("401"))
        var same = Self.configuration()
        same.adminAuthorization.secrets = same.apiAuthorization.secrets
        let other = try Self.agent(same)
        let token = try await Self.token(of: other, "app", "pass")
        let response = await other.get("/config", headers: ["Authorization": "Bearer " + token])
        #expect(response == "401 {\"error\":\"admin flag not set\"}\n")
        let claims = "invalid claims: sdk_keys not found, or have the wrong type"
        let foreign = try await Self.token(of: other, "admin", "root")
        #expect(await other.get("/v1/datafile", headers: ["Authorization": "Bearer " + foreign]).contains(claims))
    }

    @Test func oneRouteIssuesTheTokensOfClientsAndOfAdministrators() async throws {
        let agent = try Self.agent()
        let routes = (agent.agent.api + agent.agent.admin).filter { $0.pattern == "/oauth/token" }
        #expect(routes.count == 1)
        for (id, secret) in [("app", "pass"), ("admin", "root")] {
            let response = await agent.post("/oauth/token", Self.request(id, secret), headers: Self.form)
            #expect(response.hasPrefix("200 {\"access_token\""), "\(id)")
        }
    }
}
