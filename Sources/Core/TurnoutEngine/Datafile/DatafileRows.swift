// The rows of a compiled datafile. All are plain numbers: strings are symbols, references are row numbers (-1: none),
// and lists are runs of adjacent rows. A table is one block of memory, and reading it retains nothing.

/// An experiment, a rollout rule or a holdout: each has an audience, traffic and variations.
struct RuleRow: Sendable {
    var id = Symbol.empty
    var key = Symbol.empty
    var layerID = Symbol.empty
    var kind = Rule.Kind.experiment
    var status = Rule.Status.running
    var type = Rule.ExperimentType.unspecified
    var variations = Rows.none
    var traffic = Rows.none
    /// A run of `DatafileTables.symbolLists`.
    var audienceIDs = Rows.none
    /// The first node of the audience condition, or -1 for everyone.
    var condition: Int32 = -1
    /// Whether the datafile has `audienceConditions` for the rule. If not, `condition` was made from `audienceIDs`.
    var hasAudienceConditions = false
    /// Whether a flag has the rule, or the rollout that starts with it. Used during linking to find shared rules.
    var isInFlag = false
    var whitelist = Rows.none
    var group: Int32 = -1
    /// End of the CMAB traffic range, or -1 if this is not a CMAB rule.
    var cmabTraffic: Int32 = -1
    var cmabAttributeIDs = Rows.none
    /// Local holdouts that apply to this rule: a run of `DatafileTables.localHoldoutRows`.
    var localHoldouts = Rows.none
    /// Ids of the rules that a local holdout applies to: a run of `DatafileTables.symbolLists`.
    var includedRules = Rows.none

    var isCMAB: Bool { cmabTraffic >= 0 }
}

struct VariationRow: Sendable {
    var id = Symbol.empty
    var key = Symbol.empty
    var featureEnabled: Bool?
    var overrides = Rows.none

    var isEnabled: Bool { featureEnabled ?? false }
}

/// A variation's own value for a variable of its flag.
struct OverrideRow: Sendable {
    var variableID = Symbol.empty
    var value = Symbol.empty
}

struct TrafficRow: Sendable {
    var entityID = Symbol.empty
    var endOfRange: Int32 = 0
    /// The row of the variation, or of the experiment in a group; -1 if the id resolves to nothing.
    var entity: Int32 = -1
}

/// An entry of the whitelist, `forcedVariations` in the datafile.
struct WhitelistRow: Sendable {
    var userID = Symbol.empty
    var variationKey = Symbol.empty
}

struct FlagRow: Sendable {
    var id = Symbol.empty
    var key = Symbol.empty
    /// As in the datafile; a run of `DatafileTables.symbolLists`.
    var experimentIDs = Rows.none
    /// The existing ones; a run of `DatafileTables.flagExperimentRows`.
    var experiments = Rows.none
    var rolloutID = Symbol.empty
    var rollout: Int32 = -1
    var variables = Rows.none
    /// Whether a variable might have a value that does not parse, so every decision has to check.
    var needsVariableCheck = false
}

struct VariableRow: Sendable {
    var id = Symbol.empty
    var key = Symbol.empty
    /// As in the datafile, except that `string` with subtype `json` is `json`.
    var typeName = Symbol.empty
    var type = Variable.ValueType.string
    var defaultValue = Symbol.empty
}

struct RolloutRow: Sendable {
    var id = Symbol.empty
    var rules = Rows.none
}

struct GroupRow: Sendable {
    enum Policy: String, Sendable { case random, overlapping }

    var id = Symbol.empty
    var policy = Policy.overlapping
    var traffic = Rows.none
    var experiments = Rows.none
}

struct AudienceRow: Sendable {
    var id = Symbol.empty
    var name = Symbol.empty
    var condition: Int32 = -1
    /// The conditions as written, if the datafile has them as a string.
    var conditionsText = Symbol.none
    /// Of the condition, without the audiences it refers to.
    var extent = AudienceExtent()
    /// Whether the audience refers to itself, directly or indirectly, or to one that does.
    var isCyclic = false
}

struct AttributeRow: Sendable {
    var id = Symbol.empty
    var key = Symbol.empty
}

struct EventRow: Sendable {
    var id = Symbol.empty
    var key = Symbol.empty
    var experimentIDs = Rows.none
}

struct IntegrationRow: Sendable {
    var key = Symbol.empty
    var host = Symbol.none
    var publicKey = Symbol.none
}
