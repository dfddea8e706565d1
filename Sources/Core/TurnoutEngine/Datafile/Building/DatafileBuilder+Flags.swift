extension DatafileBuilder {
    mutating func readGroup(_ reader: inout JSONReader) throws(JSONError) {
        var row = GroupRow()
        try readObject(&reader, .group) {
            (builder, reader, field) throws(JSONError) in
            switch field {
            case .id: row.id = try builder.readSymbol(&reader)
            case .policy: row.policy = try reader.readWord(of: [.random, .overlapping])
            case .trafficAllocation: row.traffic = try builder.readTraffic(&reader)
            default: row.experiments = try builder.readRules(&reader, .experiment)
            }
        }
        tables.groups.append(row)
    }

    mutating func readRollout(_ reader: inout JSONReader) throws(JSONError) {
        var row = RolloutRow()
        try readObject(&reader, .rollout) { (builder, reader, field) throws(JSONError) in
            if field == .id {
                row.id = try builder.readSymbol(&reader)
            } else {
                row.rules = try builder.readRules(&reader, .rollout)
            }
        }
        tables.rollouts.append(row)
    }

    mutating func readFlag(_ reader: inout JSONReader) throws(JSONError) {
        var row = FlagRow()
        try readObject(&reader, .flag) {
            (builder, reader, field) throws(JSONError) in
            switch field {
            case .id: row.id = try builder.readSymbol(&reader)
            case .key: row.key = try builder.readSymbol(&reader)
            case .experimentIds: row.experimentIDs = try builder.readSymbols(&reader)
            case .rolloutId: row.rolloutID = try builder.readSymbol(&reader)
            default: row.variables = try builder.readVariables(&reader)
            }
        }
        tables.flags.append(row)
    }

    private mutating func readVariables(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = tables.variables.count
        try readArray(&reader) { (builder, reader) throws(JSONError) in
            var row = VariableRow()
            var subType = Symbol.none
            try builder.readObject(&reader, .variable) {
                (builder, reader, field) throws(JSONError) in
                let symbol = try builder.readSymbol(&reader)
                switch field {
                case .id: row.id = symbol
                case .key: row.key = symbol
                case .type: row.typeName = symbol
                case .subType: subType = symbol
                default: row.defaultValue = symbol
                }
            }
            builder.setType(of: &row, subType: subType)
            builder.tables.variables.append(row)
        }
        return Rows(from: start, to: tables.variables.count)
    }

    /// Only `string` with subtype `json` becomes `json`; every other combination keeps its type.
    private mutating func setType(of row: inout VariableRow, subType: Symbol) {
        let isJSON = tables.symbols.text(row.typeName) == "string" && tables.symbols.optionalText(subType) == "json"
        if isJSON { row.typeName = tables.symbols.intern("json") }
        row.type = Variable.ValueType(name: tables.symbols.text(row.typeName))
    }
}
