extension DatafileTables {
    /// Reads a list of experiments, rollout rules or holdouts.
    mutating func readRules(_ reader: inout JSONReader, _ kind: Rule.Kind) throws(JSONError) -> Rows {
        let start = rules.count
        try readArray(&reader) { (tables, reader) throws(JSONError) in
            tables.rules.append(try tables.readRule(&reader, kind))
        }
        return Rows(from: start, to: rules.count)
    }

    private mutating func readRule(_ reader: inout JSONReader, _ kind: Rule.Kind) throws(JSONError) -> RuleRow {
        var row = RuleRow()
        row.kind = kind
        try readObject(&reader, kind == .holdout ? .holdout : .experiment) {
            (tables, reader, field) throws(JSONError) in
            try tables.readMember(field, of: &row, &reader)
        }
        if !row.hasAudienceConditions { row.condition = appendCondition(anyOf: row.audienceIDs) }
        return row
    }

    private mutating func readMember(
        _ field: DatafileField, of row: inout RuleRow, _ reader: inout JSONReader
    ) throws(JSONError) {
        switch field {
        case .id: row.id = try readSymbol(&reader)
        case .key: row.key = try readSymbol(&reader)
        case .layerId: row.layerID = try readSymbol(&reader)
        case .status: row.status = try readStatus(&reader, row.kind)
        case .variations: row.variations = try readVariations(&reader)
        case .trafficAllocation: row.traffic = try readTraffic(&reader)
        case .audienceIds: row.audienceIDs = try readSymbols(&reader)
        case .audienceConditions:
            row.condition = try readAudienceConditions(&reader)
            row.hasAudienceConditions = true
        case .forcedVariations: row.whitelist = try readWhitelist(&reader)
        case .cmab: try readCMAB(of: &row, &reader)
        case .type: row.type = try readExperimentType(&reader)
        default: row.includedRules = try readSymbols(&reader)
        }
    }

    private mutating func readStatus(
        _ reader: inout JSONReader, _ kind: Rule.Kind
    ) throws(JSONError) -> Rule.Status {
        try readWord(&reader, of: kind == .holdout ? Rule.Status.ofHoldouts : Rule.Status.ofExperiments)
    }

    /// The only member that may have any value: an unknown one means "unspecified".
    private mutating func readExperimentType(_ reader: inout JSONReader) throws(JSONError) -> Rule.ExperimentType {
        guard reader.peek() == UInt8(ascii: "\"") else {
            try reader.skipValue()
            return .unspecified
        }
        let text = try reader.readString()
        return Rule.ExperimentType(rawValue: text.string) ?? .unspecified
    }

    private mutating func readVariations(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = variations.count
        try readArray(&reader) { (tables, reader) throws(JSONError) in
            var row = VariationRow()
            try tables.readObject(&reader, .variation) {
                (tables, reader, field) throws(JSONError) in
                switch field {
                case .id: row.id = try tables.readSymbol(&reader)
                case .key: row.key = try tables.readSymbol(&reader)
                case .featureEnabled: row.featureEnabled = try reader.readBool()
                default: row.overrides = try tables.readOverrides(&reader)
                }
            }
            tables.variations.append(row)
        }
        return Rows(from: start, to: variations.count)
    }

    private mutating func readOverrides(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = overrides.count
        try readArray(&reader) { (tables, reader) throws(JSONError) in
            var row = OverrideRow()
            try tables.readObject(&reader, .override) { (tables, reader, field) throws(JSONError) in
                let symbol = try tables.readSymbol(&reader)
                if field == .id { row.variableID = symbol } else { row.value = symbol }
            }
            tables.overrides.append(row)
        }
        return Rows(from: start, to: overrides.count)
    }

    mutating func readTraffic(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = traffic.count
        try readArray(&reader) { (tables, reader) throws(JSONError) in
            var row = TrafficRow()
            try tables.readObject(&reader, .traffic) {
                (tables, reader, field) throws(JSONError) in
                if field == .entityId {
                    row.entityID = try tables.readSymbol(&reader)
                } else {
                    // Buckets end at 9,999, so clamping does not change the result.
                    row.endOfRange = Int32(clamping: try reader.readInteger())
                }
            }
            tables.traffic.append(row)
        }
        return Rows(from: start, to: traffic.count)
    }

    private mutating func readWhitelist(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = whitelist.count
        var isFirst = true
        try reader.enterObject()
        while let key = try reader.nextKey(isFirst: &isFirst) {
            let userID = symbols.intern(key)
            do throws(JSONError) {
                whitelist.append(WhitelistRow(userID: userID, variationKey: try readSymbol(&reader)))
            } catch { throw error.inside(.key(symbols.text(userID))) }
        }
        return Rows(from: start, to: whitelist.count)
    }

    private mutating func readCMAB(of row: inout RuleRow, _ reader: inout JSONReader) throws(JSONError) {
        try readObject(&reader, .contextualBandit) {
            (tables, reader, field) throws(JSONError) in
            if field == .attributeIds {
                row.cmabAttributeIDs = try tables.readSymbols(&reader)
            } else {
                row.cmabTraffic = Int32(min(max(0, try reader.readInteger()), Int64(Bucketing.bucketCount)))
            }
        }
    }
}
