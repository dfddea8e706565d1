extension DatafileTables {
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
        experimentRows = topLevelExperiments.range.map(Int32.init)
        for group in groups { experimentRows += group.experiments.range.map(Int32.init) }
    }

    private mutating func indexExperiments() {
        experimentsByKey = SymbolMap(expecting: experimentRows.count)
        experimentsByID = SymbolMap(expecting: experimentRows.count)
        for row in experimentRows.map(Int.init) {
            experimentsByKey.set(symbols.name(of: rules[row].key), row: row)
            experimentsByID.set(symbols.name(of: rules[row].id), row: row)
        }
    }

    private mutating func indexEntities() {
        rolloutsByID = index(rollouts, by: \.id)
        flagsByKey = index(flags, by: \.key)
        attributesByKey = index(attributes, by: \.key)
        attributesByID = index(attributes, by: \.id)
        eventsByKey = index(events, by: \.key)
    }

    private func index<Row>(_ rows: [Row], by text: KeyPath<Row, Symbol>) -> SymbolMap {
        var map = SymbolMap(expecting: rows.count)
        for (number, row) in rows.enumerated() { map.set(symbols.name(of: row[keyPath: text]), row: number) }
        return map
    }

    // MARK: Feature rollouts

    /// Gives each experiment of type `fr` one more variation, for the users outside its ramp: the first variation of
    /// the flag's everyone-else rule.
    private mutating func injectFeatureRollouts() {
        guard experimentRows.contains(where: { rules[Int($0)].type == .featureRollout }) else { return }
        var injected: [Int: [Int]] = [:]
        for flag in flags {
            guard let rollout = rolloutsByID[symbols.name(of: flag.rolloutID)],
                let lastRule = rollouts[rollout].rules.last, let variation = rules[lastRule].variations.range.first
            else { continue }
            for id in flag.experimentIDs.range {
                guard let experiment = experimentsByID[symbols.name(of: symbolLists[id])],
                    rules[experiment].type == .featureRollout,
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
        let variationStart = variations.count
        for row in Array(rules[experiment].variations.range) + rows { variations.append(variations[row]) }
        rules[experiment].variations = Rows(from: variationStart, to: variations.count)
        let trafficStart = traffic.count
        for row in rules[experiment].traffic.range { traffic.append(traffic[row]) }
        for row in rows {
            traffic.append(TrafficRow(entityID: variations[row].id, endOfRange: Int32(Bucketing.bucketCount)))
        }
        rules[experiment].traffic = Rows(from: trafficStart, to: traffic.count)
    }

    // MARK: Traffic and groups

    private mutating func linkTraffic() {
        for rule in rules {
            // A map pays off only for rules with many variations, which no real datafile has.
            var map: SymbolMap?
            if rule.variations.count > 16 {
                map = SymbolMap(expecting: Int(rule.variations.count))
                for row in rule.variations.range.reversed() { map?.set(symbols.name(of: variations[row].id), row: row) }
            }
            for row in rule.traffic.range {
                let id = symbols.name(of: traffic[row].entityID)
                let variation =
                    map.map { $0[id] } ?? rule.variations.range.first { symbols.name(of: variations[$0].id) == id }
                traffic[row].entity = Int32(variation ?? -1)
            }
        }
        for group in groups {
            for row in group.traffic.range {
                traffic[row].entity = Int32(experimentsByID[symbols.name(of: traffic[row].entityID)] ?? -1)
            }
        }
    }

    /// Links each rule to the first group that has an experiment with its id. Includes rollout rules that share an id.
    private mutating func linkGroups() {
        guard !groups.isEmpty else { return }
        var groupsByExperiment = SymbolMap(expecting: experimentRows.count)
        for (number, group) in groups.enumerated().reversed() {
            for row in group.experiments.range {
                groupsByExperiment.set(symbols.name(of: rules[row].id), row: number)
            }
        }
        for row in rules.indices where rules[row].kind != .holdout {
            rules[row].group = Int32(groupsByExperiment[symbols.name(of: rules[row].id)] ?? -1)
        }
    }

    // MARK: Flags

    private mutating func linkFlags() {
        defer { flagsShareExperiments = hasSharedExperiments() }
        for row in flags.indices {
            let start = flagExperimentRows.count
            for id in flags[row].experimentIDs.range {
                guard let experiment = experimentsByID[symbols.name(of: symbolLists[id])] else { continue }
                flagExperimentRows.append(Int32(experiment))
            }
            flags[row].experiments = Rows(from: start, to: flagExperimentRows.count)
            flags[row].rollout = Int32(rolloutsByID[symbols.name(of: trimmed(flags[row].rolloutID))] ?? -1)
        }
    }

    private mutating func hasSharedExperiments() -> Bool {
        var ids = SymbolMap(expecting: flagExperimentRows.count)
        for row in flagExperimentRows.map(Int.init) { ids.set(symbols.name(of: rules[row].id), row: row) }
        return ids.count < flagExperimentRows.count
    }

    /// The id without leading and trailing spaces and tabs.
    private mutating func trimmed(_ id: Symbol) -> Symbol {
        let text = symbols.text(id)
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            first.isBlank || last.isBlank
        else { return id }
        return symbols.intern(text.trimmingBlanks)
    }

    // MARK: Local holdouts

    /// Gives each rule the run of local holdouts that name its id.
    private mutating func linkLocalHoldouts() {
        var holdoutsByRule: [Symbol: [Int32]] = [:]
        for holdout in localHoldouts.range {
            for id in rules[holdout].includedRules.range {
                holdoutsByRule[symbols.name(of: symbolLists[id]), default: []].append(Int32(holdout))
            }
        }
        guard !holdoutsByRule.isEmpty else { return }
        // Rules that share an id share the run.
        var runs: [Symbol: Rows] = [:]
        for (id, holdouts) in holdoutsByRule {
            runs[id] = Rows(from: localHoldoutRows.count, to: localHoldoutRows.count + holdouts.count)
            localHoldoutRows += holdouts
        }
        for row in rules.indices where rules[row].kind != .holdout {
            rules[row].localHoldouts = runs[symbols.name(of: rules[row].id)] ?? .none
        }
    }

    /// The first of a flag's experiments, then of its rollout rules, with a given property.
    func firstRule(of flag: FlagRow, where hasProperty: (Int) -> Bool) -> Int? {
        for row in flag.experiments.range where hasProperty(Int(flagExperimentRows[row])) {
            return Int(flagExperimentRows[row])
        }
        let rolloutRules = flag.rollout < 0 ? Rows.none : rollouts[Int(flag.rollout)].rules
        return rolloutRules.range.first(where: hasProperty)
    }
}

extension Unicode.Scalar {
    /// Space or tab, the only characters that the reference trims from ids and keys.
    var isBlank: Bool { self == " " || self == "\t" }
}

extension String {
    /// The string without leading and trailing spaces and tabs.
    package var trimmingBlanks: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isBlank }),
            let last = scalars.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(scalars[first...last])
    }
}
