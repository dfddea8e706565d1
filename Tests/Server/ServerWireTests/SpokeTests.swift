#if os(Linux) && Server && YAML
    import Foundation
    import TestSupport
    import TurnoutServer

    /// A hub and spokes, each a process that is started with the options that users give.
    @Suite("Hub and spokes", .serialized, .blocking)
    struct SpokeTests {
        private static let token = "a token of the tests"
        private let folder = TemporaryDirectory(isCreated: true)

        init() throws {
            try Data(LiveServer.datafile()).write(to: URL(filePath: folder.path + "/shop.json"))
            let hash = NettleCryptography().sha256(Array(Self.token.utf8)).map { String(format: "%02x", $0) }
            try "tokens: {all: {sha256: \(hash.joined()), scopes: [read, users]}}".write(
                toFile: folder.path + "/tokens.yaml", atomically: true, encoding: .utf8)
        }

        private func hub() async throws -> ServedProject {
            try await ServedProject(folder.path, options: options("hub"))
        }

        private func spoke(_ name: String, of hub: ServedProject) async throws -> ServedProject {
            let options = options(name) + ["--hub", hub.address, "--set", "hub_token=\(Self.token)"]
            return try await ServedProject(options: options)
        }

        private func options(_ name: String) -> [String] {
            ["--data", "\(folder.path)/\(name)", "--token-file", folder.path + "/tokens.yaml"]
        }

        // MARK: Requests

        private func get(_ path: String, of server: ServedProject) async throws -> String {
            let request = HTTPRequest(
                .get, server.address + path, headers: ["Authorization": "Bearer \(Self.token)"], deadline: .seconds(60))
            return String(decoding: try await LiveTransport.make().send(request).body, as: UTF8.self)
        }

        private func post(_ path: String, _ body: String, to server: ServedProject) async throws -> HTTPResponse {
            let request = HTTPRequest(
                .post, server.address + path,
                headers: [
                    "Content-Type": "application/json", "X-Optimizely-SDK-Key": LiveServer.key,
                    "Authorization": "Bearer \(Self.token)",
                ],
                body: Array(body.utf8), deadline: .seconds(60))
            return try await LiveTransport.make().send(request)
        }

        private func purchase(by user: String, _ uuid: String, to server: ServedProject) async throws {
            let body = """
                {"account_id":"1","project_id":"100300","revision":"1","client_name":"t","client_version":"1",
                 "visitors":[{"visitor_id":"\(user)","attributes":[],"snapshots":[{"events":[{"entity_id":"300103",
                 "key":"purchase","timestamp":\(SystemWallClock().millisecondsSince1970()),"uuid":"\(uuid)"}]}]}]}
                """
            #expect(try await post("/v1/events", body, to: server).status == 204)
        }

        /// The users of the events that a server has processed, each as often as it was counted.
        private func users(_ name: String) throws -> [String] {
            var users: [String] = []
            guard FileManager.default.fileExists(atPath: "\(folder.path)/\(name)/events.sqlite") else { return [] }
            try EventExport(directory: "\(folder.path)/\(name)").forEach(EventExport.Selection()) { event in
                Event(event).text("visitor_id").map { users.append($0) }
            }
            return users.sorted()
        }

        /// Reading fails while the server creates the file.
        private func waitForUsers(_ expected: [String], of name: String) async throws {
            try await wait("the events \(expected) of \(name)") { (try? users(name)) == expected }
        }

        private func decides(_ server: ServedProject) async throws -> Bool {
            try await post("/v1/decide?keys=checkout_redesign", #"{"userId":"eve"}"#, to: server).status == 200
        }

        // MARK: Tests

        @Test func aSpokeStartsAndDecidesWithoutItsHub() async throws {
            let hub = try await hub()
            let spoke = try await spoke("spoke", of: hub)
            #expect(try await decides(spoke))
            try await spoke.stop()
            try await hub.stop()
            try await spoke.start()
            #expect(try await decides(spoke))
            try await wait("the absence of the hub") {
                try await get("/status", of: spoke).contains(#""isReached":false"#)
            }
            #expect(try await get("/ready", of: spoke).hasPrefix(#"{"status":"ready","impairments":"#))
            try await hub.start()
            try await wait("the hub") { try await get("/metrics", of: spoke).contains("turnout_hub_reached 1\n") }
            // What a lone spoke would tell from its own part of the events.
            #expect(try await get("/results", of: spoke) == get("/results", of: hub))
            for server in [spoke, hub] { try await server.stop() }
        }

        @Test func eventsCountOnceAndUsersAreForgottenWhicheverServerIsAsked() async throws {
            let hub = try await hub()
            let spokes = [try await spoke("a", of: hub), try await spoke("b", of: hub)]
            let uuid = UUID().uuidString
            for spoke in spokes { try await purchase(by: "ada", uuid, to: spoke) }
            let forwarded = #"turnout_event_requests_forwarded_total{outcome="delivered"} 1"#
            try await wait("forwarding") { try await get("/metrics", of: spokes[1]).contains(forwarded) }
            for user in ["bob", "eve"] { try await purchase(by: user, UUID().uuidString, to: spokes[0]) }
            try await waitForUsers(["ada", "bob", "eve"], of: "hub")
            try await waitForUsers(["ada", "bob", "eve"], of: "a")

            let told = try await post("/users/forget", #"{"user_id":"ada"}"#, to: hub)
            #expect(String(decoding: told.body, as: UTF8.self).contains("this node; told the spokes"))
            try await waitForUsers(["bob", "eve"], of: "a")
            #expect(try users("hub") == ["bob", "eve"])

            try await hub.stop()
            let asked = try await post("/users/forget", #"{"user_id":"bob"}"#, to: spokes[1])
            #expect(String(decoding: asked.body, as: UTF8.self).contains("this node; asked the hub"))
            // The request outlives the spoke.
            try await spokes[1].stop()
            try await spokes[1].start()
            #expect(try users("hub") == ["bob", "eve"] && users("a") == ["bob", "eve"])
            try await hub.start()
            try await waitForUsers(["eve"], of: "hub")
            try await waitForUsers(["eve"], of: "a")
            for server in spokes + [hub] { try await server.stop() }
        }
    }
#endif
