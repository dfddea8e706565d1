/// A value for a parameter of a statement.
package protocol SQLiteValue {
    func bind(_ parameter: Int32, of statement: Statement)
}

extension Int64: SQLiteValue {
    package func bind(_ parameter: Int32, of statement: Statement) { statement.bind(parameter, self) }
}

extension String: SQLiteValue {
    package func bind(_ parameter: Int32, of statement: Statement) { statement.bind(parameter, self) }
}

extension [UInt8]: SQLiteValue {
    package func bind(_ parameter: Int32, of statement: Statement) { statement.bind(parameter, self) }
}

// Statements with their values, where it does not matter that these are boxed; nil is NULL.
extension SQLiteConnection {
    private func statement(_ sql: String, _ values: [(any SQLiteValue)?]) throws(SQLiteError) -> Statement {
        let statement = try statement(sql)
        for (parameter, value) in zip(Int32(1)..., values) {
            if let value { value.bind(parameter, of: statement) } else { statement.bind(parameter, Int64?.none) }
        }
        return statement
    }

    /// Runs a statement whose rows, if any, do not matter, and returns how many rows it changed.
    @discardableResult
    package func run(_ sql: String, _ values: (any SQLiteValue)?...) throws(SQLiteError) -> Int {
        try statement(sql, values).run()
        return changes
    }

    /// What a function reads from the first row; nil without one.
    package func first<Value>(
        _ sql: String, _ values: (any SQLiteValue)?..., read: (Statement) -> Value
    ) throws(SQLiteError) -> Value? {
        let row = try statement(sql, values)
        defer { row.reset() }
        return try row.step() ? read(row) : nil
    }

    /// What a function reads from each row.
    package func rows<Value>(
        _ sql: String, _ values: (any SQLiteValue)?..., read: (Statement) -> Value
    ) throws(SQLiteError) -> [Value] {
        let row = try statement(sql, values)
        var found: [Value] = []
        while try row.step() { found.append(read(row)) }
        return found
    }

    /// The number in the first row; 0 without one.
    package func number(_ sql: String, _ values: (any SQLiteValue)?...) throws(SQLiteError) -> Int64 {
        let row = try statement(sql, values)
        defer { row.reset() }
        return try row.step() ? row.int(0) : 0
    }

    /// The text in the first row; empty without one.
    func text(_ sql: String) throws(SQLiteError) -> String { try first(sql) { $0.text(0) } ?? "" }
}
