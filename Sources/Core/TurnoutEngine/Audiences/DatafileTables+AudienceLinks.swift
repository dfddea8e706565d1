extension DatafileTables {
    /// Resolves the ids in conditions, and determines whether evaluations need a budget.
    mutating func linkAudiences() {
        audiencesByID = SymbolMap(expecting: audiences.count)
        for row in Array(typedAudienceRows.range) + Array(legacyAudienceRows.range) {
            let id = symbols.name(of: audiences[row].id)
            if audiencesByID[id] == nil { audiencesByID.set(id, row: row) }
        }
        for row in conditions.indices where conditions[row].kind == .audience {
            let id = symbols.name(of: Symbol(index: UInt32(bitPattern: conditions[row].operand)))
            if let audience = audiencesByID[id] {
                conditions[row].operand = Int32(audience)
            } else {
                conditions[row].kind = .missingAudience
            }
        }
        for row in audiences.indices { audiences[row].extent = extent(of: Int(audiences[row].condition)) }
        // Hardly any datafile has audiences that refer to audiences.
        let haveNames = audiences.contains { audience in
            (Int(audience.condition)..<Int(conditions[Int(audience.condition)].end)).contains {
                conditions[$0].kind == .audience
            }
        }
        audiencesNeedBudget = hasLargeRule() || haveNames && hasDeepOrRepeatedAudiences()
        for row in conditions.indices { conditions[row].answer = Int32(answeringRow(row)) }
    }

    /// Whether an evaluation might not terminate, or take too long.
    private mutating func hasDeepOrRepeatedAudiences() -> Bool {
        let totals = totalExtents()
        for audience in audiences.indices { audiences[audience].isEndless = totals[audience] == nil }
        guard !totals.contains(where: { $0?.isTooLarge ?? true }) else { return true }
        return rules.contains { rule in
            guard rule.condition >= 0 else { return false }
            let work = namedAudiences(Int(rule.condition)).reduce(0) { $0 + (totals[$1]?.rows ?? 0) }
            return work > LimitedBudget.rows
        }
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

    /// Whether a rule refers to so many audiences that evaluating all their conditions takes too long.
    private mutating func hasLargeRule() -> Bool {
        for rule in rules where rule.condition >= 0 {
            var extent = AudienceExtent()
            let root = Int(rule.condition)
            for row in root..<Int(conditions[root].end) where conditions[row].kind == .audience {
                extent.rows += audiences[Int(conditions[row].operand)].extent.rows
            }
            if extent.isTooLarge { return true }
        }
        return false
    }

    /// The extent of a tree, without the audiences it refers to.
    private mutating func extent(of root: Int) -> AudienceExtent {
        var extent = AudienceExtent(levels: 1, rows: Int(conditions[root].end) - root)
        var ends: [Int32] = []
        for row in root..<Int(conditions[root].end) {
            while let end = ends.last, end <= row { ends.removeLast() }
            ends.append(conditions[row].end)
            extent.levels = max(extent.levels, ends.count)
        }
        return extent
    }

    /// The audiences that a tree refers to, including repetitions.
    func namedAudiences(_ root: Int) -> [Int] {
        var named: [Int] = []
        for row in root..<Int(conditions[root].end) where conditions[row].kind == .audience {
            named.append(Int(conditions[row].operand))
        }
        return named
    }

    /// Follows nodes that only pass on another node's result.
    private mutating func answeringRow(_ start: Int) -> Int {
        var row = start
        while true {
            switch conditions[row].kind {
            case .audience:
                // With a budget, every audience must be entered to be counted.
                guard !audiencesNeedBudget else { return row }
                row = Int(audiences[Int(conditions[row].operand)].condition)
            case .and, .or:
                let child = row + 1
                guard child < conditions[row].end, conditions[child].end == conditions[row].end else { return row }
                row = child
            default: return row
            }
        }
    }
}
