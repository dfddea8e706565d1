/// Queries of the system's tables: all rows in one page, selected by equality.
extension ServerState {
    private func systemTables(node: Int) -> SystemTables {
        SystemTables(
            ring: ring, node: node, schemaVersion: database.schemaVersion,
            keyspaces: database.keyspaces.values.sorted { $0.name < $1.name },
            tables: database.tables.compactMap { $0?.table })
    }

    private func systemTable(_ name: TableName, node: Int) throws(CQLError) -> SystemTable {
        guard let keyspace = name.keyspace, SystemTables.keyspaces.contains(keyspace) else {
            throw .invalid("the keyspace \(name.keyspace ?? "") does not exist")
        }
        guard let table = systemTables(node: node).table(name) else {
            throw .invalid("unconfigured table \(name.table)")
        }
        return table
    }

    func systemPlan(
        _ select: Select, _ name: TableName, text: String, names: [String?]
    ) throws(CQLError) -> Plan {
        let table = try systemTable(name, node: 0)
        var select = select
        select.table = name
        var columns: [ColumnSpecification] = []
        for index in try Self.outputs(select, table) {
            columns.append(ColumnSpecification(name: table.columns[index].name, type: table.columns[index].type))
        }
        for (index, selection) in select.selections.enumerated() {
            guard let alias = selection.alias else { continue }
            columns[index] = ColumnSpecification(name: alias, type: columns[index].type)
        }
        var markers: [ColumnSpecification] = []
        for relation in select.relations {
            let column = table.columns[try Self.index(relation.subject, table)]
            for case .marker(let index) in relation.terms {
                let type = relation.comparison == .isInList ? ColumnType.list(column.type) : column.type
                markers.append(ColumnSpecification(name: names[index] ?? column.name, type: type))
            }
        }
        return Plan(text: text, action: .system(select), table: name, markers: markers, columns: columns)
    }

    /// The indices of the columns of the result.
    private static func outputs(_ select: Select, _ table: SystemTable) throws(CQLError) -> [Int] {
        if select.selections.isEmpty { return Array(table.columns.indices) }
        var outputs: [Int] = []
        for selection in select.selections {
            guard case .column(let name) = selection.selector else {
                throw .invalid("the system's tables have no functions")
            }
            outputs.append(try index(.column(name), table))
        }
        return outputs
    }

    private static func index(_ subject: Relation.Subject, _ table: SystemTable) throws(CQLError) -> Int {
        guard case .column(let name) = subject else { throw .invalid("the system's tables have no tokens") }
        guard let index = table.columns.firstIndex(where: { $0.name == name }) else {
            throw .invalid("the table has no column \(name)")
        }
        return index
    }

    func systemPage(_ select: Select, _ values: [BoundValue], node: Int) throws(CQLError) -> ResultPage {
        let table = try systemTable(select.table, node: node)
        let outputs = try Self.outputs(select, table)
        var conditions: [(Int, [[UInt8]])] = []
        for relation in select.relations {
            let index = try Self.index(relation.subject, table)
            guard relation.comparison.isExact else { throw .invalid("the system's tables are queried by equality") }
            var terms: [PlannedTerm] = []
            for term in relation.terms {
                switch term {
                case .marker(let index): terms.append(.marker(index))
                case .literal(let literal):
                    terms.append(.value(try literal.bytes(as: table.columns[index].type).map { .bytes($0) } ?? .null))
                }
            }
            let condition = Condition(
                place: .regular(index), column: table.columns[index], comparison: relation.comparison, terms: terms)
            conditions.append((index, try condition.bound(values)))
        }
        var page = ResultPage()
        for row in table.rows where conditions.allSatisfy({ index, values in row[index].map(values.contains) ?? false })
        {
            page.count += 1
            for index in outputs { page.rows.longBytes(row[index]) }
        }
        return page
    }
}
