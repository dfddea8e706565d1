extension DatafileTables {
    /// Reads a whole datafile.
    mutating func readDatafile(_ reader: inout JSONReader) throws(JSONError) {
        let members =
            format.allowsMissingFlags
            ? EntityMembers.datafile.allowing(missing: .featureFlags, .rollouts, .anonymizeIP) : .datafile
        try readObject(&reader, members) { (tables, reader, field) throws(JSONError) in
            if try !tables.readIdentity(field, &reader) { try tables.readTable(field, &reader) }
        }
    }

    /// Reads a member that is a single value; false if it is a list of entities.
    private mutating func readIdentity(
        _ field: DatafileField, _ reader: inout JSONReader
    ) throws(JSONError) -> Bool {
        switch field {
        case .version: version = try readSymbol(&reader)
        case .projectId: projectID = try readSymbol(&reader)
        case .accountId: accountID = try readSymbol(&reader)
        case .revision: revision = try readSymbol(&reader)
        case .sdkKey: sdkKey = try readSymbol(&reader)
        case .environmentKey: environmentKey = try readSymbol(&reader)
        case .region: region = try readWord(&reader, of: [.us, .eu])
        case .anonymizeIP: anonymizesIP = try reader.readBool()
        case .botFiltering: botFiltering = try reader.readBool()
        case .sendFlagDecisions: sendsFlagDecisions = try reader.readBool()
        default: return false
        }
        return true
    }

    private mutating func readTable(_ field: DatafileField, _ reader: inout JSONReader) throws(JSONError) {
        switch field {
        case .experiments: topLevelExperiments = try readRules(&reader, .experiment)
        case .holdouts: globalHoldouts = try readRules(&reader, .holdout)
        case .localHoldouts: localHoldouts = try readRules(&reader, .holdout)
        case .groups: try readArray(&reader) { (tables, reader) throws(JSONError) in try tables.readGroup(&reader) }
        case .rollouts:
            try readArray(&reader) { (tables, reader) throws(JSONError) in try tables.readRollout(&reader) }
        case .featureFlags:
            try readArray(&reader) { (tables, reader) throws(JSONError) in try tables.readFlag(&reader) }
        case .audiences: legacyAudienceRows = try readAudiences(&reader)
        case .typedAudiences: typedAudienceRows = try readAudiences(&reader)
        case .attributes:
            try readArray(&reader) { (tables, reader) throws(JSONError) in try tables.readAttribute(&reader) }
        case .events: try readArray(&reader) { (tables, reader) throws(JSONError) in try tables.readEvent(&reader) }
        case .integrations:
            try readArray(&reader) { (tables, reader) throws(JSONError) in try tables.readIntegration(&reader) }
        default: try reader.skipValue()
        }
    }

    private mutating func readAttribute(_ reader: inout JSONReader) throws(JSONError) {
        var row = AttributeRow()
        try readObject(&reader, .attribute) { (tables, reader, field) throws(JSONError) in
            if field == .id {
                row.id = try tables.readSymbol(&reader)
            } else {
                row.key = try tables.readSymbol(&reader)
            }
        }
        attributes.append(row)
    }

    private mutating func readEvent(_ reader: inout JSONReader) throws(JSONError) {
        var row = EventRow()
        try readObject(&reader, .event) { (tables, reader, field) throws(JSONError) in
            switch field {
            case .id: row.id = try tables.readSymbol(&reader)
            case .key: row.key = try tables.readSymbol(&reader)
            default: row.experimentIDs = try tables.readSymbols(&reader)
            }
        }
        events.append(row)
    }

    private mutating func readIntegration(_ reader: inout JSONReader) throws(JSONError) {
        var row = IntegrationRow()
        try readObject(&reader, .integration) {
            (tables, reader, field) throws(JSONError) in
            switch field {
            case .key: row.key = try tables.readSymbol(&reader)
            case .host: row.host = try tables.readSymbol(&reader)
            default: row.publicKey = try tables.readSymbol(&reader)
            }
        }
        integrations.append(row)
    }
}
