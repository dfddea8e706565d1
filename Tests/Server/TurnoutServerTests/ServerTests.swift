import Foundation
import TestSupport
import TurnoutServer

@Suite("The whole server")
struct ServerTests {
    private static let json: HeaderFields = [
        "X-Optimizely-SDK-Key": ShopServer.key, "Content-Type": "application/json",
    ]

    @Test func noTwoRoutesAreTheSame() throws {
        let routes = try ShopServer().server.routes.routes
        #expect(Set(routes.map { $0.method + " " + $0.pattern }).count == routes.count)
        #expect(routes.allSatisfy { !$0.summary.isEmpty })
    }

    /// Go's decoder, and thus the vendor's Agent, replaces the first two.
    @Test(arguments: [
        (Array(#""ab\ud83d""#.utf8), "\"ab\u{FFFD}\""), ([0x22, 0xE9, 0x22], "\"\u{FFFD}\""),
        (Array("NaN".utf8), "null"),
    ]) func whatIsNoJSONInAnAttributeIsReplaced(value: [UInt8], replacement: String) async throws {
        let shop = try ShopServer()
        func body(_ start: String, _ end: String) -> [UInt8] {
            Array(start.utf8) + value + Array(#","country":"US","orders":12}\#(end)"#.utf8)
        }
        let decision = await shop.response(
            "POST", "/v1/decide?keys=checkout_redesign", Self.json,
            bytes: body(#"{"userId":"ada","userAttributes":{"name":"#, "}"))
        #expect(decision.status == 200)
        #expect(decision.text.contains("\"name\":\(replacement),"))
        #expect(try decision.json["variationKey"] == .string("one_page"))
        let evaluation = await shop.response(
            "POST", "/ofrep/v1/evaluate/flags/checkout_redesign",
            bytes: body(#"{"context":{"targetingKey":"ada","name":"#, "}"))
        #expect(evaluation.status == 200)
        #expect(try evaluation.json["variant"] == .string("one_page"))
        #expect(shop.events.count == 2)
    }

    @Test func operationsOfABatchPassTheSameChecks() async throws {
        let shop = try ShopServer {
            $0.access.requestsPerSecond = 1
            $0.access.burst = 2
        }
        let headers = #"{"X-Optimizely-SDK-Key":"\#(ShopServer.key)"}"#
        let operation = #"{"method":"POST","url":"/v1/decide","headers":\#(headers),"body":{}}"#
        let status = #"{"method":"GET","url":"/status","headers":{"X-Forwarded-For":"10.0.0.7"}}"#
        let body = #"{"operations":[\#(operation),\#(operation),\#(operation),\#(status)]}"#
        let response = await shop.response("POST", "/v1/batch", [:], body: body)
        guard case .array(let results)? = try response.json["response"] else { return #expect(Bool(false)) }
        let statuses = results.compactMap { $0["status"] }
        #expect(statuses.count { $0 == .integer(429) } == 1)
        #expect(statuses.contains(.integer(403)))
        let other = await shop.response("POST", "/v1/batch", ["Host": "attacker.example"], body: body)
        #expect(other.status == 404)
        // A batch from another machine is no way around the rule for management either.
        let remote = #"{"operations":[{"method":"GET","url":"/status"}]}"#
        let refused = await shop.response("POST", "/v1/batch", [:], body: remote, from: "10.0.0.7")
        #expect(refused.text.contains("\"status\":403"))
        let forwarded = await shop.response("POST", "/v1/batch", ["X-Forwarded-For": "10.0.0.7"], body: remote)
        #expect(forwarded.text.contains("\"status\":403"))
    }

    #if os(Linux)
        /// The server arms them at its start, while descriptors are free.
        @Test func timersDoNotWaitForTheFirstRequest() async throws {
            await #expect(processExitsWith: .success) {
                let shop = try ShopServer()
                _ = try shop.server.start()
                try await TestSupport.wait("the timers") {
                    let folder = "/proc/self/fd/"
                    let files = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
                        try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0)
                    }
                    return files.count { $0 == "anon_inode:[timerfd]" } >= 2
                }
                await shop.server.stop(immediately: true)
            }
        }
    #endif

    @Test func anIdIsTheSameInTheResponseAndInTheLog() async throws {
        let shop = try ShopServer { $0.log.requests = .all }
        let response = await shop.response("POST", "/v1/decide", Self.json, body: #"{"userId":"ada"}"#)
        let ids = response.headers.values("X-Request-Id")
        #expect(ids.count == 1)
        let entry = try JSONValue(parsing: try #require(shop.log.all.last))
        #expect(entry["request_id"] == ids.first.map { .string($0) })
    }

    @Test func aServerThatStartsSaysWhere() async throws {
        let shop = try ShopServer()
        #expect(try shop.server.start() == 8_080)
        let entry = try JSONValue(parsing: try #require(shop.log.all.last))
        #expect(entry["message"] == .string("listening"))
        #expect(entry["port"] == .integer(8_080))
        #expect(entry["datafiles"] == .integer(1))
        await shop.server.stop(immediately: true)
        #expect(shop.listener.isStopped)
    }

    @Test func theAssignmentsOfNamedStoresAreWrittenAtTheEnd() async throws {
        let store = MemoryProfileStore()
        let buffered = WriteBehindProfileStore(SlowStore(store: store), log: .silent)
        let shop = try ShopServer(profiles: ["rest": buffered])
        _ = try shop.server.start()
        try buffered.save(["1": "11"], for: "ada")
        await shop.server.stop(immediately: true)
        #expect(store.profile(of: "ada").assignments == ["1": "11"])
    }

    private struct SlowStore: ProfileStore {
        let store: MemoryProfileStore

        func profile(of userID: String) -> UserProfile { store.profile(of: userID) }

        func save(_ assignments: [String: String], for userID: String) {
            Thread.sleep(forTimeInterval: 0.05)
            store.save(assignments, for: userID)
        }
    }
}
