/// A datafile as tables of rows, which ``DatafileBuilder`` fills.
struct DatafileTables {
    /// Identifies these tables; the replicas of a project share it.
    let identity = Identity()
    /// A hash of the datafile's bytes, which differs between runs of a program.
    var contentHash = 0
    var symbols: SymbolTable

    // MARK: Top level
    var version = Symbol.empty
    var projectID = Symbol.empty
    var accountID = Symbol.empty
    var revision = Symbol.empty
    var sdkKey = Symbol.none
    var environmentKey = Symbol.none
    var region = Project.Region.us
    var anonymizesIP = true
    var botFiltering: Bool?
    var sendsFlagDecisions = false

    // MARK: Tables
    var rules: [RuleRow] = []
    var variations: [VariationRow] = []
    var overrides: [OverrideRow] = []
    var traffic: [TrafficRow] = []
    var whitelist: [WhitelistRow] = []
    var flags: [FlagRow] = []
    var variables: [VariableRow] = []
    var rollouts: [RolloutRow] = []
    var groups: [GroupRow] = []
    var audiences: [AudienceRow] = []
    var attributes: [AttributeRow] = []
    var events: [EventRow] = []
    var integrations: [IntegrationRow] = []
    var conditions: [ConditionRow] = []
    var leaves: [LeafRow] = []
    var composites: [ConditionValue] = []
    var versions: [SemanticVersion?] = []
    var symbolLists: [Symbol] = []

    // MARK: Runs of the top-level lists
    var topLevelExperiments = Rows.none
    var typedAudienceRows = Rows.none
    var legacyAudienceRows = Rows.none
    var globalHoldouts = Rows.none
    var localHoldouts = Rows.none

    // MARK: Derived when linking
    /// All experiments: ungrouped ones first, then those of each group.
    var experimentRows: [Int32] = []
    var flagExperimentRows: [Int32] = []
    var localHoldoutRows: [Int32] = []
    /// Whether audiences refer to each other so deeply, so often or in such cycles that evaluation must be limited.
    var audiencesNeedBudget = false
    /// Whether an experiment belongs to more than one flag, or two experiments have one id.
    var flagsShareExperiments = false
    var experimentsByKey = SymbolMap(expecting: 0)
    var experimentsByID = SymbolMap(expecting: 0)
    var rolloutsByID = SymbolMap(expecting: 0)
    var flagsByKey = SymbolMap(expecting: 0)
    var audiencesByID = SymbolMap(expecting: 0)
    var attributesByKey = SymbolMap(expecting: 0)
    var attributesByID = SymbolMap(expecting: 0)
    var eventsByKey = SymbolMap(expecting: 0)

    final class Identity: Sendable {}

    /// Creates empty tables, sized for a datafile of `size` bytes.
    init(size: Int) {
        // Measured on real datafiles: one distinct string per 60 to 120 bytes, one rule per 420 to 860, one variation
        // per 230 to 400, and one condition per 90 to 760. Growing copies the rows, and touches new memory.
        symbols = SymbolTable(expecting: size / 80)
        rules.reserveCapacity(size / 512)
        variations.reserveCapacity(size / 384)
        traffic.reserveCapacity(size / 384)
        conditions.reserveCapacity(size / 160)
    }

    /// The first of a flag's experiments, then of its rollout rules, with a given property.
    func firstRule(of flag: FlagRow, where hasProperty: (Int) -> Bool) -> Int? {
        for row in flag.experiments.range where hasProperty(Int(flagExperimentRows[row])) {
            return Int(flagExperimentRows[row])
        }
        let rolloutRules = flag.rollout < 0 ? Rows.none : rollouts[Int(flag.rollout)].rules
        return rolloutRules.range.first(where: hasProperty)
    }

    /// The extents of all audiences including those they refer to; nil for audiences that refer to themselves, or to
    /// one that does.
    ///
    /// Processes the audiences bottom-up, starting with those that refer to no others.
    func totalExtents() -> [AudienceExtent?] {
        var users: [[Int]] = Array(repeating: [], count: audiences.count)
        var openNames = Array(repeating: 0, count: audiences.count)
        for audience in audiences.indices {
            for named in namedAudiences(Int(audiences[audience].condition)) {
                users[named].append(audience)
                openNames[audience] += 1
            }
        }
        var totals: [AudienceExtent?] = Array(repeating: nil, count: audiences.count)
        var sums = audiences.map { AudienceExtent(levels: 0, rows: $0.extent.rows) }
        var ready = audiences.indices.filter { openNames[$0] == 0 }
        while let audience = ready.popLast() {
            let levels = sums[audience].levels + audiences[audience].extent.levels
            totals[audience] = AudienceExtent(levels: levels, rows: sums[audience].rows)
            for user in users[audience] {
                sums[user].levels = max(sums[user].levels, levels)
                // Repetitions double with every level; the sum is capped here.
                sums[user].rows = min(sums[user].rows + sums[audience].rows, 1 << 40)
                openNames[user] -= 1
                if openNames[user] == 0 { ready.append(user) }
            }
        }
        return totals
    }

    /// The audiences that a tree refers to, including repetitions.
    func namedAudiences(_ root: Int) -> [Int] {
        var named: [Int] = []
        for row in root..<Int(conditions[root].end) where conditions[row].kind == .audience {
            named.append(Int(conditions[row].operand))
        }
        return named
    }
}

/// The size of a condition tree.
struct AudienceExtent: Sendable {
    /// The deepest nesting of conditions across all audiences. Fits the smallest usual thread stacks.
    static let maximumLevels = 1_000
    /// The number of conditions, including repetitions, above which caching results pays off.
    static let maximumRows = 200_000

    /// The depth of the tree.
    var levels = 1
    /// The largest number of conditions to evaluate.
    var rows = 1

    /// Whether evaluation needs a limited budget.
    var isTooLarge: Bool { levels > Self.maximumLevels || rows > Self.maximumRows }
}
