#if SQLite
    import LibC
    import TurnoutClient
    package import TurnoutEngine

    /// Reads the assignments in the file of a ``SQLiteStorage`` without changing the directory: no file is created,
    /// locked or repaired. So another user of the system may inspect the file of a service.
    package final class SQLiteProfileReader: ProfileStore {
        private enum Source: Sendable {
            case pages(names: [String: Int64], assignments: [Int64: [String: String]])
            case tables
        }

        private let path: String
        private let session = Locked<SQLiteSession?>(nil)
        private let source: Source
        private let isImmutable: Bool

        /// Opens the file in a directory.
        ///
        /// - Throws: ``SQLiteError`` if it cannot be read, is damaged, or was not written by this version.
        package init(directory: String) throws {
            let path = directory + "/turnout.sqlite"
            self.path = path
            let (hasLog, hasIndex) = (Self.exists(path + "-wal"), Self.exists(path + "-shm"))
            isImmutable = !hasLog || !hasIndex
            if hasLog, !hasIndex {
                // SQLite would have to create the index. No process has the file open, so its pages can be read one by
                // one.
                source = try Self.explaining { try Self.pages(of: path) }
            } else {
                source = .tables
                _ = try read { _ in true }
            }
        }

        private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

        private static func pages(of path: String) throws(SQLiteError) -> Source {
            let connection = try SQLiteConnection(reading: path, isImmutable: true)
            guard let image = PageImage(file: connection, path: path) else { throw foreign(path) }
            var header = [UInt8](repeating: 0, count: image.pageSize)
            guard image.read(1, into: &header), header.starts(with: Array("SQLite format 3\0".utf8)) else {
                throw .damage("the header cannot be read", file: path)
            }
            try check(owner: Int64(header.bigEndian32(at: 68)), version: Int64(header.bigEndian32(at: 60)), path)
            let scan = PageScan(image)
            let rows = SalvagedRows(scan)
            // Only now it is known which of the unreadable pages are damaged.
            scan.scanEvents { _ in }
            let tables: [PageScan.Table] = [.users, .assignments]
            let isDamaged = tables.contains { table in
                scan.damaged.contains(table) || scan.badCells[table] != nil || rows.badRows[table] != nil
            }
            guard !isDamaged, !scan.damaged.contains(nil) else {
                throw .damage("pages with assignments cannot be read", file: path)
            }
            let names = rows.users.map { ($0.value.name, $0.key) }
            return .pages(names: Dictionary(names) { first, _ in first }, assignments: rows.assignments)
        }

        private static func check(owner: Int64, version: Int64, _ path: String) throws(SQLiteError) {
            if owner == Schema.application, version > Schema.version {
                throw .newer(version, than: Schema.version, file: path)
            }
            guard owner == Schema.application, version >= 2 else { throw foreign(path) }
        }

        private static func foreign(_ path: String) -> SQLiteError {
            SQLiteError(code: SQLiteError.foreign, message: "not a file of this version of Turnout", file: path)
        }

        private static func open(_ path: String, isImmutable: Bool) throws(SQLiteError) -> SQLiteSession {
            let connection = try SQLiteConnection(reading: path, isImmutable: isImmutable)
            connection.wait(milliseconds: 5_000)
            try check(
                owner: try connection.number("PRAGMA application_id"),
                version: try connection.number("PRAGMA user_version"), path)
            return SQLiteSession(reading: connection)
        }

        private static func explaining<Result>(_ body: () throws -> Result) throws -> Result {
            do { return try body() } catch let error as SQLiteError where error.isDamage {
                throw SQLiteError(
                    code: error.code,
                    message: error.message + "; nothing was changed: the program that owns the file saves what can be "
                        + "read when it opens it",
                    file: error.file)
            }
        }

        /// The stored assignments of a user.
        package func profile(of userID: String) throws -> UserProfile {
            switch source {
            case .pages(let names, let assignments): UserProfile(names[userID].flatMap { assignments[$0] } ?? [:])
            case .tables: UserProfile(try read { try $0.profile(of: userID)?.assignments } ?? [:])
            }
        }

        /// Not supported.
        ///
        /// - Throws: ``SQLiteError``, always.
        package func save(_ assignments: [String: String], for userID: String) throws {
            throw SQLiteError(code: 8, message: "opened read-only", file: path)
        }

        /// The number of users with stored assignments.
        package var count: Int {
            get throws {
                switch source {
                case .pages(let names, _): names.count
                case .tables: Int(try read { try $0.existingTotals(Totals.users)?.count } ?? 0)
                }
            }
        }

        private func read<Result: Sendable>(_ body: (SQLiteSession) throws -> Result?) throws -> Result? {
            try Self.explaining {
                try session.withLock { session in
                    let opened = try session ?? Self.open(path, isImmutable: isImmutable)
                    session = opened
                    return try body(opened)
                }
            }
        }
    }
#endif
