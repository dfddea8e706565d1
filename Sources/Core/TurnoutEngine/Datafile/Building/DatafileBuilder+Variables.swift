extension DatafileBuilder {
    /// Marks the flags with a variable whose value might not parse.
    mutating func findVariablesToCheck() {
        let holdoutsOverride = tables.rules.contains { rule in
            rule.kind == .holdout && rule.variations.range.contains { !tables.variations[$0].overrides.isEmpty }
        }
        var shared = sharedRules()
        for row in tables.flags.indices {
            var needsCheck = false
            var canBeInvalid = false
            for variable in tables.flags[row].variables.range where tables.variables[variable].type.canBeInvalid {
                canBeInvalid = true
                needsCheck =
                    needsCheck || holdoutsOverride || !accepts(tables.variables[variable].defaultValue, variable)
            }
            tables.flags[row].needsVariableCheck =
                needsCheck || (canBeInvalid && hasInvalidOverride(tables.flags[row], &shared))
        }
    }

    private func hasInvalidOverride(_ flag: FlagRow, _ shared: inout [Int32: SharedOverrides]) -> Bool {
        let map = mapOfMany(flag.variables, of: tables.variables, by: \.id)
        var last = -1
        for row in flag.experiments.range {
            let experiment = Int(tables.flagExperimentRows[row])
            guard experiment != last else { continue }
            last = experiment
            let rule = Rows(first: Int32(experiment), count: 1)
            if hasInvalidOverride(rule, flag.variables, map, &shared) { return true }
        }
        guard flag.rollout >= 0 else { return false }
        return hasInvalidOverride(tables.rollouts[Int(flag.rollout)].rules, flag.variables, map, &shared)
    }

    /// Whether any of the rules override a variable with a value of the wrong type.
    private func hasInvalidOverride(
        _ list: Rows, _ flagVariables: Rows, _ map: SymbolMap?, _ shared: inout [Int32: SharedOverrides]
    ) -> Bool {
        // The first row of an empty list is the first one of the next list.
        guard !list.isEmpty, var values = shared[list.first] else {
            return list.range.contains { hasInvalidOverride(rule: $0, flagVariables, map) }
        }
        shared[list.first] = nil
        defer { shared[list.first] = values }
        if !values.isRead { values.read(list, self) }
        for variable in flagVariables.range where isFirst(variable, among: flagVariables, map) {
            if values.hasInvalid(of: variable, self) { return true }
        }
        return false
    }

    /// Whether no earlier variable has the same id; the first one counts.
    private func isFirst(_ variable: Int, among flagVariables: Rows, _ map: SymbolMap?) -> Bool {
        let id = tables.variables[variable].id
        if let map { return map[id] == variable }
        return !flagVariables.range.contains { $0 < variable && tables.variables[$0].id == id }
    }

    private func hasInvalidOverride(rule: Int, _ flagVariables: Rows, _ map: SymbolMap?) -> Bool {
        for variation in tables.rules[rule].variations.range {
            for row in tables.variations[variation].overrides.range {
                let id = tables.overrides[row].variableID
                var variable = map?[id]
                if map == nil {
                    variable = flagVariables.range.first { tables.variables[$0].id == id }
                }
                if let variable, !accepts(tables.overrides[row].value, variable) { return true }
            }
        }
        return false
    }

    /// Whether a string is a value of a variable's type.
    fileprivate func accepts(_ value: Symbol, _ variable: Int) -> Bool {
        tables.variables[variable].type.accepts(tables.symbols.text(value))
    }

    // MARK: Rules of several flags

    /// Empty lists of overrides for rollouts and experiments that more than one flag has, by their first rules.
    ///
    /// Most datafiles have none. Scanning the rules of each flag takes linear time only if they are not shared.
    private mutating func sharedRules() -> [Int32: SharedOverrides] {
        var shared: [Int32: SharedOverrides] = [:]
        for flag in tables.flags where flag.rollout >= 0 {
            guard let rule = tables.rollouts[Int(flag.rollout)].rules.range.first else { continue }
            if tables.rules[rule].isInFlag { shared[Int32(rule)] = SharedOverrides() }
            tables.rules[rule].isInFlag = true
        }
        for rule in tables.flagExperimentRows {
            if tables.rules[Int(rule)].isInFlag { shared[rule] = SharedOverrides() }
            tables.rules[Int(rule)].isInFlag = true
        }
        return shared
    }
}

/// The variable values in a list of rules that several flags share.
private struct SharedOverrides {
    private var valuesByID: [Symbol: [Symbol]] = [:]
    private(set) var isRead = false
    /// Whether a variable has a value that is not of a given type.
    private var verdicts: [VariableType: Bool] = [:]

    private struct VariableType: Hashable {
        let id: Symbol
        let type: Variable.ValueType
    }

    mutating func read(_ list: Rows, _ builder: borrowing DatafileBuilder) {
        isRead = true
        for rule in list.range {
            for variation in builder.tables.rules[rule].variations.range {
                for row in builder.tables.variations[variation].overrides.range {
                    let id = builder.tables.overrides[row].variableID
                    valuesByID[id, default: []].append(builder.tables.overrides[row].value)
                }
            }
        }
    }

    /// Whether any value for a variable's id is not of the variable's type.
    mutating func hasInvalid(of variable: Int, _ builder: borrowing DatafileBuilder) -> Bool {
        let id = builder.tables.variables[variable].id
        guard let values = valuesByID[id] else { return false }
        let variableType = VariableType(id: id, type: builder.tables.variables[variable].type)
        if let verdict = verdicts[variableType] { return verdict }
        let verdict = values.contains { !builder.accepts($0, variable) }
        verdicts[variableType] = verdict
        return verdict
    }
}
