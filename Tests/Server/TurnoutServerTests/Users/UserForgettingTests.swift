import ServerTestSupport
import TestSupport
import TurnoutServer

/// One request forgets everything about a user.
@Suite("Forgotten users") struct UserForgettingTests {
    private static func send(_ shop: PlatformServer, _ visitors: String..., project: String = "12001") async {
        let body = String(decoding: EventBodies.body(visitors.joined(separator: ", "), project: project), as: UTF8.self)
        #expect(await shop.response("POST", "/v1/events", body: body).status == 204)
    }

    private static func forget(
        _ shop: PlatformServer, _ id: String, _ headers: HeaderFields = [:]
    ) async -> ServerResponse {
        await shop.response(
            "POST", "/users/forget", headers, body: JSONValue.object(["user_id": .string(id)]).json)
    }

    private static func visitor(_ id: String, _ number: Int) -> String {
        EventBodies.visitor(
            id,
            EventBodies.exposure(uuid: EventBodies.uuid(number)) + ","
                + EventBodies.conversion(uuid: EventBodies.uuid(number + 1_000)))
    }

    private static func visitors(_ shop: PlatformServer) throws -> [String] {
        let kinds: [ExportedEvent.Kind] = [.exposure, .conversion]
        return try kinds.flatMap { try shop.storage.texts("visitor_id", of: $0) }.sorted()
    }

    @Test func theEventsOfOneUserAreDeleted() async throws {
        let shop = try PlatformServer()
        // Keeps everything in the log.
        try shop.storage.log.acknowledge(0, by: "forwarding")
        await Self.send(shop, Self.visitor("ada", 1), Self.visitor("grace", 2))
        await Self.send(shop, Self.visitor("ada", 3))
        try shop.process()
        #expect(try Self.visitors(shop) == ["ada", "ada", "ada", "ada", "grace", "grace"])
        let response = await Self.forget(shop, "ada")
        #expect(response.text == "{\"events\":4,\"ids\":[\"ada\"],\"requests\":2,\"scope\":\"this node\"}\n")
        #expect(response.status == 200)
        #expect(try Self.visitors(shop) == ["grace", "grace"])
        let bodies = try shop.storage.log.read(from: 0, size: 1 << 20).records.map(\.body)
        #expect(bodies.count == 1)
        #expect(bodies.allSatisfy { !String(decoding: $0, as: UTF8.self).contains("\"ada\"") })
        // A repeated call, for example after a failure, finds nothing.
        #expect(
            await Self.forget(shop, "ada").text
                == "{\"events\":0,\"ids\":[\"ada\"],\"requests\":0,\"scope\":\"this node\"}\n")
    }

    @Test func whatIsNotProcessedYetNeverIs() async throws {
        let shop = try PlatformServer()
        await Self.send(shop, Self.visitor("ada", 1), Self.visitor("grace", 2))
        #expect(await Self.forget(shop, "ada").text.contains("\"requests\":1"))
        try shop.process()
        #expect(try Self.visitors(shop) == ["grace", "grace"])
    }

    @Test func aCopyOfAForgottenEventDoesNotCountAgain() async throws {
        let shop = try PlatformServer()
        await Self.send(shop, Self.visitor("ada", 1))
        try shop.process()
        #expect(await Self.forget(shop, "ada").status == 200)
        await Self.send(shop, Self.visitor("ada", 1), Self.visitor("ada", 2))
        try shop.process()
        #expect(try Self.visitors(shop) == ["ada", "ada"])
    }

    @Test func requestsInQuarantineAreForgottenToo() async throws {
        let shop = try PlatformServer()
        await Self.send(shop, Self.visitor("ada", 1), Self.visitor("grace", 2), project: "unknown")
        let processing = EventProcessing(
            shop.storage.log, into: shop.storage.events, projects: { ["12001"] }, wallClock: .fixed(EventBodies.time),
            messages: .silent)
        try processing.processAll()
        #expect(await Self.forget(shop, "ada").status == 200)
        let bodies = try shop.storage.events.quarantined { _ in true }.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.count == 1)
        #expect(bodies.allSatisfy { $0.contains("grace") && !$0.contains("\"ada\"") })
    }

    @Test func listsAssignmentsAndDevicesAreForgotten() async throws {
        let profiles = MemoryProfileStore()
        let shop = try PlatformServer(profiles: profiles)
        try shop.storage.log.acknowledge(0, by: "forwarding")
        profiles.save(["4101": "41012"], for: "ada")
        _ = await shop.response("PUT", "/segments/vip/users/ada")
        _ = await shop.response("PUT", "/segments/vip/users/vuid_1")
        _ = await shop.send(
            #"[{"type":"fullstack","action":"identified","identifiers":{"fs_user_id":"ada","vuid":"vuid_1"}}]"#)
        await Self.send(shop, Self.visitor("vuid_1", 1))
        try shop.process()
        #expect(
            await Self.forget(shop, "ada").text
                == "{\"events\":2,\"ids\":[\"ada\",\"vuid_1\"],\"requests\":1,\"scope\":\"this node\"}\n")
        #expect(profiles.profile(of: "ada").assignments.isEmpty)
        #expect(await shop.response("GET", "/segments/vip/users").text == "{\"users\":[]}\n")
        for id in ["ada", "vuid_1"] { #expect(await shop.response("GET", "/users/\(id)/segments").status == 404) }
    }

    @Test func aStoreThatCannotForgetIsReported() async throws {
        let shop = try PlatformServer(profiles: FailingProfiles())
        await Self.send(shop, Self.visitor("lovelace", 1))
        try shop.process()
        let response = await Self.forget(shop, "lovelace")
        #expect(response.status == 501)
        #expect(response.text.contains("are kept"))
        #expect(try Self.visitors(shop) == ["lovelace", "lovelace"])
        #expect(shop.log.text.contains("cannot erase the assignments"))
        #expect(!shop.log.text.contains("lovelace"))
    }

    @Test func idsHaveALimit() async throws {
        let shop = try PlatformServer()
        #expect(await Self.forget(shop, String(repeating: "a", count: 1_025)).status == 400)
        #expect(await Self.forget(shop, String(repeating: "a", count: 1_024)).status == 200)
        #expect(await Self.forget(shop, "").status == 400)
    }

    @Test(arguments: ["", "{", "[]", "{}", #"{"user_id":1}"#, #"{"user":"ada"}"#]) func aBodyNamesTheUser(
        _ body: String
    ) async throws {
        let response = await (try PlatformServer()).response("POST", "/users/forget", body: body)
        #expect(response.status == 400)
        #expect(response.text.contains("user_id"))
    }

    @Test(arguments: ["..", "forget", "a/b", "\u{0}", "\"", "ﬀ"])
    func anyIDCanBeForgotten(_ id: String) async throws {
        let profiles = MemoryProfileStore()
        let shop = try PlatformServer(profiles: profiles)
        profiles.save(["4101": "41012"], for: id)
        #expect(await Self.forget(shop, id).status == 200)
        #expect(profiles.profile(of: id).assignments.isEmpty)
    }

    @Test func aTokenNeedsItsOwnScope() async throws {
        let tokens = try [("r", ManagementScope.read), ("f", .flags), ("e", .events), ("u", .users)].map {
            try AccessTests.token($0.0, [$0.1])
        }
        let shop = try PlatformServer(tokens: tokens)
        #expect(await Self.forget(shop, "ada").status == 401)
        for token in ["r", "f", "e", "u"] {
            let response = await Self.forget(shop, "ada", ["Authorization": "Bearer \(token)"])
            #expect(response.status == (token == "u" ? 200 : 403), "\(token)")
        }
    }

    /// A store that keeps what it has.
    private struct FailingProfiles: ProfileStore {
        func profile(of userID: String) -> UserProfile { UserProfile() }
        func save(_ assignments: [String: String], for userID: String) {}
    }
}
