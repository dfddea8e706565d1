extension DatafileBuilder {
    /// Reads a list of experiments, rollout rules or holdouts.
    mutating func readRules(_ reader: inout JSONReader, _ kind: Rule.Kind) throws(JSONError) -> Rows {
        let start = tables.rules.count
        try readArray(&reader) { (builder, reader) throws(JSONError) in
            builder.tables.rules.append(try builder.readRule(&reader, kind))
        }
        return Rows(from: start, to: tables.rules.count)
    }

    private mutating func readRule(_ reader: inout JSONReader, _ kind: Rule.Kind) throws(JSONError) -> RuleRow {
        var row = RuleRow()
        row.kind = kind
        try readObject(&reader, kind == .holdout ? .holdout : .experiment) {
            (builder, reader, field) throws(JSONError) in
            try builder.readMember(field, of: &row, &reader)
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

    private func readStatus(
        _ reader: inout JSONReader, _ kind: Rule.Kind
    ) throws(JSONError) -> Rule.Status {
        try reader.readWord(of: kind == .holdout ? Rule.Status.ofHoldouts : Rule.Status.ofExperiments)
    }

    /// The only member that may have any value: an unknown one means "unspecified".
    private func readExperimentType(_ reader: inout JSONReader) throws(JSONError) -> Rule.ExperimentType {
        guard reader.peek() == UInt8(ascii: "\"") else {
            try reader.skipValue()
            return .unspecified
        }
        let text = try reader.readString()
        return Rule.ExperimentType(rawValue: text.string) ?? .unspecified
    }

    private mutating func readVariations(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = tables.variations.count
        try readArray(&reader) { (builder, reader) throws(JSONError) in
            var row = VariationRow()
            try builder.readObject(&reader, .variation) {
                (builder, reader, field) throws(JSONError) in
                switch field {
                case .id: row.id = try builder.readSymbol(&reader)
                case .key: row.key = try builder.readSymbol(&reader)
                case .featureEnabled: row.featureEnabled = try reader.readBool()
                default: row.overrides = try builder.readOverrides(&reader)
                }
            }
            builder.tables.variations.append(row)
        }
        return Rows(from: start, to: tables.variations.count)
    }

    private mutating func readOverrides(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = tables.overrides.count
        try readArray(&reader) { (builder, reader) throws(JSONError) in
            var row = OverrideRow()
            try builder.readObject(&reader, .override) { (builder, reader, field) throws(JSONError) in
                let symbol = try builder.readSymbol(&reader)
                if field == .id { row.variableID = symbol } else { row.value = symbol }
            }
            builder.tables.overrides.append(row)
        }
        return Rows(from: start, to: tables.overrides.count)
    }

    mutating func readTraffic(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = tables.traffic.count
        try readArray(&reader) { (builder, reader) throws(JSONError) in
            var row = TrafficRow()
            try builder.readObject(&reader, .traffic) {
                (builder, reader, field) throws(JSONError) in
                if field == .entityId {
                    row.entityID = try builder.readSymbol(&reader)
                } else {
                    // Buckets end at 9,999, so clamping does not change the result.
                    row.endOfRange = Int32(clamping: try reader.readInteger())
                }
            }
            builder.tables.traffic.append(row)
        }
        return Rows(from: start, to: tables.traffic.count)
    }

    private mutating func readWhitelist(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = tables.whitelist.count
        var isFirst = true
        try reader.enterObject()
        while let key = try reader.nextKey(isFirst: &isFirst) {
            let userID = tables.symbols.intern(key)
            do throws(JSONError) {
                tables.whitelist.append(WhitelistRow(userID: userID, variationKey: try readSymbol(&reader)))
            } catch { throw error.inside(.key(tables.symbols.text(userID))) }
        }
        return Rows(from: start, to: tables.whitelist.count)
    }

    private mutating func readCMAB(of row: inout RuleRow, _ reader: inout JSONReader) throws(JSONError) {
        try readObject(&reader, .contextualBandit) {
            (builder, reader, field) throws(JSONError) in
            if field == .attributeIds {
                row.cmabAttributeIDs = try builder.readSymbols(&reader)
            } else {
                row.cmabTraffic = Int32(min(max(0, try reader.readInteger()), Int64(Bucketing.bucketCount)))
            }
        }
    }
}
