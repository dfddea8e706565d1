import TestSupport
import TurnoutServer

@Suite("A server that relays another one")
final class RelayingServerTests: Sendable {
    private static let ada = #"{"context":{"targetingKey":"ada","country":"US","orders":12}}"#
    private static let evaluations = "/ofrep/v1/evaluate/flags"
    private let source = MemoryDatafileSource()
    private let requests = Locked<[String]>([])

    /// A server in front of ``source``, and a log of the keys that it asks for.
    private func server() throws -> ShopServer {
        try ShopServer(upstream: { [self] key in
            requests.withLock { $0.append(key) }
            return source
        })
    }

    // MARK: Keys that upstream knows

    @Test(arguments: ["/checkout_redesign", ""])
    func theFirstEvaluationLoadsTheFlags(path: String) async throws {
        source.publish(try ShopServer.datafile)
        let response = await (try server()).response("POST", Self.evaluations + path, body: Self.ada)
        #expect(response.status == 200)
        #expect(response.text.contains(#""variant":"one_page""#))
    }

    @Test func theFirstStreamLoadsTheFlags() async throws {
        source.publish(try ShopServer.datafile)
        let response = await (try server()).response("GET", "/ofrep/v1/stream/" + ShopServer.key, [:])
        #expect(response.status == 200 && response.streamed.hasPrefix("id: "))
    }

    // MARK: Keys that it does not know

    @Test(arguments: [403, 404, 410])
    func aKeyThatUpstreamDoesNotKnowIsForbidden(status: Int) async throws {
        source.fail(with: DatafileSourceError.status(status))
        let server = try server()
        for _ in 1...2 {
            #expect(await server.response("POST", Self.evaluations, body: Self.ada).status == 403)
            #expect(await server.response("GET", "/datafiles/\(ShopServer.key).json", [:]).status == 403)
            #expect(await server.decide().status == 403)
        }
        #expect(requests.withLock { $0 } == [ShopServer.key])
    }

    // MARK: An upstream that cannot be used

    @Test(arguments: [500, 502, 429, 401])
    func anUpstreamThatFailsIsNotAnUnknownKey(status: Int) async throws {
        source.fail(with: DatafileSourceError.status(status))
        let server = try server()
        for path in ["/datafiles/\(ShopServer.key).json", "/datafiles/\(ShopServer.key)/changes"] {
            let response = await server.response("GET", path, [:])
            #expect(response.status == 503 && response.headers["Retry-After"] == "5")
        }
        let stream = await server.response("GET", "/ofrep/v1/stream/" + ShopServer.key, [:])
        #expect(stream.status == 503 && stream.headers["Retry-After"] == "5")
        let decision = await server.decide()
        #expect(decision.status == 500)
        #expect(decision.text == "{\"error\":\"failed to instantiate Optimizely for SDK Key: \(ShopServer.key)\"}\n")
    }

    @Test func evaluationsFailWithAGeneralError() async throws {
        source.fail(with: DatafileSourceError.status(503, retryAfter: .seconds(90)))
        let server = try server()
        let one = await server.response("POST", Self.evaluations + "/checkout_redesign", body: Self.ada)
        #expect(one.status == 503 && one.headers["Retry-After"] == "90")
        #expect(
            one.text == #"{"key":"checkout_redesign","errorCode":"GENERAL","errorDetails":"#
                + #""the flags cannot be loaded now"}"#)
        let all = await server.response("POST", Self.evaluations, body: Self.ada)
        #expect(all.status == 503)
        #expect(all.text == #"{"errorCode":"GENERAL","errorDetails":"the flags cannot be loaded now"}"#)
    }

    @Test func theNextRequestSucceedsWhenUpstreamIsBack() async throws {
        source.fail(with: DatafileSourceError.status(500))
        let server = try server()
        #expect(await server.decide().status == 500)
        source.publish(try ShopServer.datafile)
        #expect(await server.decide().status == 200)
        #expect(await server.response("POST", Self.evaluations, body: Self.ada).status == 200)
    }
}

extension ShopServer {
    /// The response to a decision over the Agent's interface.
    func decide() async -> ServerResponse {
        let headers: HeaderFields = ["X-Optimizely-SDK-Key": Self.key, "Content-Type": "application/json"]
        return await response("POST", "/v1/decide?keys=checkout_redesign", headers, body: #"{"userId":"ada"}"#)
    }
}
