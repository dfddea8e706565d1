import Foundation
import ServerTestSupport
import TestSupport
import TurnoutSQLite
import TurnoutServer

/// Lists of users, devices and the events of visitors in files.
@Suite(.blocking) struct SegmentDatabaseTests {
    private let directory = TemporaryDirectory()

    @Test func everythingIsThereAfterARestart() throws {
        let store = SegmentDatabase(directory: directory.path, log: directory.log)
        _ = try store.change("vip", .add(["ada"]))
        _ = try store.link([DeviceLink(device: "vuid_1", user: "ada")], at: 1)
        let again = SegmentDatabase(directory: directory.path, log: directory.log)
        #expect(try again.ids(of: "vuid_1") == ["vuid_1", "ada"])
        #expect(try again.segments(of: ["ada"]).map(\.text) == ["vip"])
        #expect(try again.counts() == store.counts())
    }

    @Test func devicesAreKnownUntilTheirListsAreForgotten() throws {
        let store = SegmentDatabase(directory: directory.path, log: directory.log)
        _ = try store.change("vip", .add(["ada", "vuid_1"]))
        _ = try store.link([DeviceLink(device: "vuid_1", user: "ada")], at: 1)
        let file = try SQLiteConnection(path: directory.path + "/segments.sqlite")
        try file.run("CREATE TRIGGER broken BEFORE DELETE ON members BEGIN SELECT RAISE(ABORT, 'broken'); END")
        #expect(throws: (any Error).self) { try store.forget(["ada", "vuid_1"]) }
        #expect(try store.devices(of: "ada") == ["vuid_1"])
        try file.run("DROP TRIGGER broken")
        #expect(try store.forget(["ada", "vuid_1"]))
        #expect(try store.users(of: "vip", after: "", limit: 10) == [])
        #expect(try store.devices(of: "ada").isEmpty)
    }

    @Test func noFileContainsRemovedUsers() throws {
        let store = SegmentDatabase(directory: directory.path, log: directory.log)
        let ids = (1...5).map { "user-number-\($0)" }
        _ = try store.change("vip", .add(ids))
        _ = try store.change("beta", .add(["joan", ids[4]]))
        _ = try store.link([DeviceLink(device: ids[3], user: "ada")], at: 1)
        // What it has read must not keep the log.
        #expect(try store.segments(of: ["joan"]).map(\.text) == ["beta"])
        _ = try store.change("vip", .remove([ids[0]]))
        #expect(try Self.remnants(ids[0], in: directory.path).isEmpty)
        _ = try store.change("vip", .replace([ids[2], ids[3]]))
        #expect(try Self.remnants(ids[1], in: directory.path).isEmpty)
        _ = try store.removeList("beta")
        #expect(try Self.remnants(ids[4], in: directory.path).isEmpty)
        _ = try store.change("vip", .replace(["ada"]))
        #expect(try Self.remnants(ids[2], in: directory.path).isEmpty)
        #expect(try store.expireDevices(before: 2) == 1)
        #expect(try Self.remnants(ids[3], in: directory.path).isEmpty)
        #expect(try store.users(of: "vip", after: "", limit: 10) == ["ada"])
    }

    /// The tables have no row of the user any more, but the log of changes has.
    @Test func theUserOfADeviceThatAnotherUserTookIsForgotten() throws {
        let store = SegmentDatabase(directory: directory.path, log: directory.log)
        _ = try store.link([DeviceLink(device: "vuid_1", user: "user-number-1")], at: 1)
        _ = try store.link([DeviceLink(device: "vuid_1", user: "grace")], at: 2)
        #expect(try !Self.remnants("user-number-1", in: directory.path).isEmpty)
        #expect(try !store.forget(["user-number-1"]))
        #expect(try Self.remnants("user-number-1", in: directory.path).isEmpty)
    }

    /// The files in a folder that contain an id.
    private static func remnants(_ id: String, in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            FileManager.default.contents(atPath: folder + "/" + name)?.range(of: Data(id.utf8)) != nil
        }
    }

    /// Version 2 had uploads in parts. What one has left is in no list, and is deleted.
    @Test(arguments: [1, 2]) func aFileOfAnEarlierVersionIsUpgraded(version: Int) throws {
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: directory.path + "/segments.sqlite"))
        let old = try SQLiteConnection(path: directory.path + "/segments.sqlite")
        try old.run(
            """
            CREATE TABLE lists(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, count INTEGER NOT NULL);
            CREATE TABLE members(list INTEGER NOT NULL, user TEXT NOT NULL, PRIMARY KEY(list, user)) WITHOUT ROWID;
            CREATE INDEX members_by_user ON members(user);
            INSERT INTO lists VALUES(1, 'vip', 1);
            INSERT INTO members VALUES(1, 'ada');
            PRAGMA user_version = \(version);
            """)
        if version == 2 {
            try old.run(
                """
                CREATE TABLE uploads(segment TEXT PRIMARY KEY, id TEXT NOT NULL, list INTEGER NOT NULL,
                    parts INTEGER NOT NULL, count INTEGER NOT NULL, last INTEGER NOT NULL, added INTEGER,
                    removed INTEGER) WITHOUT ROWID;
                INSERT INTO uploads VALUES('vip', '7f', 2, 1, 1, 1, NULL, NULL);
                INSERT INTO members VALUES(2, 'user-number-1'), (2, 'ada');
                """)
        }
        for round in 0..<2 {
            let store = SegmentDatabase(directory: directory.path, log: directory.log)
            #expect(try store.counts().members == 1 + round)
            #expect(try store.segments(of: ["ada"]).map(\.text) == ["vip"])
            #expect(try Self.remnants("user-number-1", in: directory.path).isEmpty)
            #expect(try store.change("new", .add(["grace"])).added == 1 - round)
            #expect(try store.users(of: "new", after: "", limit: 9) == ["grace"])
        }
    }

    @Test func listsAreReadWhileAnotherIsReplaced() async throws {
        let store = SegmentDatabase(directory: directory.path, log: directory.log)
        _ = try store.change("vip", .add(["ada"]))
        let users = (0..<2_000).map { "user-\($0)" }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<5 { _ = try? store.change("all", .replace(users.dropLast(round * 100).map(\.self))) }
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<50 {
                        let segments = try? store.segments(of: ["ada"]).map(\.text)
                        // While the list "all" is replaced.
                        #expect(segments == ["vip"])
                    }
                }
            }
        }
        #expect(try store.lists() == [SegmentList(name: "all", count: 1_600), SegmentList(name: "vip", count: 1)])
    }

    @Test func aDamagedFileIsNotReplaced() throws {
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let file = directory.path + "/segments.sqlite"
        try String(repeating: "not a database", count: 400).write(toFile: file, atomically: true, encoding: .utf8)
        let store = SegmentDatabase(directory: directory.path, log: directory.log)
        #expect(throws: SQLiteError.self) { try store.lists() }
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("not a database"))
    }

    @Test(arguments: ["while it is open", "before it is opened"])
    func anEmptiedFileIsNotANewStore(moment: String) throws {
        var store = SegmentDatabase(directory: directory.path, log: directory.log)
        _ = try store.change("vip", .add(["ada"]))
        let file = directory.path + "/segments.sqlite"
        let copy = try Data(contentsOf: URL(filePath: file))
        truncate(file, 0)
        if moment == "before it is opened" { store = SegmentDatabase(directory: directory.path, log: directory.log) }
        #expect(throws: SQLiteError.self) { try store.lists() }
        #expect(throws: SQLiteError.self) { try store.change("vip", .add(["grace"])) }
        // Neither a device of a user is tied without the lists, which have the other half of the room.
        #expect(throws: SQLiteError.self) { try store.link([DeviceLink(device: "vuid_1", user: "ada")], at: 1) }
        try copy.write(to: URL(filePath: file))
        #expect(throws: Never.self) { try store.lists() }
    }

    @Test func aDeletedFileIsNotANewStore() throws {
        let store = SegmentDatabase(directory: directory.path, log: directory.log)
        _ = try store.change("vip", .add(["ada"]))
        let file = directory.path + "/segments.sqlite"
        try FileManager.default.removeItem(atPath: file)
        #expect(throws: SQLiteError.self) { try store.lists() }
        #expect(throws: SQLiteError.self) { try store.change("vip", .add(["grace"])) }
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func aFileOfAnotherProgramIsNotANewStore() throws {
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let file = directory.path + "/segments.sqlite"
        try Data().write(to: URL(filePath: file))
        try SQLiteConnection(path: file).run("CREATE TABLE users(name)")
        let store = SegmentDatabase(directory: directory.path, log: directory.log)
        #expect(throws: SQLiteError.self) { try store.change("vip", .add(["ada"])) }
    }

    @Test func aRestoredCopyIsServed() throws {
        let (file, copy) = (directory.path + "/segments.sqlite", directory.path + "/copy.sqlite")
        let store = SegmentDatabase(directory: directory.path, log: directory.log)
        _ = try store.change("vip", .add(["ada"]))
        try SQLiteConnection(path: file).run("VACUUM INTO '\(copy)'")
        _ = try store.change("vip", .add(["grace"]))
        rename(copy, file)
        #expect(try store.users(of: "vip", after: "", limit: 9) == ["ada"])
        #expect(try store.change("vip", .add(["joan"])).added == 1)
        #expect(try store.users(of: "vip", after: "", limit: 9) == ["ada", "joan"])
    }

    @Test func aCopyRestoredAfterAFailureDoesNotGetOlderChanges() throws {
        let (file, copy) = (directory.path + "/segments.sqlite", directory.path + "/copy.sqlite")
        let store = SegmentDatabase(directory: directory.path, log: directory.log)
        _ = try store.change("vip", .add(["ada"]))
        try SQLiteConnection(path: file).run("VACUUM INTO '\(copy)'")
        _ = try store.change("vip", .add(["grace"]))
        #expect(try store.users(of: "vip", after: "", limit: 9) == ["ada", "grace"])
        // The connection that writes fails and is closed, the one that reads stays open.
        try SQLiteConnection(path: file).run("ALTER TABLE members RENAME TO others")
        #expect(throws: SQLiteError.self) { try store.change("vip", .add(["joan"])) }
        try SQLiteConnection(path: file).run("ALTER TABLE others RENAME TO members")
        rename(copy, file)
        #expect(try store.users(of: "vip", after: "", limit: 9) == ["ada"])
        #expect(try store.change("vip", .add(["joan"])).added == 1)
        #expect(try store.users(of: "vip", after: "", limit: 9) == ["ada", "joan"])
    }

    @Test func aCopyRestoredBesideAnOldLogDoesNotGetItsChanges() throws {
        let (file, copy) = (directory.path + "/segments.sqlite", directory.path + "/copy.sqlite")
        let first = SegmentDatabase(directory: directory.path, log: directory.log)
        _ = try first.change("vip", .add(["ada"]))
        try SQLiteConnection(path: file).run("VACUUM INTO '\(copy)'")
        _ = try first.change("vip", .add(["grace"]))
        // As after a power failure and the loss of the file.
        let folder = directory.path + "/other"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (lost, log) = (folder + "/segments.sqlite", folder + "/segments.sqlite-wal")
        try FileManager.default.copyItem(atPath: file + "-wal", toPath: log)
        let store = SegmentDatabase(directory: folder, log: directory.log)
        #expect(throws: SQLiteError.self) { try store.lists() }
        #expect(throws: SQLiteError.self) { try store.lists() }
        #expect(!FileManager.default.fileExists(atPath: log))
        #expect(FileManager.default.fileExists(atPath: log + ".replaced"))
        rename(copy, lost)
        #expect(try store.users(of: "vip", after: "", limit: 9) == ["ada"])
    }

    private final class Flag: Sendable { let value = Locked(false) }

    @Test func devicesAreTiedWhileALongListIsWritten() async throws {
        let store = SegmentDatabase(directory: directory.path, log: directory.log)
        _ = try store.link([DeviceLink(device: "vuid_0", user: "ada")], at: 1)
        let users = (0..<60_000).map { "user-\($0)" }
        let isDone = Flag()
        let (slowest, count) = await withTaskGroup(of: (Duration, Int).self) { group in
            group.addTask {
                _ = try? store.change("all", .replace(users))
                isDone.value.withLock { $0 = true }
                return (.zero, 0)
            }
            group.addTask {
                var (slowest, count) = (Duration.zero, 0)
                while !isDone.value.withLock({ $0 }) {
                    count += 1
                    slowest = max(
                        slowest,
                        ContinuousClock().measure {
                            _ = try? store.link([DeviceLink(device: "vuid_\(count)", user: "ada")], at: 2)
                        })
                }
                return (slowest, count)
            }
            return await group.reduce((.zero, 0)) { (max($0.0, $1.0), $0.1 + $1.1) }
        }
        // A link that waited for the list would be the only one.
        #expect(count > 3, "the slowest took \(slowest)")
    }

    // MARK: Events

    @Test func theEventsOfAVisitorAreCounted() async throws {
        let log = ServerStorage.temporary().log
        let database = EventDatabase(directory: directory.path, log: directory.log)
        func append(_ visitor: String, _ key: String, _ uuid: Int, revenue: Int?, daysAgo: Int64) async throws {
            let time = EventBodies.time - daysAgo * 86_400_000
            let event = EventBodies.conversion(key, uuid: EventBodies.uuid(uuid), revenue: revenue, timestamp: time)
            try await log.append(EventBodies.body(EventBodies.visitor(visitor, event)), receivedAt: EventBodies.time)
        }
        try await append("ada", "purchase", 1, revenue: 500, daysAgo: 20)
        try await append("ada", "purchase", 2, revenue: nil, daysAgo: 2)
        try await append("vuid_1", "purchase", 3, revenue: 250, daysAgo: 1)
        try await append("ada", "signup", 4, revenue: nil, daysAgo: 1)
        try await append("grace", "purchase", 5, revenue: 7, daysAgo: 1)
        try EventProcessing(log, into: database, wallClock: .fixed(EventBodies.time), messages: .silent).processAll()

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

        #expect(try database.knows(["unknown", "grace"], in: ["12001"]))
        #expect(try !database.knows(["grace"], in: ["other"]))
        #expect(try !database.knows(["unknown"], in: ["12001"]))
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
