extension Planner {
    mutating func plan(_ select: Select) throws(CQLError) -> Plan {
        var conditions: [Condition] = []
        var bounds: [(Relation.Comparison, PlannedTerm)] = []
        for relation in select.relations {
            switch relation.subject {
            case .column(let name):
                conditions.append(try condition(try place(of: name), relation.comparison, relation.terms))
            case .token(let names):
                try check(tokenOf: names)
                guard !relation.comparison.isExact || relation.comparison == .equal else {
                    throw .invalid("a token cannot be compared with a list")
                }
                bounds.append(
                    (relation.comparison, try planned(relation.terms[0], "partition key token", .bigint)))
            }
        }
        let keys = partitionKey(conditions)
        let filters = conditions.filter { if case .partition = $0.place { false } else { true } }
        try checkFiltering(select, keys: keys, conditions: conditions, filters: filters)
        let outputs = try outputs(select)
        let plan = ReadPlan(
            tableIndex: tableIndex, table: table, outputs: outputs.map(\.output), keys: keys ?? [],
            tokenBounds: bounds, filters: filters,
            limit: try select.limit.map { term throws(CQLError) in try planned(term, "[limit]", .int) },
            isReversed: try isReversed(select), isDistinct: select.isDistinct)
        return finished(.read(plan), keys: keys ?? [], columns: outputs.map(\.specification))
    }

    private func checkFiltering(
        _ select: Select, keys: [Condition]?, conditions: [Condition], filters: [Condition]
    ) throws(CQLError) {
        guard keys != nil || conditions.count == filters.count else {
            throw .invalid("the partition key must be complete, or be compared as a token")
        }
        let isFiltering =
            filters.contains { if case .regular = $0.place { true } else { false } }
            || (keys == nil && !filters.isEmpty)
        guard !isFiltering || select.allowsFiltering else {
            throw .invalid("the query would filter rows, and does not allow it: use ALLOW FILTERING")
        }
    }

    private func check(tokenOf names: [String]) throws(CQLError) {
        guard names == table.partitionKey.map(\.name) else {
            throw .invalid("token() needs the columns of the partition key in their order")
        }
    }

    private func isReversed(_ select: Select) throws(CQLError) -> Bool {
        guard let order = select.order else { return false }
        guard table.clusteringKey.first?.name == order.column else {
            throw .invalid("rows are ordered by the first clustering column only")
        }
        return order.isDescending != table.descending[0]
    }

    private func outputs(
        _ select: Select
    ) throws(CQLError) -> [(output: ReadPlan.Output, specification: ColumnSpecification)] {
        if select.selections.isEmpty {
            return table.allPlaces.map { place in
                let column = table.column(at: place)
                return (.column(place), ColumnSpecification(name: column.name, type: column.type))
            }
        }
        var outputs: [(ReadPlan.Output, ColumnSpecification)] = []
        for selection in select.selections {
            let (output, name, type) = try output(selection.selector)
            outputs.append((output, ColumnSpecification(name: selection.alias ?? name, type: type)))
        }
        if outputs.contains(where: { $0.0 == .count }), outputs.count > 1 {
            throw .invalid("count(*) stands alone")
        }
        return outputs
    }

    private func output(
        _ selector: Select.Selector
    ) throws(CQLError) -> (ReadPlan.Output, String, ColumnType) {
        switch selector {
        case .column(let name):
            let place = try place(of: name)
            return (.column(place), name, table.column(at: place).type)
        case .writeTime(let name): return (.writeTime(try regularIndex(name)), "writetime(\(name))", .bigint)
        case .timeToLive(let name): return (.timeToLive(try regularIndex(name)), "ttl(\(name))", .int)
        case .token(let names):
            try check(tokenOf: names)
            return (.token, "system.token(\(names.joined(separator: ", ")))", .bigint)
        case .count: return (.count, "count", .bigint)
        }
    }
}
