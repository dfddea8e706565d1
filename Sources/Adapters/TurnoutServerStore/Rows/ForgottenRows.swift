#if SQLite
    import TurnoutServer
    import TurnoutSQLite

    /// The rows of some visitors, found while others write: there is no index by visitor, because it would make each
    /// event slower to write.
    struct ForgottenRows {
        /// The tables with events.
        static let tables = ["exposures", "conversions"]

        /// The rows of a table.
        struct Found {
            /// The visitors' rows. With its visitor, a row is not taken for another one that has got its number.
            var rows: [(id: Int64, visitor: Int64)] = []
            /// The last row that was looked at.
            var last: Int64 = 0
        }

        /// The numbers of the visitors.
        let visitors: Set<Int64>
        /// Their rows by table.
        private(set) var found: [String: Found] = [:]
        /// The lists of attributes that only they have.
        private(set) var attributes: Set<Int64> = []

        /// Finds the rows. Reads all events, those of some users twice.
        ///
        /// - Parameters:
        ///   - users: The ids of the visitors.
        ///   - connection: A connection to the file.
        /// - Throws: `SQLiteError` if it cannot be read.
        init(_ users: [String], _ connection: SQLiteConnection) throws {
            visitors = try Self.visitors(users, connection)
            for table in Self.tables { try find(in: table, connection) }
            guard !attributes.isEmpty else { return }
            for table in Self.tables { try keepAttributesOfOthers(in: table, connection, after: 0) }
        }

        /// The numbers of users in all projects that sent events.
        private static func visitors(_ users: [String], _ connection: SQLiteConnection) throws -> Set<Int64> {
            let statement = try connection.statement("SELECT DISTINCT project FROM sources")
            defer { statement.reset() }
            var numbers: Set<Int64> = []
            while try statement.step() {
                let project = statement.optionalText(0)
                for user in users { numbers.insert(EventHash.visitor(user, of: project)) }
            }
            return numbers
        }

        private mutating func find(in table: String, _ connection: SQLiteConnection) throws {
            var found = Found()
            let statement = try connection.statement("SELECT id, visitor, attributes FROM \(table) ORDER BY id")
            defer { statement.reset() }
            while try statement.step() {
                found.last = statement.int(0)
                guard visitors.contains(statement.int(1)) else { continue }
                found.rows.append((found.last, statement.int(1)))
                if !statement.isNull(2) { attributes.insert(statement.int(2)) }
            }
            self.found[table] = found
        }

        private mutating func keepAttributesOfOthers(
            in table: String, _ connection: SQLiteConnection, after last: Int64
        ) throws {
            let statement = try connection.statement("SELECT visitor, attributes FROM \(table) WHERE id > ?")
            statement.bind(1, last)
            defer { statement.reset() }
            while try statement.step() {
                if !visitors.contains(statement.int(0)), !statement.isNull(1) { attributes.remove(statement.int(1)) }
            }
        }

        /// Adds what was written since. For the connection that writes, in its transaction.
        mutating func update(_ connection: SQLiteConnection) throws {
            for table in Self.tables {
                guard var found = found[table] else { continue }
                try keepAttributesOfOthers(in: table, connection, after: found.last)
                let statement = try connection.statement("SELECT id, visitor FROM \(table) WHERE id > ?")
                statement.bind(1, found.last)
                defer { statement.reset() }
                while try statement.step() {
                    let (id, visitor) = (statement.int(0), statement.int(1))
                    if visitors.contains(visitor) { found.rows.append((id, visitor)) }
                }
                self.found[table] = found
            }
        }
    }
#endif
