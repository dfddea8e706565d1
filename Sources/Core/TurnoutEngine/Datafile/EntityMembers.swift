/// The members that an entity of the datafile must have, and those it may have. All others are skipped.
struct EntityMembers {
    let required: FieldSet
    let optional: FieldSet

    private init(required: DatafileField..., optional: [DatafileField] = []) {
        self.required = FieldSet(required)
        self.optional = FieldSet(optional)
    }

    private init(required: FieldSet, optional: FieldSet) {
        self.required = required
        self.optional = optional
    }

    static let datafile = EntityMembers(
        required: .version, .projectId, .accountId, .revision, .experiments, .groups, .rollouts, .featureFlags,
        .audiences, .attributes, .events, .anonymizeIP,
        optional: [
            .typedAudiences, .botFiltering, .sendFlagDecisions, .integrations, .holdouts, .localHoldouts, .region,
            .sdkKey, .environmentKey,
        ])
    static let experiment = EntityMembers(
        required: .id, .key, .layerId, .status, .variations, .trafficAllocation, .audienceIds, .forcedVariations,
        optional: [.audienceConditions, .cmab, .type])
    static let holdout = EntityMembers(
        required: .id, .key, .status, .variations, .trafficAllocation, .audienceIds,
        optional: [.audienceConditions, .includedRules])
    static let contextualBandit = EntityMembers(required: .trafficAllocation, .attributeIds)
    static let variation = EntityMembers(required: .id, .key, optional: [.featureEnabled, .variables])
    static let override = EntityMembers(required: .id, .value)
    static let traffic = EntityMembers(required: .entityId, .endOfRange)
    static let group = EntityMembers(required: .id, .policy, .trafficAllocation, .experiments)
    static let rollout = EntityMembers(required: .id, .experiments)
    static let flag = EntityMembers(required: .id, .key, .experimentIds, .rolloutId, .variables)
    static let variable = EntityMembers(required: .id, .key, .type, optional: [.subType, .defaultValue])
    static let audience = EntityMembers(required: .id, .name, .conditions)
    static let leaf = EntityMembers(optional: [.name, .type, .match, .value])
    static let attribute = EntityMembers(required: .id, .key)
    static let event = EntityMembers(required: .id, .key, .experimentIds)
    static let integration = EntityMembers(required: .key, optional: [.host, .publicKey])

    /// The same members, of which some need not be there.
    func allowing(missing fields: DatafileField...) -> EntityMembers {
        let missing = FieldSet(fields)
        return EntityMembers(required: required.subtracting(missing), optional: optional.union(missing))
    }
}
