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
        private let writer = Locked<SegmentTables?>(nil)
        private let reader = Locked<SegmentTables?>(nil)
        private let hasTables = Locked(false)

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
        private func writing<Value: Sendable>(_ body: (SegmentTables) throws -> Value) throws -> Value {
            try use(writer, creates: true, body)
        }

        /// Calls a function that only reads. Does not wait for a change, which takes seconds for a long list.
        private func reading<Value: Sendable>(_ body: (SegmentTables) throws -> Value) throws -> Value {
            if !hasTables.withLock({ $0 }) {
                // The writer creates the file.
                try writing { _ in }
                hasTables.withLock { $0 = true }
            }
            do { return try use(reader, creates: false, body) } catch let error as SQLiteError {
                hasTables.withLock { $0 = false }
                throw error
            }
        }

        private func use<Value: Sendable>(
            _ session: borrowing Locked<SegmentTables?>, creates: Bool, _ body: (SegmentTables) throws -> Value
        ) throws -> Value {
            try session.withLock { session in
                do {
                    if session?.connection.hasMoved == true { session = nil }
                    let tables = try session ?? SegmentTables(directory: directory, limits, creates: creates)
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

        package func ids(of id: String) throws -> [String] { try reading { try $0.ids(of: id) } }

        package func segments(of ids: [String]) throws -> Set<String> { try reading { try $0.segments(of: ids) } }

        package func lists() throws -> [SegmentList] { try reading { try $0.lists() } }

        package func users(of segment: String, after last: String, limit: Int) throws -> [String]? {
            try reading { try $0.users(of: segment, after: last, limit: limit) }
        }

        package func change(_ segment: String, _ change: SegmentChange) throws -> SegmentChange.Counts {
            try writing { try $0.change(segment, change) }
        }

        package func removeList(_ segment: String) throws -> Bool { try writing { try $0.removeList(segment) } }

        package func link(_ links: [DeviceLink], at time: Int64) throws -> Int {
            try writing { try $0.link(links, at: time) }
        }

        package func forget(_ ids: [String]) throws -> Bool { try writing { try $0.forget(ids) } }

        package func expireDevices(before time: Int64) throws -> Int {
            try writing { try $0.expireDevices(before: time) }
        }

        package func counts() throws -> SegmentCounts { try reading { try $0.counts() } }
    }
#endif
