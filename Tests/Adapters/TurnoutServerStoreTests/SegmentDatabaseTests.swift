#if SQLite
    import Foundation
    import ServerTestSupport
    import TestSupport
    import Testing
    import TurnoutClient
    import TurnoutServer
    import TurnoutServerStore
    import TurnoutSQLite

    /// Lists of users, devices and the events of visitors in files.
    @Suite(.blocking) struct SegmentDatabaseTests {
        private let directory = TemporaryDirectory()

        @Test func aFileFulfillsTheContract() throws {
            let number = Locked(0)
            try SegmentStoreContract { [directory] limits in
                let folder = number.withLock { number in
                    number += 1
                    return directory.path + "/\(number)"
                }
                return SegmentDatabase(directory: folder, limits)
            }.check()
        }

        @Test func everythingIsThereAfterARestart() throws {
            let store = SegmentDatabase(directory: directory.path)
            _ = try store.change("vip", .add(["ada"]))
            _ = try store.link([DeviceLink(device: "vuid_1", user: "ada")], at: 1)
            let again = SegmentDatabase(directory: directory.path)
            #expect(try again.ids(of: "vuid_1") == ["vuid_1", "ada"])
            #expect(try again.segments(of: ["ada"]) == ["vip"])
            #expect(try again.counts() == store.counts())
        }

        @Test func listsAreReadWhileAnotherIsReplaced() async throws {
            let store = SegmentDatabase(directory: directory.path)
            _ = try store.change("vip", .add(["ada"]))
            let users = (0..<2_000).map { "user-\($0)" }
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for round in 0..<5 {
                        _ = try? store.change("all", .replace(users.dropLast(round * 100).map(\.self)))
                    }
                }
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<50 { #expect(throws: Never.self) { try store.segments(of: ["ada"]) == ["vip"] } }
                    }
                }
            }
            #expect(try store.lists() == [SegmentList(name: "all", count: 1_600), SegmentList(name: "vip", count: 1)])
        }

        @Test func aDamagedFileIsNotReplaced() throws {
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            let file = directory.path + "/segments.sqlite"
            try String(repeating: "not a database", count: 400).write(toFile: file, atomically: true, encoding: .utf8)
            let store = SegmentDatabase(directory: directory.path)
            #expect(throws: SQLiteError.self) { try store.lists() }
            #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("not a database"))
        }

        // MARK: Events

        @Test func theEventsOfAVisitorAreCounted() async throws {
            let log = MemoryEventLog(maximumSize: 1 << 20)
            let database = EventDatabase(directory: directory.path, log: directory.log)
            func append(_ visitor: String, _ key: String, _ uuid: Int, revenue: Int?, daysAgo: Int64) async throws {
                let time = EventBodies.time - daysAgo * 86_400_000
                let event = EventBodies.conversion(
                    key, uuid: EventBodies.uuid(uuid), revenue: revenue, timestamp: time)
                try await log.append(
                    EventBodies.body(EventBodies.visitor(visitor, event)), receivedAt: EventBodies.time)
            }
            try await append("ada", "purchase", 1, revenue: 500, daysAgo: 20)
            try await append("ada", "purchase", 2, revenue: nil, daysAgo: 2)
            try await append("vuid_1", "purchase", 3, revenue: 250, daysAgo: 1)
            try await append("ada", "signup", 4, revenue: nil, daysAgo: 1)
            try await append("grace", "purchase", 5, revenue: 7, daysAgo: 1)
            try EventProcessing(
                log, into: database, wallClock: .fixed(EventBodies.time), messages: .silent
            ).processAll()

            var purchases = ConversionSelection(projectID: "12001", eventKey: "purchase")
            var expected = ConversionTotals()
            expected.add(3, revenue: 750)
            for _ in 0..<2 {
                #expect(try database.totals(of: ["ada", "vuid_1"], in: purchases) == expected)
                // The second time with an index.
                try database.prepare(for: [purchases])
            }
            purchases.start = EventBodies.time - 10 * 86_400_000
            expected = ConversionTotals()
            expected.add(2, revenue: 250)
            #expect(try database.totals(of: ["ada", "vuid_1"], in: purchases) == expected)
            #expect(try plan(database).contains("conversions_of_"))
            purchases.projectID = "other"
            #expect(try database.totals(of: ["ada"], in: purchases) == ConversionTotals())

            #expect(try database.knows(["nobody", "grace"], in: ["12001"]))
            #expect(try !database.knows(["grace"], in: ["other"]))
            #expect(try !database.knows(["nobody"], in: ["12001"]))
            try database.prepare(for: [])
            #expect(
                try database.connection { connection in
                    let statement = try connection.statement(
                        "SELECT count(*) FROM sqlite_master WHERE name GLOB 'conversions_of_*'")
                    defer { statement.reset() }
                    _ = try statement.step()
                    return statement.int(0)
                } == 0)
        }

        /// How the database finds the purchases of a visitor.
        private func plan(_ database: EventDatabase) throws -> String {
            try database.connection { connection in
                let goal = try connection.statement("SELECT id FROM goals WHERE event_key = 'purchase'")
                _ = try goal.step()
                let number = goal.int(0)
                goal.reset()
                let statement = try connection.statement(
                    "EXPLAIN QUERY PLAN SELECT count(*), sum(CAST(revenue AS REAL)) FROM conversions "
                        + "WHERE goal = \(number) AND visitor = 1 AND timestamp >= 2")
                defer { statement.reset() }
                _ = try statement.step()
                return statement.text(3)
            }
        }
    }
#endif
