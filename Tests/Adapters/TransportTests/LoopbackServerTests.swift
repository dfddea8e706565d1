import Foundation
import LoopbackServer
import TestSupport
import Testing
import TurnoutClient

/// The server used by other tests.
@Suite(.blocking) struct LoopbackServerTests {
    let server: LoopbackServer
    let transport = Network.insecure

    init() throws { server = try LoopbackServer() }

    func status(_ method: HTTPRequest.Method, _ path: String, headers: [String: String] = [:]) async throws -> Int {
        try await transport.send(HTTPRequest(method, server.address + path, headers: headers)).status
    }

    @Test func queuedRepliesPrecedeTheDefaultReply() async throws {
        try server.always(.status(400), to: "/v1/*")
        try server.reply(to: "/v1/events", with: .status(500), times: 2)
        try server.reply(to: "/v1/*", with: .status(503))
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(try await status(.post, "/v1/events")) }
        #expect(statuses == [500, 500, 503, 400])
        try server.always(nil, to: "/v1/*")
        #expect(try await status(.post, "/v1/events") == 204)
        #expect(try await status(.get, "/v2") == 404)
        #expect(try server.requests(to: "/v1/events").count == 5)
        try server.forget()
        #expect(try server.requests().isEmpty)
    }

    @Test func theSeedDecidesWhichRequestsFail() async throws {
        var runs: [[Int]] = []
        for seed: UInt64 in [7, 7, 8] {
            try server.fail("/v1/events", fraction: 0.5, seed: seed, with: [.status(500), .status(429)])
            var statuses: [Int] = []
            for _ in 0..<40 { statuses.append(try await status(.post, "/v1/events")) }
            runs.append(statuses)
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0] != runs[2])
        #expect(Set(runs[0]) == [204, 500, 429])
    }

    @Test func aDatafileIsServedUnlessTheClientHasIt() async throws {
        let path = "/datafiles/key.json"
        let time = "Tue, 06 Jan 2026 08:00:00 GMT"
        try server.publish(datafile: Array("{}".utf8), path: path, lastModified: time, etag: "\"a\"")
        let response = try await transport.send(HTTPRequest(.get, server.address + path))
        #expect(response.body == Array("{}".utf8))
        #expect(response.headers["last-modified"] == time)
        #expect(response.headers["etag"] == "\"a\"")
        #expect(try await status(.get, path, headers: ["If-None-Match": "\"a\""]) == 304)
        #expect(try await status(.get, path, headers: ["If-Modified-Since": time]) == 304)
        #expect(try await status(.get, path, headers: ["If-Modified-Since": "Mon, 05 Jan 2026 08:00:00 GMT"]) == 200)
        // The entity tag takes precedence.
        #expect(try await status(.get, path, headers: ["If-Modified-Since": time, "If-None-Match": "\"b\""]) == 200)
        try server.reply(to: path, with: .status(500))
        #expect(try await status(.get, path) == 500)
        try server.publish(datafile: Array("[]".utf8), path: path)
        #expect(try await transport.send(HTTPRequest(.get, server.address + path)).body == Array("[]".utf8))
    }

    @Test func eventsAreCountedWhenTheyAreAccepted() async throws {
        try server.countEvents()
        try server.reply(to: "/v1/events", with: .status(500))
        for ids in [["a", "b"], ["a", "b"], ["b"]] {
            let events = ids.map { "{\"uuid\":\"\($0)\"}" }.joined(separator: ",")
            let body = "{\"visitors\":[{\"visitor_id\":\"u\",\"snapshots\":[{\"events\":[\(events)]}]}]}"
            _ = try await transport.send(HTTPRequest(.post, server.address + "/v1/events", body: Array(body.utf8)))
        }
        _ = try await transport.send(HTTPRequest(.post, server.address + "/v1/events", body: [1, 2]))
        // The server counts a request after its response.
        try await wait("the last request is counted") { (try? server.statistics.unreadableBodies) == 1 }
        #expect(try server.acceptedEventCounts == ["a": 1, "b": 2])
        let statistics = try server.statistics
        #expect(statistics.requests == 4)
        #expect(statistics.acceptedEvents == 3)
        #expect(statistics.distinctEvents == 2)
        #expect(try server.requests().isEmpty)
    }

    @Test func aStoppedServerEndsItsProcess() async throws {
        let id = server.processID
        #expect(isRunning(id))
        server.stop()
        #expect(!isRunning(id))
        #expect(throws: LoopbackServer.Failure.self) { _ = try server.requests() }
    }

    @Test func aServerEndsWithItsParentProcess() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let server = try LoopbackServer()
            FileHandle.standardError.write(Data("server \(server.processID)\n".utf8))
            kill(getpid(), SIGKILL)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("server ") })
        let id = try #require(Int32(line.dropFirst("server ".count)))
        try await wait("the end of the server") { !isRunning(id) }
    }

    func isRunning(_ id: Int32) -> Bool {
        guard kill(id, 0) == 0 else { return false }
        // A zombie process is still listed.
        let state = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
        return !state.contains(") Z ")
    }
}
