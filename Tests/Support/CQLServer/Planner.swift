/// Looks up the names of a statement.
struct Planner {
    let table: Table
    let tableIndex: Int
    let text: String
    /// The names of the markers.
    let names: [String?]
    private var markers: [ColumnSpecification?]

    init(_ table: Table, _ tableIndex: Int, text: String, names: [String?]) {
        self.table = table
        self.tableIndex = tableIndex
        self.text = text
        self.names = names
        markers = Array(repeating: nil, count: names.count)
    }

    /// The plan of a statement on the table.
    mutating func plan(_ statement: Statement) throws(CQLError) -> Plan {
        switch statement {
        case .select(let select): return try plan(select)
        case .insert(let insert):
            var conditions: [Condition] = []
            var values: [(Int, PlannedTerm)] = []
            for (name, term) in zip(insert.columns, insert.values) {
                let place = try place(of: name)
                guard case .regular(let index) = place else {
                    conditions.append(try condition(place, .equal, [term]))
                    continue
                }
                values.append((index, try planned(term, name, table.regular[index].type)))
            }
            return try write(.insert, conditions, values, insert.using)
        case .update(let update):
            var values: [(Int, PlannedTerm)] = []
            for assignment in update.assignments {
                let index = try regularIndex(assignment.column)
                values.append((index, try planned(assignment.value, assignment.column, table.regular[index].type)))
            }
            return try write(.update, try conditions(update.relations), values, update.using)
        case .delete(let delete):
            var values: [(Int, PlannedTerm)] = []
            for column in delete.columns { values.append((try regularIndex(column), .value(.null))) }
            let conditions = try conditions(delete.relations)
            let hasRow = conditions.contains { if case .clustering = $0.place { true } else { false } }
            let kind: RowWrite.Kind =
                !values.isEmpty ? .update : hasRow || table.clusteringKey.isEmpty ? .deleteRow : .deletePartition
            return try write(kind, conditions, values, delete.using)
        default: throw .invalid("this statement is not one on rows")
        }
    }

    // MARK: - Names and terms

    func place(of column: String) throws(CQLError) -> Table.Place {
        guard let place = table.place(of: column) else {
            throw .invalid("the table \(table.keyspace).\(table.name) has no column \(column)")
        }
        return place
    }

    func regularIndex(_ column: String) throws(CQLError) -> Int {
        guard case .regular(let index) = try place(of: column) else {
            throw .invalid("the column \(column) is part of the primary key")
        }
        return index
    }

    /// A term as a value of a type; a marker gets the name and the type.
    mutating func planned(_ term: Term, _ name: String, _ type: ColumnType) throws(CQLError) -> PlannedTerm {
        switch term {
        case .literal(let literal): return .value(try literal.bytes(as: type).map { .bytes($0) } ?? .null)
        case .marker(let index):
            markers[index] = ColumnSpecification(name: names[index] ?? name, type: type)
            return .marker(index)
        }
    }

    mutating func condition(
        _ place: Table.Place, _ comparison: Relation.Comparison, _ terms: [Term]
    ) throws(CQLError) -> Condition {
        let column = table.column(at: place)
        let isList = comparison == .isInList
        var planned: [PlannedTerm] = []
        for term in terms {
            let name = isList ? "in(\(column.name))" : column.name
            planned.append(try self.planned(term, name, isList ? .list(column.type) : column.type))
        }
        return Condition(place: place, column: column, comparison: comparison, terms: planned)
    }

    mutating func conditions(_ relations: [Relation]) throws(CQLError) -> [Condition] {
        var conditions: [Condition] = []
        for relation in relations {
            guard case .column(let name) = relation.subject else { throw .invalid("token() is for SELECT") }
            conditions.append(try condition(try place(of: name), relation.comparison, relation.terms))
        }
        return conditions
    }

    /// The conditions of the columns of the partition key, in order; nil if one is missing.
    func partitionKey(_ conditions: [Condition]) -> [Condition]? {
        let keys = table.partitionKey.indices.compactMap { index in
            conditions.first { $0.place == .partition(index) && $0.comparison.isExact }
        }
        return keys.count == table.partitionKey.count ? keys : nil
    }

    private mutating func write(
        _ kind: RowWrite.Kind, _ conditions: [Condition], _ values: [(Int, PlannedTerm)], _ using: Using
    ) throws(CQLError) -> Plan {
        guard let keys = partitionKey(conditions) else { throw .invalid("the partition key is not complete") }
        let clustering = table.clusteringKey.indices.compactMap { index in
            conditions.first { $0.place == .clustering(index) && $0.comparison.isExact }
        }
        let isWhole = if case .deletePartition = kind { true } else { false }
        guard isWhole || clustering.count == table.clusteringKey.count else {
            throw .invalid("this server writes and deletes single rows or whole partitions")
        }
        guard conditions.count == keys.count + clustering.count else {
            throw .invalid("a change has no conditions but those of the primary key")
        }
        let plan = WritePlan(
            tableIndex: tableIndex, table: table, kind: kind, keys: keys, clustering: clustering, values: values,
            timestamp: try using.timestamp.map { term throws(CQLError) in try planned(term, "[timestamp]", .bigint) },
            timeToLive: try using.timeToLive.map { term throws(CQLError) in try planned(term, "[ttl]", .int) })
        return finished(.write(plan), keys: keys, columns: [])
    }

    func finished(_ action: Plan.Action, keys: [Condition], columns: [ColumnSpecification]) -> Plan {
        let keyMarkers = keys.compactMap { key -> Int? in
            guard key.comparison == .equal, case .marker(let index) = key.terms[0] else { return nil }
            return index
        }
        return Plan(
            text: text, action: action, table: TableName(keyspace: table.keyspace, table: table.name),
            markers: markers.compactMap(\.self),
            keyMarkers: keyMarkers.count == table.partitionKey.count ? keyMarkers : [], columns: columns)
    }
}

extension Relation.Comparison {
    /// Whether the comparison names the values.
    var isExact: Bool { self == .equal || self == .isIn || self == .isInList }
}
