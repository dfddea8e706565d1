import ServerTestSupport
import TestSupport
import Testing
import TurnoutClient

@testable import TurnoutServer

/// A server whose events an engine has.
@Suite(.blocking) struct EngineOfServerTests {
    /// Keeps what is written, and answers no query at first.
    private final class SilentEngine: EventEngine {
        let rows = Locked<[EngineRow]>([])
        let queries = Locked(0)
        let answers = Locked(false)
        let hangs = Locked(false)
        let description = "http://db.example:8123"
        let setupStatements: [String] = []

        func setUp() {}
        func check() {}
        func write(_ batch: EngineBatch) { rows.withLock { $0 += batch.rows } }
        func forget(_ users: [String]) {}
        func result(of query: EngineQuery) async throws(EngineError) -> EngineResult {
            queries.withLock { $0 += 1 }
            // A frozen engine, until the caller gives up.
            if hangs.withLock({ $0 }) { try? await Task.sleep(for: .seconds(3_600)) }
            guard answers.withLock({ $0 }) else { throw .failed("no route to host") }
            return EngineResult()
        }
    }

    private let folder = TemporaryDirectory()
    private let engine = SilentEngine()

    private func storage(_ engine: (any EventEngine)?) -> ServerStorage {
        ServerStorage(directory: folder.path, engine: engine, isTemporary: true, messages: folder.log)
    }

    private func events(_ engine: (any EventEngine)?) -> EventDatabase {
        EventDatabase(directory: folder.path, engine: engine, log: folder.log)
    }

    /// Starts a server after one without an engine, which has an event of a forced visitor.
    private func server() async throws -> (ShopServer, ServerStorage) {
        let before = storage(nil)
        try before.events.write([.exposure("ada", "41012", 1, project: "100300")])
        try before.events.force([EventHash.visitor("ada", of: "100300")], at: EventBodies.time)
        await before.close()
        let storage = storage(engine)
        let shop = try ShopServer(storage: storage) { $0.access.allowsLocalManagement = true }
        shop.wallClock.set(EventBodies.time)
        _ = try shop.server.start()
        return (shop, storage)
    }

    private func waitForText(_ isThere: Bool, _ shop: ShopServer) async throws {
        try await wait("the state of the import") {
            shop.clock.advance(by: .seconds(1))
            return await shop.response("GET", "/status").text.contains("turnout engine import --data") == isThere
        }
    }

    @Test func earlierEventsAreNamedUntilTheyAreImported() async throws {
        let (shop, storage) = try await server()
        try await waitForText(true, shop)
        #expect(shop.log.text.contains("events from before the engine are only in this server's file"))
        #expect(await shop.response("GET", "/console/health", [:]).text.contains("<h2>Earlier events</h2>"))
        try storage.events.setImported()
        try await waitForText(false, shop)
        await shop.server.stop(immediately: true)
        // While another server runs without the engine, events do not reach it.
        #expect(try events(nil).isImported())
        #expect(try !events(engine).isImported())
        let empty = TemporaryDirectory()
        #expect(try EventDatabase(directory: empty.path, engine: engine, log: empty.log).isImported())
    }

    @Test func aVisitorForcedBeforeTheStartIsForcedInTheEngine() async throws {
        let (shop, storage) = try await server()
        let body = EventBodies.body(EventBodies.visitor("ada", EventBodies.exposure(uuid: "u-2")), project: "100300")
        try await storage.log.append(body, receivedAt: EventBodies.time)
        try await wait("the event to be written") {
            shop.clock.advance(by: .seconds(1))
            return engine.rows.withLock { !$0.isEmpty }
        }
        #expect(engine.rows.withLock { $0.map(\.notes) } == [.forced])
        await shop.server.stop(immediately: true)
    }

    @Test func requestsForSegmentsDoNotAllWaitForAnEngineThatDoesNotAnswer() async throws {
        let events = events(engine)
        let purchases = ConversionSelection(projectID: "100300", eventKey: "purchase")
        for number in 0..<1_000 {
            #expect(throws: EngineError.failed("no route to host")) {
                try events.totals(of: ["user \(number)"], in: purchases)
            }
        }
        // One each second or so.
        #expect(engine.queries.withLock { (1..<100).contains($0) })
        engine.answers.withLock { $0 = true }
        try await wait("the engine to be asked again") { (try? events.totals(of: ["ada"], in: purchases)) != nil }
    }

    @Test func fewRequestsForSegmentsWaitForAFrozenEngine() async {
        engine.hangs.withLock { $0 = true }
        let events = events(engine)
        await concurrently(0..<200) { number in
            let error = await #expect(throws: EngineError.self) {
                try await BlockingCall.result {
                    try events.totals(of: ["\(number)"], in: .init(projectID: "100300", eventKey: "purchase"))
                }
            }
            let words = error?.description ?? ""
            #expect(words.hasSuffix("no answer within 2 s") || words.hasSuffix("ask again later"), "\(words)")
        }
        // After 2 seconds, one each second or so.
        #expect(engine.queries.withLock { (1..<150).contains($0) })
    }

    @Test func whoeverForgetsAUserIsToldThatTheEngineHasDeleted() async throws {
        let (shop, _) = try await server()
        let response = await shop.response("POST", "/users/forget", [:], body: #"{"user_id":"ada"}"#)
        #expect(response.status == 200 && response.text.contains("this node; deleted in the engine"))
        await shop.server.stop(immediately: true)
    }

    @Test func resultsSayThatTheEngineDoesNotAnswer() async throws {
        let (shop, _) = try await server()
        try ExperimentHistory(of: shop.server.datafiles).write(to: events(nil), rebuilds: 0)
        for path in [
            "/results", "/results/checkout_test", "/console/experiments", "/console/experiments/checkout_test",
        ] {
            let response = await shop.response("GET", path, [:])
            #expect(response.status == 503 && response.text.contains("does not answer"), "\(path) \(response.text)")
        }
        #expect(shop.log.text.contains("no route to host"))
        await shop.server.stop(immediately: true)
    }

    @Test func textsOfRowsAreKept() {
        let long = String(repeating: "long ", count: 50)
        let texts = (0..<10_000).map { ["", "a", "\u{E9}", "user \($0)", long][$0 * 7 % 5] }
        var column = EngineTexts()
        for text in texts { Array(text.utf8).withUnsafeBytes { column.append($0) } }
        #expect(texts.indices.map { column[$0] } == texts)
        #expect(column.values.count < 5_000)
        for _ in 0..<2 { [UInt8]([0x61, 0xFF]).withUnsafeBytes { column.append($0) } }
        #expect(column[10_000] == "a\u{FFFD}" && column[10_001] == "a\u{FFFD}")
    }

    @Test func anAnswerOfAnotherKindIsNoResult() {
        let header: [[UInt8]] = [[2, 1, 1, 0x6E, 6] + "UInt64".utf8, [1, 0x73, 7] + "Float64".utf8]
        let answer = header[0] + [3, 0, 0, 0, 0, 0, 0, 0] + header[1] + [0, 0, 0, 0, 0, 0, 0x20, 0x40]
        let totals = EngineResult(native: answer, [.integer, .double])?.totals
        #expect(totals?.count == 3 && totals?.revenue == 8)
        var sums = ConversionTotals()
        for _ in 0..<2 { sums.add(.max, revenue: .min) }
        #expect(sums.count == .max && sums.revenue == .min)
        for count in 1..<answer.count {
            #expect(EngineResult(native: Array(answer[..<count]), [.integer, .double]) == nil)
        }
        #expect(EngineResult(native: answer, [.integer, .text]) == nil)
        let huge = [2] + [UInt8](repeating: 0xFF, count: 8) + answer[1...]
        for other in [[0, 5], huge, Array("<html>sign in</html>".utf8)] {
            #expect(EngineResult(native: other, [.integer, .double]) == nil)
        }
        #expect(EngineResult(native: [], [.integer, .double])?.blocks.isEmpty == true)
    }
}
