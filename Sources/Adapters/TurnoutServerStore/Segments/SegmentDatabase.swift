#if SQLite
    import TurnoutClient
    package import TurnoutServer
    import TurnoutSQLite

    /// Lists of users and devices in `segments.sqlite` in a folder.
    ///
    /// Not in the file of the events: that one can be built again from the log, and these lists cannot. If the file is
    /// damaged, all calls throw until an operator restores a copy of it.
    package final class SegmentDatabase: SegmentStore {
        private let directory: String
        private let limits: SegmentLimits
        private let session = Locked<SegmentTables?>(nil)

        /// Creates the database; the file is opened when it is first used.
        ///
        /// - Parameters:
        ///   - directory: The folder, created if necessary.
        ///   - limits: What it may hold. Default: the standard limits.
        package init(directory: String, _ limits: SegmentLimits = SegmentLimits()) {
            self.directory = directory
            self.limits = limits
        }

        /// Calls a function with the tables, in a transaction. One at a time.
        private func use<Value: Sendable>(_ body: (SegmentTables) throws -> Value) throws -> Value {
            try session.withLock { session in
                do {
                    if session?.connection.hasMoved == true { session = nil }
                    let tables = try session ?? SegmentTables(directory: directory, limits)
                    session = tables
                    try tables.run("BEGIN")
                    let value = try body(tables)
                    try tables.run("COMMIT")
                    return value
                } catch {
                    session?.rollBack()
                    if error is SQLiteError { session = nil }
                    throw error
                }
            }
        }

        package func ids(of id: String) throws -> [String] { try use { try $0.ids(of: id) } }

        package func segments(of ids: [String]) throws -> Set<String> { try use { try $0.segments(of: ids) } }

        package func lists() throws -> [SegmentList] { try use { try $0.lists() } }

        package func users(of segment: String, after last: String, limit: Int) throws -> [String]? {
            try use { try $0.users(of: segment, after: last, limit: limit) }
        }

        package func change(_ segment: String, _ change: SegmentChange) throws -> SegmentChange.Counts {
            try use { try $0.change(segment, change) }
        }

        package func removeList(_ segment: String) throws -> Bool { try use { try $0.removeList(segment) } }

        package func link(_ links: [DeviceLink], at time: Int64) throws -> Int {
            try use { try $0.link(links, at: time) }
        }

        package func forget(_ ids: [String]) throws -> Bool { try use { try $0.forget(ids) } }

        package func expireDevices(before time: Int64) throws -> Int { try use { try $0.expireDevices(before: time) } }

        package func counts() throws -> SegmentCounts { try use { try $0.counts() } }
    }
#endif
