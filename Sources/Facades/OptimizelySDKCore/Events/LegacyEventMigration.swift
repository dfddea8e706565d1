#if SQLite
    import Foundation
    import Optimizely
    import TurnoutClient
    import TurnoutSQLite

    /// The undelivered events that the Objective-C library stored in its own SQLite file.
    struct LegacyEventMigration {
        /// The path of the library's file, which need not exist.
        let path: String

        /// Moves all events to their queues. An event is deleted from the file only after it is stored in the queue, so
        /// none is lost if the process ends in between; it may then be sent twice, with the same UUID.
        func move(to queues: [(table: String, lane: EventLane)], _ log: any Log) {
            guard FileManager.default.fileExists(atPath: path) else { return }
            do {
                let file = try SQLiteConnection(path: path)
                file.wait(milliseconds: 5_000)
                for (table, lane) in queues {
                    let (count, lost) = try move(table, of: file, to: lane)
                    if count > 0 { log(.info, "migrated undelivered events of the Objective-C library: \(count)") }
                    if lost > 0 {
                        log(.warning, "events of the Objective-C library are not JSON objects, and are lost: \(lost)")
                    }
                }
            } catch {
                log(
                    .warning,
                    "events that the Objective-C library has not delivered stay in its file, and the next start tries "
                        + "again to migrate them: \(error)")
            }
        }

        private func move(
            _ table: String, of file: SQLiteConnection, to lane: EventLane
        ) throws -> (count: Int, lost: Int) {
            // Keeps other processes from moving the same events.
            try file.run("BEGIN EXCLUSIVE")
            defer { if file.isInTransaction { try? file.run("ROLLBACK") } }
            let search = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
            guard try file.number(search, table) > 0 else { return (0, 0) }
            let rows = try file.rows("SELECT json FROM \(table) ORDER BY id") { row in
                OutgoingEvent(earlier: row.text(0), from: table)
            }
            let events = rows.compactMap(\.self)
            try lane.keep(events)
            try file.run("DELETE FROM \(table)")
            try file.run("COMMIT")
            lane.start()
            return (events.count, rows.count - events.count)
        }
    }

    extension OutgoingEvent {
        /// Converts an event in the library's file; nil if it is not a JSON object.
        fileprivate init?(earlier json: String, from table: String) {
            guard case .object(let members)? = try? JSONValue(parsing: json) else { return nil }
            // Version 1 of the library used another format and other endpoints.
            let path = table == "impression_events" ? "decision" : "event"
            let address = members["clientEngine"] == nil ? nil : "https://logx.optimizely.com/log/\(path)"
            self.init(group: Group(region: .us, envelope: "", address: address), visitor: Array(json.utf8))
        }
    }
#endif
