import Foundation
import ServerTestSupport
import TestSupport
import TurnoutSQLite
import TurnoutServer

/// Files of earlier versions. The folder `Fixtures/DataFolder` was written by `turnout serve` with version 1.
@Suite(.blocking) struct EventMigrationTests {
    private let directory = TemporaryDirectory()
    private var file: String { directory.path + "/events.sqlite" }

    init() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        try FileManager.default.copyItem(at: folder.appending(path: "Fixtures/DataFolder"), to: directory.url)
    }

    private func number(_ sql: String) throws -> Int64 {
        let connection = try SQLiteConnection(path: file)
        return try withExtendedLifetime(connection) {
            let statement = try connection.statement(sql)
            return try statement.step() ? statement.int(0) : -1
        }
    }

    private func exported() throws -> [ExportedEvent] {
        var events: [ExportedEvent] = []
        try EventExport(directory: directory.path).forEach(.init()) { events.append($0) }
        return events
    }

    @Test func aFolderOfVersion1IsUpgraded() async throws {
        #expect(try number("PRAGMA user_version") == 1)
        let before = try exported()
        #expect(before.count == 18)
        let storage = ServerStorage(directory: directory.path, messages: directory.log)
        let processing = EventProcessing(
            storage.log, into: storage.events, projects: { ["100300"] }, messages: directory.log)
        try processing.processAll()
        #expect(processing.counts == ProcessedCounts())
        #expect(try number("PRAGMA user_version") == 3)
        #expect(try exported() == before)
        #expect(try storage.events.quarantined { _ in true }.count == 1)
        // Events whose time was corrected are known, although their own time was not kept.
        var selection = ResultSelection(
            projectID: "100300", experimentID: "4101", variationIDs: ["41011", "41012"],
            metrics: [.init(eventKey: "purchase")], now: .max)
        var distribution = try storage.events.distribution(selection)
        #expect(distribution.visitors.map(\.visitors) == [6, 6])
        #expect(distribution.leftOutLines == ["correctedTime [1, 0]"])
        #expect(distribution.metrics[0].rows.map(\.totals.revenue) == [0, 50, 650, 0, 350, 950])
        selection.metrics = []
        // A copy of a request that the earlier program received.
        let record = try #require(try storage.log.read(from: 0, size: 1).records.first)
        var page = ProcessedPage(next: storage.log.status.end)
        page.rows = [EventBatchParser().rows(of: record)]
        #expect(try storage.events.write(page).duplicates == 8)
        distribution = try storage.events.distribution(selection)
        #expect(distribution.visitors.map(\.visitors) == [6, 6])
        await storage.log.close()
    }

    @Test func aFailureLeavesTheFileAsItWas() throws {
        // The last change fails.
        try SQLiteConnection(path: file).run("CREATE TABLE final_results(id)")
        let before = try exported()
        let database = EventDatabase(directory: directory.path, log: directory.log)
        let error = #expect(throws: SQLiteError.self) { try database.offset() }
        #expect(error?.message.contains("final_results") == true)
        #expect(try number("PRAGMA user_version") == 1)
        #expect(try number("SELECT count(*) FROM pragma_table_info('exposures') WHERE name = 'claimed'") == 0)
        #expect(try number("SELECT count(*) FROM sqlite_master WHERE name = 'periods'") == 0)
        #expect(try exported() == before)
        try SQLiteConnection(path: file).run("DROP TABLE final_results")
        #expect(try database.offset() > 0)
        #expect(try number("PRAGMA user_version") == 3)
    }

    @Test func theTimeThatAClientClaimsIsKept() throws {
        let database = EventDatabase(directory: directory.path, log: directory.log)
        try database.write([.exposure("ada", "a", 1), .purchase("kim", 2)])
        var page = ProcessedPage(next: 2)
        let late = ScriptedEvent.purchase("max", 3)
        page.rows = [late.rows(receivedAfter: 31 * ScriptedEvent.day)]
        _ = try database.write(page)
        let claimed = "SELECT claimed FROM conversions WHERE claimed IS NOT NULL"
        #expect(try number(claimed) == EventBodies.time)
        #expect(try number("SELECT count(*) FROM exposures WHERE claimed IS NOT NULL") == 0)
    }
}
