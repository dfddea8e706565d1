import Foundation
import TestSupport

/// Files of the data folder that cannot be used while the server runs.
@Suite("Damaged files", .blocking)
struct DamagedFileTests {
    private func json(_ server: LiveServer, _ path: String) async throws -> JSONValue {
        try JSONValue(parsing: try await server.get(path).body)
    }

    @Test func missingSegmentsAreReportedAndServingContinues() async throws {
        let server = try LiveServer()
        try await wait("the file of segments") {
            FileManager.default.fileExists(atPath: server.directory.path + "/segments.sqlite")
        }
        #expect(try await server.get("/segments").status == 200)
        truncate(server.directory.path + "/segments.sqlite", 0)
        #expect(try await server.get("/segments").status == 503)
        let ready = try await server.get("/ready")
        #expect(ready.status == 200)
        let body = try JSONValue(parsing: ready.body)
        guard case .string(let text)? = body["impairments"]?["segments"] else { throw CancellationError() }
        #expect(text.contains("segments.sqlite: the file is empty"))
        #expect(try await json(server, "/status")["segments"]?["problem"] == .string(text))
        #expect(try await server.metric("turnout_server_impaired{part=\"segments\"}") == 1)
        #expect(try await server.metric("turnout_server_ready") == 1)
        #expect(try await server.decide().status == 200)
        #expect(try await server.post("/v1/events", Array("{}".utf8)).status == 204)
        await server.stop()
    }

    @Test func eventsAreRefusedOnlyWithoutRoom() async throws {
        let server = try LiveServer(maximumLogSize: 200_000)
        let file = server.directory.path + "/events.sqlite"
        try await wait("the file of events") { FileManager.default.fileExists(atPath: file) }
        for ending in ["", "-wal", "-shm"] { unlink(file + ending) }
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        let body = Array(("{\"a\":\"" + String(repeating: "x", count: 20_000) + "\"}").utf8)
        var accepted = 0
        while accepted < 100, let response = try? await server.post("/v1/events", body) {
            #expect(response.status == 204)
            accepted += 1
        }
        #expect((8...11).contains(accepted))
        #expect(try await server.metric("turnout_event_requests_refused_total") >= 1)
        #expect(try await server.get("/ready").status == 503)
        #expect(try await server.decide().status == 200)
        // When the file can be used again, there is room again.
        rmdir(file)
        try await wait("room for events") { try await server.get("/ready").status == 200 }
        #expect(try await server.post("/v1/events", body).status == 204)
        await server.stop()
    }

    @Test func unprocessableEventsAreReported() async throws {
        let server = try LiveServer()
        let file = server.directory.path + "/events.sqlite"
        try await wait("the file of events") { FileManager.default.fileExists(atPath: file) }
        // Not even as the superuser can a folder be opened as a file.
        for ending in ["", "-wal", "-shm"] { unlink(file + ending) }
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        #expect(try await server.post("/v1/events", Array("{}".utf8)).status == 204)
        try await wait("the impairment") { try await server.metric("turnout_server_impaired{part=\"events\"}") == 1 }
        let ready = try await server.get("/ready")
        #expect(ready.status == 200)
        #expect(String(decoding: ready.body, as: UTF8.self).contains("events.sqlite"))
        guard case .string? = try await json(server, "/status")["events"]?["processingProblem"] else {
            throw CancellationError()
        }
        #expect(try await server.decide().status == 200)
        await server.stop()
    }
}
