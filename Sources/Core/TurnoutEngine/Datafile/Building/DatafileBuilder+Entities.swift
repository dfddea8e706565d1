extension DatafileBuilder {
    mutating func readDatafile(_ reader: inout JSONReader) throws(JSONError) {
        let members =
            format.allowsMissingFlags
            ? EntityMembers.datafile.allowing(missing: .featureFlags, .rollouts, .anonymizeIP) : .datafile
        try readObject(&reader, members) { (builder, reader, field) throws(JSONError) in
            if try !builder.readIdentity(field, &reader) { try builder.readTable(field, &reader) }
        }
    }

    /// Reads a member that is a single value; false if it is a list of entities.
    private mutating func readIdentity(
        _ field: DatafileField, _ reader: inout JSONReader
    ) throws(JSONError) -> Bool {
        switch field {
        case .version: tables.version = try readSymbol(&reader)
        case .projectId: tables.projectID = try readSymbol(&reader)
        case .accountId: tables.accountID = try readSymbol(&reader)
        case .revision: tables.revision = try readSymbol(&reader)
        case .sdkKey: tables.sdkKey = try readSymbol(&reader)
        case .environmentKey: tables.environmentKey = try readSymbol(&reader)
        case .region: tables.region = try reader.readWord(of: [.us, .eu])
        case .anonymizeIP: tables.anonymizesIP = try reader.readBool()
        case .botFiltering: tables.botFiltering = try reader.readBool()
        case .sendFlagDecisions: tables.sendsFlagDecisions = try reader.readBool()
        default: return false
        }
        return true
    }

    private mutating func readTable(_ field: DatafileField, _ reader: inout JSONReader) throws(JSONError) {
        switch field {
        case .experiments: tables.topLevelExperiments = try readRules(&reader, .experiment)
        case .holdouts: tables.globalHoldouts = try readRules(&reader, .holdout)
        case .localHoldouts: tables.localHoldouts = try readRules(&reader, .holdout)
        case .groups: try readArray(&reader) { (builder, reader) throws(JSONError) in try builder.readGroup(&reader) }
        case .rollouts:
            try readArray(&reader) { (builder, reader) throws(JSONError) in try builder.readRollout(&reader) }
        case .featureFlags:
            try readArray(&reader) { (builder, reader) throws(JSONError) in try builder.readFlag(&reader) }
        case .audiences: tables.legacyAudienceRows = try readAudiences(&reader)
        case .typedAudiences: tables.typedAudienceRows = try readAudiences(&reader)
        case .attributes:
            try readArray(&reader) { (builder, reader) throws(JSONError) in try builder.readAttribute(&reader) }
        case .events: try readArray(&reader) { (builder, reader) throws(JSONError) in try builder.readEvent(&reader) }
        case .integrations:
            try readArray(&reader) { (builder, reader) throws(JSONError) in try builder.readIntegration(&reader) }
        default: try reader.skipValue()
        }
    }

    private mutating func readAttribute(_ reader: inout JSONReader) throws(JSONError) {
        var row = AttributeRow()
        try readObject(&reader, .attribute) { (builder, reader, field) throws(JSONError) in
            if field == .id {
                row.id = try builder.readSymbol(&reader)
            } else {
                row.key = try builder.readSymbol(&reader)
            }
        }
        tables.attributes.append(row)
    }

    private mutating func readEvent(_ reader: inout JSONReader) throws(JSONError) {
        var row = EventRow()
        try readObject(&reader, .event) { (builder, reader, field) throws(JSONError) in
            switch field {
            case .id: row.id = try builder.readSymbol(&reader)
            case .key: row.key = try builder.readSymbol(&reader)
            default: row.experimentIDs = try builder.readSymbols(&reader)
            }
        }
        tables.events.append(row)
    }

    private mutating func readIntegration(_ reader: inout JSONReader) throws(JSONError) {
        var row = IntegrationRow()
        try readObject(&reader, .integration) {
            (builder, reader, field) throws(JSONError) in
            switch field {
            case .key: row.key = try builder.readSymbol(&reader)
            case .host: row.host = try builder.readSymbol(&reader)
            default: row.publicKey = try builder.readSymbol(&reader)
            }
        }
        tables.integrations.append(row)
    }

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
