#if SQLite
    import TurnoutServer

    extension SegmentTables {
        func ids(of id: String) throws -> [String] {
            let user = try texts("SELECT user FROM devices WHERE device = ?", [id]).first ?? id
            let devices = try texts(
                "SELECT device FROM devices WHERE user = ? ORDER BY last DESC, device LIMIT ?", [user],
                Int64(limits.devicesOfUser))
            return [id] + ([user] + devices).filter { $0 != id }
        }

        func link(_ links: [DeviceLink], at time: Int64) throws -> Int {
            var refused = 0
            var room = try limits.users - size()
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

        func forget(_ ids: [String]) throws -> Bool {
            var found = 0
            for id in ids {
                try run(
                    "UPDATE lists SET count = count - 1 WHERE id IN (SELECT list FROM members WHERE user = ?)", [id])
                found += try run("DELETE FROM members WHERE user = ?", [id])
                let devices = try run("DELETE FROM devices WHERE device = ?1 OR user = ?1", [id])
                try countDevices(-devices)
                found += devices
            }
            return found > 0
        }

        func expireDevices(before time: Int64) throws -> Int {
            let count = try run("DELETE FROM devices WHERE last < ?", [], time)
            try countDevices(-count)
            return count
        }

        private func countDevices(_ change: Int) throws {
            if change != 0 { try run("UPDATE totals SET count = count + ? WHERE name = 'devices'", [], Int64(change)) }
        }
    }
#endif
