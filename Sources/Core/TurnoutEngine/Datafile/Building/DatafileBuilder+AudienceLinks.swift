extension DatafileBuilder {
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
