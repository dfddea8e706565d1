/// The keyspaces and tables of the ring.
struct Database: Sendable {
    private(set) var keyspaces: [String: Keyspace] = [:]
    /// Dropped tables leave nil, so that an index always means the same table.
    private(set) var tables: [TableRows?] = []
    private var indices: [TableName: Int] = [:]
    /// Counts the changes of the schema.
    private var generation: UInt8 = 1
    private var definedTables: UInt8 = 0

    /// Sixteen bytes.
    var schemaVersion: [UInt8] { Self.uuid(0x53, generation) }

    private static func uuid(_ first: UInt8, _ last: UInt8) -> [UInt8] {
        [first, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, last]
    }

    /// What a change of the schema tells drivers.
    struct Change: Equatable {
        let kind: String
        let keyspace: String
        /// Nil: the keyspace itself.
        var table: String?
    }

    /// The index of a table.
    func index(of name: TableName) throws(CQLError) -> Int {
        guard let keyspace = name.keyspace else {
            throw .invalid("no keyspace is in use: name it before the table \(name.table)")
        }
        guard keyspaces[keyspace] != nil else { throw .invalid("the keyspace \(keyspace) does not exist") }
        guard let index = indices[name] else { throw .invalid("unconfigured table \(name.table)") }
        return index
    }

    /// Writes one change of rows.
    mutating func write(_ write: RowWrite, to table: Int, at second: Int64) {
        tables[table]?.write(write, at: second)
    }

    /// Runs a query; nil if the table is gone.
    mutating func read(_ reading: inout Reading, from table: Int) throws(CQLError) -> ResultPage? {
        try tables[table]?.read(&reading)
    }

    /// Changes the schema. Returns nil if there was nothing to do.
    mutating func define(_ statement: Statement, keyspace: String?) throws(CQLError) -> Change? {
        let change: Change? =
            switch statement {
            case .createKeyspace(let definition): try create(definition)
            case .dropKeyspace(let name, let ifExists): try dropKeyspace(name, ifExists)
            case .createTable(let definition): try create(definition, in: keyspace)
            case .addColumns(let name, let columns): try add(columns, to: name.qualified(keyspace))
            case .dropTable(let name, let ifExists): try drop(name.qualified(keyspace), ifExists)
            case .truncate(let name): try truncate(name.qualified(keyspace))
            default: nil
            }
        if change != nil { generation &+= 1 }
        return change
    }

    private mutating func create(_ definition: CreateKeyspace) throws(CQLError) -> Change? {
        guard keyspaces[definition.name] == nil, !SystemTables.keyspaces.contains(definition.name) else {
            if definition.ifNotExists { return nil }
            throw .alreadyExists(keyspace: definition.name, table: "")
        }
        keyspaces[definition.name] = Keyspace(
            name: definition.name, replication: definition.replication, hasDurableWrites: definition.hasDurableWrites)
        return Change(kind: "CREATED", keyspace: definition.name)
    }

    private mutating func dropKeyspace(_ name: String, _ ifExists: Bool) throws(CQLError) -> Change? {
        guard keyspaces.removeValue(forKey: name) != nil else {
            if ifExists { return nil }
            throw .invalid("the keyspace \(name) does not exist")
        }
        for (table, index) in indices where table.keyspace == name {
            tables[index] = nil
            indices[table] = nil
        }
        return Change(kind: "DROPPED", keyspace: name)
    }

    private mutating func create(_ definition: CreateTable, in keyspace: String?) throws(CQLError) -> Change? {
        let name = definition.name.qualified(keyspace)
        guard let keyspace = name.keyspace, keyspaces[keyspace] != nil else {
            throw .invalid("the keyspace \(name.keyspace ?? "") does not exist")
        }
        guard indices[name] == nil else {
            if definition.ifNotExists { return nil }
            throw .alreadyExists(keyspace: keyspace, table: name.table)
        }
        definedTables &+= 1
        let table = try Table(definition, keyspace: keyspace, id: Self.uuid(0x74, definedTables))
        indices[name] = tables.count
        tables.append(TableRows(table))
        return Change(kind: "CREATED", keyspace: keyspace, table: name.table)
    }

    private mutating func add(_ columns: [ColumnDefinition], to name: TableName) throws(CQLError) -> Change? {
        try tables[try index(of: name)]?.add(columns)
        return Change(kind: "UPDATED", keyspace: name.keyspace ?? "", table: name.table)
    }

    private mutating func drop(_ name: TableName, _ ifExists: Bool) throws(CQLError) -> Change? {
        guard let index = indices.removeValue(forKey: name) else {
            if ifExists { return nil }
            throw .invalid("unconfigured table \(name.table)")
        }
        tables[index] = nil
        return Change(kind: "DROPPED", keyspace: name.keyspace ?? "", table: name.table)
    }

    private mutating func truncate(_ name: TableName) throws(CQLError) -> Change? {
        tables[try index(of: name)]?.removeAll()
        return nil
    }
}

extension TableName {
    /// The name with a keyspace: its own, or else that of the connection.
    func qualified(_ other: String?) -> TableName { TableName(keyspace: keyspace ?? other, table: table) }
}
