extension DatafileBuilder {
    /// Resolves all references between entities, once everything has been read.
    mutating func link() {
        listExperiments()
        indexExperiments()
        indexEntities()
        injectFeatureRollouts()
        linkTraffic()
        linkGroups()
        linkFlags()
        linkLocalHoldouts()
        linkAudiences()
        findVariablesToCheck()
    }

    private mutating func listExperiments() {
        tables.experimentRows = tables.topLevelExperiments.range.map(Int32.init)
        for group in tables.groups { tables.experimentRows += group.experiments.range.map(Int32.init) }
    }

    private mutating func indexExperiments() {
        tables.experimentsByKey = SymbolMap(expecting: tables.experimentRows.count)
        tables.experimentsByID = SymbolMap(expecting: tables.experimentRows.count)
        for row in tables.experimentRows.map(Int.init) {
            tables.experimentsByKey.set(tables.rules[row].key, row: row)
            tables.experimentsByID.set(tables.rules[row].id, row: row)
        }
    }

    private mutating func indexEntities() {
        tables.rolloutsByID = index(tables.rollouts, by: \.id)
        tables.flagsByKey = index(tables.flags, by: \.key)
        tables.attributesByKey = index(tables.attributes, by: \.key)
        tables.attributesByID = index(tables.attributes, by: \.id)
        tables.eventsByKey = index(tables.events, by: \.key)
    }

    private func index<Row>(_ rows: [Row], by text: (Row) -> Symbol) -> SymbolMap {
        var map = SymbolMap(expecting: rows.count)
        for (number, row) in rows.enumerated() { map.set(text(row), row: number) }
        return map
    }

    /// The rows of a run by id, of which the first one counts; nil for short runs, for which a map does not pay off. No
    /// real datafile has long ones.
    func mapOfMany<Row>(_ run: Rows, of rows: [Row], by id: (Row) -> Symbol) -> SymbolMap? {
        guard run.count > 16 else { return nil }
        var map = SymbolMap(expecting: Int(run.count))
        for row in run.range.reversed() { map.set(id(rows[row]), row: row) }
        return map
    }

    // MARK: Feature rollouts

    /// Gives each experiment of type `fr` one more variation, for the users outside its ramp: the first variation of
    /// the flag's everyone-else rule.
    private mutating func injectFeatureRollouts() {
        guard tables.experimentRows.contains(where: { tables.rules[Int($0)].type == .featureRollout }) else { return }
        var injected: [Int: [Int]] = [:]
        for flag in tables.flags {
            guard let rollout = tables.rolloutsByID[flag.rolloutID],
                let lastRule = tables.rollouts[rollout].rules.last,
                let variation = tables.rules[lastRule].variations.range.first
            else { continue }
            for id in flag.experimentIDs.range {
                guard let experiment = tables.experimentsByID[tables.symbolLists[id]],
                    tables.rules[experiment].type == .featureRollout,
                    // A flag may name an experiment twice; inject only once.
                    injected[experiment]?.last != variation
                else { continue }
                injected[experiment, default: []].append(variation)
            }
        }
        for (experiment, rows) in injected.sorted(by: { $0.key < $1.key }) { inject(rows, into: experiment) }
    }

    /// Appends variations that take all remaining traffic. Runs cannot grow in place, so they are copied.
    private mutating func inject(_ rows: [Int], into experiment: Int) {
        let variationStart = tables.variations.count
        for row in Array(tables.rules[experiment].variations.range) + rows {
            tables.variations.append(tables.variations[row])
        }
        tables.rules[experiment].variations = Rows(from: variationStart, to: tables.variations.count)
        let trafficStart = tables.traffic.count
        for row in tables.rules[experiment].traffic.range { tables.traffic.append(tables.traffic[row]) }
        for row in rows {
            tables.traffic.append(
                TrafficRow(entityID: tables.variations[row].id, endOfRange: Int32(Bucketing.bucketCount)))
        }
        tables.rules[experiment].traffic = Rows(from: trafficStart, to: tables.traffic.count)
    }

    // MARK: Traffic and groups

    private mutating func linkTraffic() {
        for rule in tables.rules {
            let map = mapOfMany(rule.variations, of: tables.variations, by: \.id)
            for row in rule.traffic.range {
                let id = tables.traffic[row].entityID
                let variation = map.map { $0[id] } ?? rule.variations.range.first { tables.variations[$0].id == id }
                tables.traffic[row].entity = Int32(variation ?? -1)
            }
        }
        for group in tables.groups {
            for row in group.traffic.range {
                tables.traffic[row].entity = Int32(tables.experimentsByID[tables.traffic[row].entityID] ?? -1)
            }
        }
    }

    /// Links each rule to the first group that has an experiment with its id. Includes rollout rules that share an id.
    private mutating func linkGroups() {
        guard !tables.groups.isEmpty else { return }
        var groupsByExperiment = SymbolMap(expecting: tables.experimentRows.count)
        for (number, group) in tables.groups.enumerated().reversed() {
            for row in group.experiments.range { groupsByExperiment.set(tables.rules[row].id, row: number) }
        }
        for row in tables.rules.indices where tables.rules[row].kind != .holdout {
            tables.rules[row].group = Int32(groupsByExperiment[tables.rules[row].id] ?? -1)
        }
    }

    // MARK: Flags

    private mutating func linkFlags() {
        defer { tables.flagsShareExperiments = hasSharedExperiments() }
        for row in tables.flags.indices {
            let start = tables.flagExperimentRows.count
            for id in tables.flags[row].experimentIDs.range {
                guard let experiment = tables.experimentsByID[tables.symbolLists[id]] else { continue }
                tables.flagExperimentRows.append(Int32(experiment))
            }
            tables.flags[row].experiments = Rows(from: start, to: tables.flagExperimentRows.count)
            tables.flags[row].rollout = Int32(tables.rolloutsByID[trimmed(tables.flags[row].rolloutID)] ?? -1)
        }
    }

    private func hasSharedExperiments() -> Bool {
        var ids = SymbolMap(expecting: tables.flagExperimentRows.count)
        for row in tables.flagExperimentRows.map(Int.init) { ids.set(tables.rules[row].id, row: row) }
        return ids.count < tables.flagExperimentRows.count
    }

    /// The id without leading and trailing blanks.
    private mutating func trimmed(_ id: Symbol) -> Symbol {
        let text = tables.symbols.text(id)
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last, first.isBlank || last.isBlank
        else { return id }
        return tables.symbols.intern(text.trimmingBlanks)
    }

    // MARK: Local holdouts

    /// Gives each rule the run of local holdouts that name its id.
    private mutating func linkLocalHoldouts() {
        var holdoutsByRule: [Symbol: [Int32]] = [:]
        for holdout in tables.localHoldouts.range {
            for id in tables.rules[holdout].includedRules.range {
                holdoutsByRule[tables.symbolLists[id], default: []].append(Int32(holdout))
            }
        }
        guard !holdoutsByRule.isEmpty else { return }
        // Rules that share an id share the run.
        var runs: [Symbol: Rows] = [:]
        for (id, holdouts) in holdoutsByRule {
            runs[id] = Rows(from: tables.localHoldoutRows.count, to: tables.localHoldoutRows.count + holdouts.count)
            tables.localHoldoutRows += holdouts
        }
        for row in tables.rules.indices where tables.rules[row].kind != .holdout {
            tables.rules[row].localHoldouts = runs[tables.rules[row].id] ?? .none
        }
    }

    /// Resolves the ids in conditions, and determines whether evaluations need a budget.
    mutating func linkAudiences() {
        tables.audiencesByID = SymbolMap(expecting: tables.audiences.count)
        for row in Array(tables.typedAudienceRows.range) + Array(tables.legacyAudienceRows.range) {
            let id = tables.audiences[row].id
            if tables.audiencesByID[id] == nil { tables.audiencesByID.set(id, row: row) }
        }
        for row in tables.conditions.indices where tables.conditions[row].kind == .audience {
            let id = Symbol(index: UInt32(bitPattern: tables.conditions[row].operand))
            if let audience = tables.audiencesByID[id] {
                tables.conditions[row].operand = Int32(audience)
            } else {
                tables.conditions[row].kind = .missingAudience
            }
        }
        var ends: [Int32] = []
        for row in tables.audiences.indices {
            tables.audiences[row].extent = extent(of: Int(tables.audiences[row].condition), &ends)
        }
        // Hardly any datafile has audiences that refer to audiences.
        let haveNames = tables.audiences.contains { audience in
            (Int(audience.condition)..<Int(tables.conditions[Int(audience.condition)].end)).contains {
                tables.conditions[$0].kind == .audience
            }
        }
        tables.audiencesNeedBudget = hasLargeRule() || haveNames && hasDeepOrRepeatedAudiences()
        for row in tables.conditions.indices { linkAnswer(of: row) }
    }

    /// Whether an evaluation might not terminate, or take too long.
    private mutating func hasDeepOrRepeatedAudiences() -> Bool {
        let totals = tables.totalExtents()
        for audience in tables.audiences.indices { tables.audiences[audience].isCyclic = totals[audience] == nil }
        guard !totals.contains(where: { $0?.isTooLarge ?? true }) else { return true }
        return tables.rules.contains { rule in
            guard rule.condition >= 0 else { return false }
            let work = tables.namedAudiences(Int(rule.condition)).reduce(0) { $0 + (totals[$1]?.rows ?? 0) }
            return work > AudienceExtent.maximumRows
        }
    }

    /// Whether a rule refers to so many audiences that evaluating all their conditions takes too long.
    private func hasLargeRule() -> Bool {
        for rule in tables.rules where rule.condition >= 0 {
            var extent = AudienceExtent()
            let root = Int(rule.condition)
            for row in root..<Int(tables.conditions[root].end) where tables.conditions[row].kind == .audience {
                extent.rows += tables.audiences[Int(tables.conditions[row].operand)].extent.rows
            }
            if extent.isTooLarge { return true }
        }
        return false
    }

    /// The extent of a tree, without the audiences it refers to. `ends` is memory that all calls share.
    private func extent(of root: Int, _ ends: inout [Int32]) -> AudienceExtent {
        var extent = AudienceExtent(levels: 1, rows: Int(tables.conditions[root].end) - root)
        ends.removeAll(keepingCapacity: true)
        for row in root..<Int(tables.conditions[root].end) {
            while let end = ends.last, end <= row { ends.removeLast() }
            ends.append(tables.conditions[row].end)
            extent.levels = max(extent.levels, ends.count)
        }
        return extent
    }

    /// Follows nodes that only pass on another node's result.
    private mutating func linkAnswer(of start: Int) {
        var row = start
        search: while true {
            switch tables.conditions[row].kind {
            case .audience:
                // With a budget, every audience must be entered to be counted.
                guard !tables.audiencesNeedBudget else { break search }
                row = Int(tables.audiences[Int(tables.conditions[row].operand)].condition)
            case .and, .or:
                let child = row + 1
                guard child < tables.conditions[row].end, tables.conditions[child].end == tables.conditions[row].end
                else { break search }
                row = child
            default: break search
            }
        }
        tables.conditions[start].answer = Int32(row)
    }
}
