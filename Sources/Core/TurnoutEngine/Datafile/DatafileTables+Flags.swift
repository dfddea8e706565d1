extension DatafileTables {
    mutating func readGroup(_ reader: inout JSONReader) throws(JSONError) {
        var row = GroupRow()
        try readObject(&reader, .group) {
            (tables, reader, field) throws(JSONError) in
            switch field {
            case .id: row.id = try tables.readSymbol(&reader)
            case .policy: row.policy = try tables.readWord(&reader, of: [.random, .overlapping])
            case .trafficAllocation: row.traffic = try tables.readTraffic(&reader)
            default: row.experiments = try tables.readRules(&reader, .experiment)
            }
        }
        groups.append(row)
    }

    mutating func readRollout(_ reader: inout JSONReader) throws(JSONError) {
        var row = RolloutRow()
        try readObject(&reader, .rollout) { (tables, reader, field) throws(JSONError) in
            if field == .id {
                row.id = try tables.readSymbol(&reader)
            } else {
                row.rules = try tables.readRules(&reader, .rollout)
            }
        }
        rollouts.append(row)
    }

    mutating func readFlag(_ reader: inout JSONReader) throws(JSONError) {
        var row = FlagRow()
        try readObject(&reader, .flag) {
            (tables, reader, field) throws(JSONError) in
            switch field {
            case .id: row.id = try tables.readSymbol(&reader)
            case .key: row.key = try tables.readSymbol(&reader)
            case .experimentIds: row.experimentIDs = try tables.readSymbols(&reader)
            case .rolloutId: row.rolloutID = try tables.readSymbol(&reader)
            default: row.variables = try tables.readVariables(&reader)
            }
        }
        flags.append(row)
    }

    private mutating func readVariables(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = variables.count
        try readArray(&reader) { (tables, reader) throws(JSONError) in
            var row = VariableRow()
            var subType = Symbol.none
            try tables.readObject(&reader, .variable) {
                (tables, reader, field) throws(JSONError) in
                let symbol = try tables.readSymbol(&reader)
                switch field {
                case .id: row.id = symbol
                case .key: row.key = symbol
                case .type: row.typeName = symbol
                case .subType: subType = symbol
                default: row.defaultValue = symbol
                }
            }
            tables.setType(of: &row, subType: subType)
            tables.variables.append(row)
        }
        return Rows(from: start, to: variables.count)
    }

    /// Only `string` with subtype `json` becomes `json`; every other combination keeps its type.
    private mutating func setType(of row: inout VariableRow, subType: Symbol) {
        let isJSON = symbols.text(row.typeName) == "string" && symbols.optionalText(subType) == "json"
        if isJSON { row.typeName = symbols.intern("json") }
        row.type = Variable.ValueType(name: symbols.text(row.typeName))
    }
}
