/// The member names that the engine reads in a datafile. All others are skipped.
///
/// A case is spelled as in the datafile. Every symbol table starts with these names, so looking up a member's name
/// yields its field.
enum DatafileField: String, CaseIterable {
    // The top level.
    case version, projectId, accountId, revision, experiments, groups, rollouts, featureFlags, audiences
    case typedAudiences, attributes, events, anonymizeIP, botFiltering, sendFlagDecisions, integrations, holdouts
    case localHoldouts, region, sdkKey, environmentKey
    // Entities.
    case id, key, layerId, status, variations, trafficAllocation, audienceIds, audienceConditions
    case forcedVariations, cmab, type, attributeIds, featureEnabled, variables, value, entityId, endOfRange, policy
    case experimentIds, rolloutId, subType, defaultValue, name, conditions, host, publicKey, includedRules, match

    static let names = allCases.map(\.rawValue)

    /// The index of the case, from 0. An enumeration without payloads is represented by its index.
    @inline(__always)
    var number: UInt8 { unsafeBitCast(self, to: UInt8.self) }

    /// The case with a given ``number``, which must be valid.
    @inline(__always)
    init(number: UInt8) { self = unsafeBitCast(number, to: DatafileField.self) }

    /// The field with a member name, or nil if there is none.
    @inline(__always)
    init?(_ name: Symbol) {
        // The first symbol of every table is the empty string.
        guard name.index > 0, name.index <= UInt32(Self.caseCount) else { return nil }
        self.init(number: UInt8(truncatingIfNeeded: name.index - 1))
    }

    static let caseCount = 49
}

struct FieldSet: OptionSet {
    let rawValue: UInt64

    @inline(__always)
    init(rawValue: UInt64) { self.rawValue = rawValue }

    @inline(__always)
    init(_ field: DatafileField) { rawValue = 1 &<< UInt64(field.number) }

    init(_ fields: [DatafileField]) { self = fields.reduce([]) { $0.union(FieldSet($1)) } }

    @inline(__always)
    func contains(_ field: DatafileField) -> Bool { contains(FieldSet(field)) }

    /// The first field of the set.
    var first: DatafileField? {
        rawValue == 0 ? nil : DatafileField(number: UInt8(rawValue.trailingZeroBitCount))
    }
}
