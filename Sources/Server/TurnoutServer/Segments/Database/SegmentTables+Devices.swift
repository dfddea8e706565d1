extension SegmentTables {
    func ids(of id: String, limit: Int) throws -> [String] {
        let user = try texts("SELECT user FROM devices WHERE device = ?", [id]).first ?? id
        let devices = try texts(
            "SELECT device FROM devices WHERE user = ? ORDER BY last DESC, device LIMIT ?", [user],
            Int64(limit))
        return [id] + ([user] + devices).filter { $0 != id }
    }

    func devices(of user: String) throws -> [String] {
        try texts("SELECT device FROM devices WHERE user = ? ORDER BY device", [user])
    }

    /// Ties devices to users, up to `room` devices in all. Returns how many links were not stored.
    func link(_ links: [DeviceLink], at time: Int64, room: Int) throws -> Int {
        var refused = 0
        var room = try room - deviceCount()
        for link in links {
            let texts = [link.device, link.user]
            if try run("UPDATE devices SET user = ?2, last = ?3 WHERE device = ?1", texts, time) > 0 { continue }
            guard room > 0 else {
                refused += 1
                continue
            }
            room -= 1
            try run("INSERT INTO devices(device, user, last) VALUES(?, ?, ?)", texts, time)
            try countDevices(1)
        }
        return refused
    }

    func forgetDevices(_ ids: [String]) throws -> Bool {
        var found = 0
        for id in ids {
            let devices = try delete("FROM devices WHERE device = ?1 OR user = ?1", [id])
            try countDevices(-devices)
            found += devices
        }
        return found > 0
    }

    func expireDevices(before time: Int64) throws -> Int {
        let count = try delete("FROM devices WHERE last < ?", [], time)
        try countDevices(-count)
        return count
    }

    func deviceCount() throws -> Int { Int(try number("SELECT count FROM totals WHERE name = 'devices'")) }

    private func countDevices(_ change: Int) throws {
        if change != 0 { try run("UPDATE totals SET count = count + ? WHERE name = 'devices'", [], Int64(change)) }
    }
}
