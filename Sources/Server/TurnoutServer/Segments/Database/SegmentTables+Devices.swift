import TurnoutSQLite

extension SegmentTables {
    func ids(of id: String, limit: Int) throws -> [String] {
        let user = try connection.first("SELECT user FROM devices WHERE device = ?", id) { $0.text(0) } ?? id
        let devices = try connection.rows(
            "SELECT device FROM devices WHERE user = ? ORDER BY last DESC, device LIMIT ?", user, Int64(limit)
        ) { $0.text(0) }
        return [id] + ([user] + devices).filter { $0 != id }
    }

    func devices(of user: String) throws -> [String] {
        try connection.rows("SELECT device FROM devices WHERE user = ? ORDER BY device", user) { $0.text(0) }
    }

    /// Ties devices to users, up to `room` devices in all. Returns how many links were not stored.
    func link(_ links: [DeviceLink], at time: Int64, room: Int) throws -> Int {
        var refused = 0
        var room = try room - deviceCount()
        for link in links {
            let update = "UPDATE devices SET user = ?2, last = ?3 WHERE device = ?1"
            if try connection.run(update, link.device, link.user, time) > 0 { continue }
            guard room > 0 else {
                refused += 1
                continue
            }
            room -= 1
            try connection.run(
                "INSERT INTO devices(device, user, last) VALUES(?, ?, ?)", link.device, link.user, time)
            try countDevices(1)
        }
        return refused
    }

    func forgetDevices(_ ids: [String]) throws -> Bool {
        var found = 0
        for id in ids {
            let sql = "DELETE FROM devices WHERE device = ?1 OR user = ?1"
            let devices = recordDeletion(of: try connection.run(sql, id))
            try countDevices(-devices)
            found += devices
        }
        return found > 0
    }

    func expireDevices(before time: Int64) throws -> Int {
        let count = recordDeletion(of: try connection.run("DELETE FROM devices WHERE last < ?", time))
        try countDevices(-count)
        return count
    }

    func deviceCount() throws -> Int { Int(try connection.number("SELECT count FROM totals WHERE name = 'devices'")) }

    private func countDevices(_ change: Int) throws {
        guard change != 0 else { return }
        try connection.run("UPDATE totals SET count = count + ? WHERE name = 'devices'", Int64(change))
    }
}
