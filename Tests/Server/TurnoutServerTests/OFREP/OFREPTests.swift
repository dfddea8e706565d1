import Testing
import TurnoutEngine
import TurnoutServer

@Suite("OFREP: a flag")
struct OFREPEvaluationTests {
    private static let path = "/ofrep/v1/evaluate/flags/"
    private static let ada = #"{"context":{"targetingKey":"ada","country":"US","orders":12,"plan":"gold"}}"#
    private let shop: ShopServer

    init() throws { shop = try ShopServer() }

    private func evaluate(_ key: String, _ body: String = ada) async -> ServerResponse {
        await shop.response("POST", Self.path + key, body: body)
    }

    @Test func aFlagIsBoolean() async throws {
        let response = await evaluate("checkout_redesign")
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "application/json; charset=utf-8")
        #expect(
            response.text == #"{"key":"checkout_redesign","reason":"SPLIT","variant":"one_page","value":true,"#
                + #""metadata":{"flagKey":"checkout_redesign","enabled":true,"ruleKey":"checkout_test","#
                + #""experimentId":"4101","revision":"42"}}"#)
    }

    @Test(arguments: [
        ("checkout_redesign.layout", #""one_page""#), ("checkout_redesign/steps", "1"),
        ("checkout_redesign.express_pay", "true"), ("dark_mode.follow_system", "false"),
        // A double without a fraction keeps its point: clients tell it from an integer.
        ("search_ranking.rating_boost", "1.0"), ("recommendations.places", #"{"cart":false,"home":true}"#),
        ("checkout_redesign.*", #"{"layout":"one_page","steps":1,"express_pay":true}"#),
    ]) func aVariableHasItsType(key: String, value: String) async throws {
        #expect(await evaluate(key).text.contains(#""value":"# + value + #","metadata""#))
    }

    @Test func aKeyMayBeEncoded() async throws {
        let response = await evaluate("checkout_redesign%2Flayout")
        #expect(try response.json["key"] == .string("checkout_redesign/layout"))
        #expect(try response.json["value"] == .string("one_page"))
    }

    @Test(arguments: [
        ("checkout_redesign", "SPLIT"), ("recommendations", "TARGETING_MATCH"), ("loyalty_banner", "TARGETING_MATCH"),
        ("new_invoice", "TARGETING_MATCH"), ("search_ranking", "SPLIT"),
    ]) func theReasonSaysWhichRuleApplied(key: String, reason: String) async throws {
        #expect(try await evaluate(key).json["reason"] == .string(reason))
    }

    /// The protocol's schema lists no others.
    @Test func reasonsAreThoseOfTheProtocol() async throws {
        var reasons: Set<String> = []
        for number in 0..<200 {
            let body = #"{"context":{"targetingKey":"\#(number)","country":"US","orders":\#(number % 20)}}"#
            let response = await shop.response("POST", "/ofrep/v1/evaluate/flags", body: body)
            guard case .array(let flags)? = try response.json["flags"] else { return #expect(Bool(false)) }
            for flag in flags { if case .string(let reason)? = flag["reason"] { reasons.insert(reason) } }
        }
        #expect(reasons.isSubset(of: ["STATIC", "TARGETING_MATCH", "SPLIT", "DISABLED", "UNKNOWN"]))
        #expect(reasons.count > 1)
    }

    @Test func aUserOutsideOfAllRulesGetsAReasonAndAVariant() async throws {
        let json = try await evaluate("checkout_redesign", #"{"context":{"targetingKey":"linus"}}"#).json
        #expect(json["reason"] == .string("DISABLED"))
        #expect(json["variant"] == .string(""))
        #expect(json["value"] == .bool(false))
    }

    @Test func aListedUserIsAMatch() async throws {
        let json = try await evaluate("checkout_redesign", #"{"context":{"targetingKey":"vera"}}"#).json
        #expect(json["reason"] == .string("TARGETING_MATCH"))
        #expect(json["variant"] == .string("two_step"))
    }

    @Test(arguments: ["unknown", "checkout_redesign.unknown", "unknown.layout", "", "."])
    func anUnknownFlagIsNotFound(key: String) async throws {
        let response = await evaluate(key)
        #expect(response.status == 404)
        #expect(try response.json["key"] == .string(key))
        #expect(try response.json["errorCode"] == .string("FLAG_NOT_FOUND"))
    }

    @Test(arguments: [
        ("{", "PARSE_ERROR"), ("[]", "PARSE_ERROR"), ("\u{0}", "PARSE_ERROR"), ("", "TARGETING_KEY_MISSING"),
        ("{}", "TARGETING_KEY_MISSING"), (#"{"context":null}"#, "TARGETING_KEY_MISSING"),
        (#"{"context":{"country":"US"}}"#, "TARGETING_KEY_MISSING"),
        (#"{"context":{"targetingKey":""}}"#, "TARGETING_KEY_MISSING"), (#"{"context":7}"#, "INVALID_CONTEXT"),
        (#"{"context":{"targetingKey":7}}"#, "INVALID_CONTEXT"),
    ]) func aBadRequestSaysWhatIsWrong(body: String, code: String) async throws {
        let response = await evaluate("checkout_redesign", body)
        #expect(response.status == 400)
        #expect(try response.json["errorCode"] == .string(code))
        // Clients read this member unconditionally.
        guard case .string? = try response.json["errorDetails"] else { return #expect(Bool(false)) }
    }

    @Test func deepNestingIsAParseError() async throws {
        let body = String(repeating: "[", count: 100_000)
        #expect(try await evaluate("checkout_redesign", body).json["errorCode"] == .string("PARSE_ERROR"))
    }

    @Test func objectsAndArraysInTheContextAreIgnored() async throws {
        let body = #"{"context":{"targetingKey":"ada","country":"US","orders":12,"a":{"b":1},"c":[1],"d":null}}"#
        #expect(try await evaluate("checkout_redesign", body).json["variant"] == .string("one_page"))
    }

    @Test func theKeyIsRequiredAndMustBeKnown() async throws {
        let path = Self.path + "checkout_redesign"
        #expect(await shop.response("POST", path, [:], body: Self.ada).status == 401)
        #expect(await shop.response("POST", path, ["X-API-Key": "other"], body: Self.ada).status == 403)
        #expect(
            await shop.response("POST", path, ["X-Optimizely-SDK-Key": ShopServer.key], body: Self.ada).status == 200)
        #expect(await shop.response("POST", "/p/\(ShopServer.key)" + path, [:], body: Self.ada).status == 200)
    }

    @Test(arguments: [
        ("POST", "/ofrep/v1/evaluate/flags/checkout_redesign"), ("POST", "/ofrep/v1/evaluate/flags"),
        ("GET", "/ofrep/v1/stream/KEY"), ("POST", "/v1/decide?keys=checkout_redesign"),
    ]) func aProtectedKeyNeedsItsToken(method: String, path: String) async throws {
        let key = ShopServer.key
        let protected = try ShopServer { $0.datafileTokens = ["\(key):s3cret"] }
        let body = path.hasPrefix("/v1") ? #"{"userId":"ada"}"# : Self.ada
        func status(_ sent: String, _ bearer: String? = nil) async -> Int {
            var headers: HeaderFields = ["Content-Type": "application/json", "X-Optimizely-SDK-Key": sent]
            headers["Authorization"] = bearer.map { "Bearer " + $0 }
            let address = path.replacing("KEY", with: sent)
            return await protected.response(method, address, headers, body: body).status
        }
        #expect(await status(key) == 403)
        #expect(await status(key + ":other") == 403)
        #expect(await status(key + ":s3cret") == 200)
        if path.hasPrefix("/ofrep") {
            #expect(await status(key, "s3cret") == 200)
            #expect(await status(key, "other") == 403)
        }
    }

    @Test func theStreamOfAProtectedKeyIsNamedWithItsToken() async throws {
        let protected = try ShopServer { $0.datafileTokens = ["\(ShopServer.key):s3cret"] }
        let headers: HeaderFields = ["X-API-Key": ShopServer.key, "Authorization": "Bearer s3cret"]
        let json = try await protected.response("POST", "/ofrep/v1/evaluate/flags", headers, body: Self.ada).json
        guard case .array(let streams)? = json["eventStreams"],
            case .string(let path)? = streams.first?["endpoint"]?["requestUri"]
        else { throw CancellationError() }
        #expect(await protected.response("GET", path, [:]).status == 200)
    }

    @Test func tokensOfTheAgentsInterfaceAreNeededHereToo() async throws {
        let protected = try ShopServer {
            $0.agent.apiAuthorization.clients = [.init(id: "a", secretHash: [1], sdkKeys: [ShopServer.key])]
            $0.agent.apiAuthorization.secrets = [Array("secret".utf8)]
        }
        #expect(await protected.response("POST", Self.path + "checkout_redesign", body: Self.ada).status == 401)
        #expect(await protected.response("POST", "/ofrep/v1/evaluate/flags", body: Self.ada).status == 401)
    }

    @Test func anEvaluationSendsAnImpressionUnlessThatIsOff() async throws {
        _ = await evaluate("checkout_redesign")
        #expect(shop.events.count == 1)
        let headers: HeaderFields = ["X-API-Key": ShopServer.key, "X-Turnout-Impressions": "off"]
        _ = await shop.response("POST", Self.path + "checkout_redesign", headers, body: Self.ada)
        #expect(shop.events.count == 1)
        let quiet = try ShopServer { $0.ofrep.sendsImpressions = false }
        _ = await quiet.response("POST", Self.path + "checkout_redesign", body: Self.ada)
        #expect(quiet.events.count == 0)
    }
}

@Suite("OFREP: all flags")
struct OFREPBulkTests {
    private static let path = "/ofrep/v1/evaluate/flags"
    private static let ada = #"{"context":{"targetingKey":"ada","country":"US","orders":12,"plan":"gold"}}"#
    private let shop: ShopServer

    init() throws { shop = try ShopServer() }

    private func evaluate(_ body: String = ada, tag: String? = nil) async -> ServerResponse {
        var headers: HeaderFields = ["X-API-Key": ShopServer.key]
        headers["If-None-Match"] = tag
        return await shop.response("POST", Self.path, headers, body: body)
    }

    @Test func allFlagsAndVariablesAreEvaluated() async throws {
        let response = await evaluate()
        guard case .array(let flags)? = try response.json["flags"] else { return #expect(Bool(false)) }
        let keys = flags.compactMap { $0["key"] }
        #expect(
            keys.prefix(5) == [
                .string("checkout_redesign"), .string("checkout_redesign.layout"), .string("checkout_redesign.steps"),
                .string("checkout_redesign.express_pay"), .string("checkout_redesign.*"),
            ])
        // Seven flags with 18 variables.
        #expect(keys.count == 7 + 18 + 7)
        #expect(try response.json["metadata"] == .object(["revision": .string("42")]))
    }

    @Test func anUnchangedResultIsNotSentAgain() async throws {
        let first = await evaluate()
        let tag = try #require(first.headers["ETag"])
        let sent = shop.events.count
        let second = await evaluate(tag: tag)
        #expect(second.status == 304)
        #expect(second.headers["ETag"] == tag)
        #expect(second.text == "")
        #expect(shop.events.count == sent)
        #expect(await evaluate(tag: "\"other\", W/" + tag).status == 304)
        #expect(await evaluate(tag: "\"other\"").status == 200)
        #expect(shop.events.count == 2 * sent)
    }

    @Test func theTagCoversTheContextAndTheDatafile() async throws {
        let tag = try #require(await evaluate().headers["ETag"])
        #expect(await evaluate(#"{"context":{"targetingKey":"grace","country":"US"}}"#, tag: tag).status == 200)
        let text = String(decoding: try ShopServer.datafile, as: UTF8.self)
            .replacing(#""revision": "42""#, with: #""revision": "43""#)
        try shop.server.datafiles.publish(Array(text.utf8), for: ShopServer.key)
        let changed = await evaluate(tag: tag)
        #expect(changed.status == 200)
        #expect(try changed.json["metadata"]?["revision"] == .string("43"))
    }

    @Test func aBadRequestHasNoKey() async throws {
        let response = await evaluate("{}")
        #expect(response.status == 400)
        #expect(try response.json["key"] == nil)
        #expect(try response.json["errorCode"] == .string("TARGETING_KEY_MISSING"))
    }

    @Test func theConfigurationHasATag() async throws {
        let response = await shop.response("GET", "/ofrep/v1/configuration")
        #expect(try response.json["name"] == .string("turnout"))
        let tag = try #require(response.headers["ETag"])
        let again = await shop.response("GET", "/ofrep/v1/configuration", ["If-None-Match": tag])
        #expect(again.status == 304)
    }
}

@Suite("OFREP: changes")
struct OFREPChangeTests {
    private static let ada = #"{"context":{"targetingKey":"ada"}}"#
    private let shop: ShopServer

    init() throws { shop = try ShopServer() }

    /// The path that the answer for all flags names.
    private func path() async throws -> String {
        let json = try await shop.response("POST", "/ofrep/v1/evaluate/flags", body: Self.ada).json
        guard case .array(let streams)? = json["eventStreams"], streams.count == 1,
            streams[0]["type"] == .string("sse"), case .string(let path)? = streams[0]["endpoint"]?["requestUri"]
        else { throw CancellationError() }
        return path
    }

    private func publish(revision: String) throws {
        let text = String(decoding: try ShopServer.datafile, as: UTF8.self)
            .replacing(#""revision": "42""#, with: #""revision": "\#(revision)""#)
        try shop.server.datafiles.publish(Array(text.utf8), for: ShopServer.key)
    }

    @Test func aChangeIsAnnounced() async throws {
        let stream = await shop.response("GET", try await path(), [:])
        #expect(stream.status == 200)
        #expect(stream.headers["Content-Type"] == "text/event-stream")
        // The first event only tells the client the id.
        let first = stream.streamed
        #expect(first.hasPrefix("id: ") && !first.contains("data:"))
        try publish(revision: "43")
        let event = stream.streamed
        #expect(event.contains("\ndata: {\"type\":\"refetchEvaluation\",\"etag\":"))
        #expect(event.hasSuffix(",\"lastModified\":1001}\n\n"))
        #expect(event.prefix { $0 != "\n" } != first.prefix { $0 != "\n" })
    }

    @Test func aClientThatReconnectsLearnsWhatItMissed() async throws {
        let path = try await path()
        let id = String(await shop.response("GET", path, [:]).streamed.dropFirst(4).prefix { $0 != "\n" })
        let same = await shop.response("GET", path, ["Last-Event-ID": id])
        #expect(!same.streamed.contains("data:"))
        try publish(revision: "43")
        let missed = await shop.response("GET", path, ["Last-Event-ID": id])
        #expect(missed.streamed.contains("refetchEvaluation"))
    }

    @Test func equalDatafilesHaveEqualIdsOnAllServers() async throws {
        let path = try await path()
        let other = try ShopServer()
        #expect(await shop.response("GET", path, [:]).streamed == (await other.response("GET", path, [:]).streamed))
    }

    @Test func aRemovedDatafileEndsItsStreams() async throws {
        let response = await shop.response("GET", try await path(), [:])
        _ = response.streamed
        shop.server.datafiles.remove(ShopServer.key)
        guard case .stream(let stream) = response.body else { return #expect(Bool(false)) }
        #expect(stream.read() == .end)
        #expect(await shop.response("GET", "/ofrep/v1/stream/other", [:]).status == 403)
    }

    @Test func thereIsALimitForStreams() async throws {
        let small = try ShopServer { $0.limits.streams = 1 }
        let path = "/ofrep/v1/stream/" + ShopServer.key
        let first = await small.response("GET", path, [:])
        let second = await small.response("GET", path, [:])
        #expect(first.status == 200)
        #expect(second.status == 503)
        #expect(second.headers["Retry-After"] == "30")
        guard case .stream(let stream) = first.body else { return #expect(Bool(false)) }
        stream.close()
        #expect(await small.response("GET", path, [:]).status == 200)
    }

    @Test func withoutStreamsNoneAreNamed() async throws {
        let none = try ShopServer { $0.limits.streams = 0 }
        let response = await none.response("POST", "/ofrep/v1/evaluate/flags", body: Self.ada)
        #expect(try response.json["eventStreams"] == nil)
    }
}
