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
}
