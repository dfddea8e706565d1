/// `CREATE`, `ALTER` and `DROP`.
extension Parser {
    mutating func creation() throws(CQLError) -> Statement {
        if try accept("keyspace") { return .createKeyspace(try keyspace()) }
        guard try accept("table") else { throw unexpected("keyspace or table") }
        return .createTable(try table())
    }

    mutating func alteration() throws(CQLError) -> Statement {
        try expect("table")
        let table = try tableName()
        try expect("add")
        var columns: [ColumnDefinition] = []
        let isList = try accept(symbol: "(")
        repeat { columns.append(ColumnDefinition(name: try name(), type: try type())) } while try accept(symbol: ",")
        if isList { try expect(symbol: ")") }
        return .addColumns(table, columns)
    }

    mutating func removal() throws(CQLError) -> Statement {
        if try accept("keyspace") {
            let ifExists = try ifExists()
            return .dropKeyspace(try name(), ifExists: ifExists)
        }
        try expect("table")
        let ifExists = try ifExists()
        return .dropTable(try tableName(), ifExists: ifExists)
    }

    private mutating func keyspace() throws(CQLError) -> CreateKeyspace {
        let ifNotExists = try ifNotExists()
        var keyspace = CreateKeyspace(name: try name(), ifNotExists: ifNotExists, replication: [:])
        try expect("with")
        repeat {
            if try accept("replication") {
                try expect(symbol: "=")
                keyspace.replication = try map()
            } else {
                try expect("durable_writes")
                try expect(symbol: "=")
                keyspace.hasDurableWrites = try literal() == .boolean(true)
            }
        } while try accept("and")
        guard keyspace.replication["class"] != nil else { throw .invalid("the keyspace has no replication class") }
        return keyspace
    }

    private mutating func map() throws(CQLError) -> [String: String] {
        try expect(symbol: "{")
        var map: [String: String] = [:]
        if try accept(symbol: "}") { return map }
        repeat {
            let key = try text()
            try expect(symbol: ":")
            map[key] = try text()
        } while try accept(symbol: ",")
        try expect(symbol: "}")
        return map
    }

    /// A constant as text.
    private mutating func text() throws(CQLError) -> String {
        switch try literal() {
        case .string(let text), .number(let text): return text
        case .boolean(let isTrue): return isTrue ? "true" : "false"
        default: throw unexpected("text")
        }
    }

    private mutating func type() throws(CQLError) -> ColumnType {
        let name = try name()
        guard let type = ColumnType(named: name) else {
            throw .invalid("this server has no columns of the type \(name)")
        }
        return type
    }

    private mutating func table() throws(CQLError) -> CreateTable {
        let ifNotExists = try ifNotExists()
        var table = CreateTable(name: try tableName(), ifNotExists: ifNotExists)
        try expect(symbol: "(")
        repeat {
            if try accept("primary") {
                try primaryKey(of: &table)
            } else {
                let column = ColumnDefinition(name: try name(), type: try type())
                table.columns.append(column)
                if try accept("primary") {
                    try expect("key")
                    table.partitionKey = [column.name]
                }
            }
        } while try accept(symbol: ",")
        try expect(symbol: ")")
        if try accept("with") { try options(of: &table) }
        return table
    }

    private mutating func primaryKey(of table: inout CreateTable) throws(CQLError) {
        try expect("key")
        try expect(symbol: "(")
        table.partitionKey = token == .symbol("(") ? try nameList() : [try name()]
        while try accept(symbol: ",") { table.clusteringKey.append(try name()) }
        try expect(symbol: ")")
    }

    private mutating func options(of table: inout CreateTable) throws(CQLError) {
        repeat {
            if try accept("clustering") {
                try expect("order")
                try expect("by")
                try expect(symbol: "(")
                repeat {
                    let column = try name()
                    if try accept("desc") { table.descending.insert(column) } else { _ = try accept("asc") }
                } while try accept(symbol: ",")
                try expect(symbol: ")")
                continue
            }
            let option = try name()
            try expect(symbol: "=")
            if token == .symbol("{") {
                // How a server stores files and caches rows.
                _ = try map()
            } else {
                let value = try text()
                if option == "default_time_to_live" { table.timeToLive = Int(value) ?? 0 }
                if option == "comment" { table.comment = value }
            }
        } while try accept("and")
    }
}
