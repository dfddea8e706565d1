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

/// The required and optional members of an entity of the datafile. All others are skipped.
struct EntityMembers {
    let required: FieldSet
    let optional: FieldSet
    /// Identifies the kind of entity; below `kindCount`.
    let kind: Int

    static let kindCount = 16

    private init(_ kind: Int, required: [DatafileField] = [], optional: [DatafileField] = []) {
        self.init(kind, required: FieldSet(required), optional: FieldSet(optional))
    }

    private init(_ kind: Int, required: FieldSet, optional: FieldSet) {
        self.kind = kind
        self.required = required
        self.optional = optional
    }

    static let datafile = EntityMembers(
        0,
        required: [
            .version, .projectId, .accountId, .revision, .experiments, .groups, .rollouts, .featureFlags,
            .audiences, .attributes, .events, .anonymizeIP,
        ],
        optional: [
            .typedAudiences, .botFiltering, .sendFlagDecisions, .integrations, .holdouts, .localHoldouts, .region,
            .sdkKey, .environmentKey,
        ])
    static let experiment = EntityMembers(
        1, required: [.id, .key, .layerId, .status, .variations, .trafficAllocation, .audienceIds, .forcedVariations],
        optional: [.audienceConditions, .cmab, .type])
    static let holdout = EntityMembers(
        2, required: [.id, .key, .status, .variations, .trafficAllocation, .audienceIds],
        optional: [.audienceConditions, .includedRules])
    static let contextualBandit = EntityMembers(3, required: [.trafficAllocation, .attributeIds])
    static let variation = EntityMembers(4, required: [.id, .key], optional: [.featureEnabled, .variables])
    static let override = EntityMembers(5, required: [.id, .value])
    static let traffic = EntityMembers(6, required: [.entityId, .endOfRange])
    static let group = EntityMembers(7, required: [.id, .policy, .trafficAllocation, .experiments])
    static let rollout = EntityMembers(8, required: [.id, .experiments])
    static let flag = EntityMembers(9, required: [.id, .key, .experimentIds, .rolloutId, .variables])
    static let variable = EntityMembers(10, required: [.id, .key, .type], optional: [.subType, .defaultValue])
    static let audience = EntityMembers(11, required: [.id, .name, .conditions])
    static let leaf = EntityMembers(12, optional: [.name, .type, .match, .value])
    static let attribute = EntityMembers(13, required: [.id, .key])
    static let event = EntityMembers(14, required: [.id, .key, .experimentIds])
    static let integration = EntityMembers(15, required: [.key], optional: [.host, .publicKey])

    /// The same members, with some of them optional.
    func allowing(missing fields: DatafileField...) -> EntityMembers {
        let missing = FieldSet(fields)
        return EntityMembers(kind, required: required.subtracting(missing), optional: optional.union(missing))
    }
}
