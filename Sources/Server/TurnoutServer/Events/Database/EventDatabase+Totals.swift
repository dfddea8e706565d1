#if SQLite
    import TurnoutSQLite

    // The events of a visitor, for the rules of segments.
    //
    // An index of all conversions by visitor would make each of them slower to write. Instead, the events that rules
    // count have an index each, over their conversions alone. Results do not depend on it, only their speed.
    extension EventDatabase {
        package func totals(
            of visitors: [String], in selection: ConversionSelection
        ) throws -> ConversionTotals {
            try reading { connection in
                var totals = ConversionTotals()
                for goal in try Self.goals(of: selection, connection) {
                    // The number is part of the text, because only then the index of this event can be used.
                    let statement = try connection.statement(
                        "SELECT count(*), sum(CAST(revenue AS REAL)) FROM conversions "
                            + "WHERE goal = \(goal) AND visitor = ? AND timestamp >= ?")
                    for visitor in visitors {
                        statement.bind(1, EventHash.visitor(visitor, of: selection.projectID))
                        statement.bind(2, selection.start)
                        defer { statement.reset() }
                        guard try statement.step() else { continue }
                        let sum = statement.double(1).rounded()
                        let revenue = Int64(exactly: sum) ?? (sum < 0 ? .min : .max)
                        totals.add(Int(statement.int(0)), revenue: revenue)
                    }
                }
                return totals
            }
        }

        package func knows(_ visitors: [String], in projects: Set<String>) throws -> Bool {
            try reading { connection in
                let statement = try connection.statement("SELECT 1 FROM visitors WHERE id = ?")
                for project in projects {
                    for visitor in visitors {
                        statement.bind(1, EventHash.visitor(visitor, of: project))
                        defer { statement.reset() }
                        if try statement.step() { return true }
                    }
                }
                return false
            }
        }

        package func prepare(for selections: [ConversionSelection]) throws {
            try connection { connection in
                let goals = try selections.flatMap { try Self.goals(of: $0, connection) }
                let wanted = Set(goals.map { Self.indexPrefix + "\($0)" })
                let statement = try connection.statement(
                    "SELECT name FROM sqlite_master WHERE type = 'index' AND name GLOB '\(Self.indexPrefix)*'")
                var found: Set<String> = []
                while try statement.step() { found.insert(statement.text(0)) }
                statement.reset()
                for name in found.subtracting(wanted) { try connection.run("DROP INDEX \(name)") }
                for name in wanted.subtracting(found) {
                    try connection.run(
                        "CREATE INDEX \(name) ON conversions(visitor, timestamp, revenue) "
                            + "WHERE goal = \(name.dropFirst(Self.indexPrefix.count))")
                }
            }
        }

        private static let indexPrefix = "conversions_of_"

        /// The numbers of the events of a selection. An event has several if clients send different ids for its key.
        private static func goals(
            of selection: ConversionSelection, _ connection: SQLiteConnection
        ) throws -> [Int64] {
            let statement = try connection.statement("SELECT id FROM goals WHERE event_key = ? AND project = ?")
            statement.bind(1, selection.eventKey)
            statement.bind(2, selection.projectID)
            defer { statement.reset() }
            var goals: [Int64] = []
            while try statement.step() { goals.append(statement.int(0)) }
            return goals
        }
    }
#endif
