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
