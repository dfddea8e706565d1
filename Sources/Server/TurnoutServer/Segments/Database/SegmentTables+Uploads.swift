#if SQLite
    extension SegmentTables {
        func stage(
            _ users: [String], for segment: String, _ part: SegmentUploadPart, at time: Int64, maximumLists: Int
        ) throws -> SegmentChange.Counts {
            if part.number == 1 { try begin(segment, part.upload, maximumLists) }
            let parts = try number("SELECT parts FROM uploads WHERE segment = ? AND id = ?", [segment, part.upload])
            let exists = try number(
                "SELECT count(*) FROM uploads WHERE segment = ? AND id = ?", [segment, part.upload])
            guard exists > 0, [parts, parts + 1].contains(Int64(part.number)) else { throw SegmentUploadError() }
            if let result = try result(of: segment) {
                // Nothing follows the last part.
                guard parts == part.number else { throw SegmentUploadError() }
                return result
            }
            let list = try number("SELECT list FROM uploads WHERE segment = ?", [segment])
            let added = try add(users, to: list)
            try run(
                "UPDATE uploads SET parts = ?2, count = count + ?3, last = ?4 WHERE segment = ?1", [segment],
                Int64(part.number), Int64(added), time)
            guard part.isLast else { return SegmentChange.Counts() }
            let count = try number("SELECT count FROM uploads WHERE segment = ?", [segment])
            guard count > 0 || part.mayBeEmpty else { throw EmptyListError() }
            return try finish(segment, list, count, maximumLists)
        }

        /// Begins an upload in place of an earlier one, unless it has begun.
        private func begin(_ segment: String, _ upload: String, _ maximumLists: Int) throws {
            guard try texts("SELECT id FROM uploads WHERE segment = ?", [segment]) != [upload] else { return }
            if try id(of: segment) == nil { try checkRoom(for: segment, maximumLists) }
            try discardUpload(to: segment)
            try run(
                "INSERT INTO uploads(segment, id, list, parts, count, last) VALUES(?, ?, ?, 0, 0, 0)",
                [segment, upload], nextList())
        }

        func discardUpload(to segment: String) throws {
            try delete(
                "FROM members WHERE list = (SELECT list FROM uploads WHERE segment = ? AND added IS NULL)", [segment])
            try run("DELETE FROM uploads WHERE segment = ?", [segment])
        }

        /// Gives the users of an upload the name of the list.
        private func finish(
            _ segment: String, _ list: Int64, _ count: Int64, _ maximumLists: Int
        ) throws -> SegmentChange.Counts {
            var counts = SegmentChange.Counts()
            if let old = try id(of: segment) {
                let kept = try number(
                    "SELECT count(*) FROM members AS new WHERE list = ?1 AND EXISTS "
                        + "(SELECT 1 FROM members WHERE list = ?2 AND user = new.user)", [], list, old)
                counts.added = Int(count - kept)
                counts.removed = try delete("FROM members WHERE list = ?", [], old) - Int(kept)
                try run("UPDATE lists SET id = ?2, count = ?3 WHERE name = ?1", [segment], list, count)
            } else {
                try checkRoom(for: segment, maximumLists)
                counts.added = Int(count)
                try run("INSERT INTO lists(name, id, count) VALUES(?, ?, ?)", [segment], list, count)
            }
            try run(
                "UPDATE uploads SET list = 0, count = 0, added = ?2, removed = ?3 WHERE segment = ?1", [segment],
                Int64(counts.added), Int64(counts.removed))
            return counts
        }

        /// The result of an upload after its last part.
        private func result(of segment: String) throws -> SegmentChange.Counts? {
            guard try number("SELECT count(*) FROM uploads WHERE segment = ? AND added IS NOT NULL", [segment]) > 0
            else {
                return nil
            }
            var counts = SegmentChange.Counts()
            counts.added = Int(try number("SELECT added FROM uploads WHERE segment = ?", [segment]))
            counts.removed = Int(try number("SELECT removed FROM uploads WHERE segment = ?", [segment]))
            return counts
        }

        func expireUploads(before time: Int64) throws -> Int {
            let segments = try texts("SELECT segment FROM uploads WHERE last < ?", [], time)
            for segment in segments { try discardUpload(to: segment) }
            return segments.count
        }
    }
#endif
