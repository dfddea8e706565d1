extension DatafileTables {
    /// Evaluating an audience must end soon, whatever the datafile says.
    private enum Limit {
        /// Nodes on the way down, all audiences together. Bounds the stack.
        static let depth = 1_000
        /// Conditions that one evaluation may visit, unless the datafile itself has more. Audiences that name audiences
        /// that name audiences could otherwise double the work with each level.
        static let work = 100_000
    }

    private enum Progress {
        case untouched, running
        case done(Extent)
    }

    /// How much work a condition is in the worst case.
    private struct Extent {
        var work = 1
        var depth = 1

        mutating func add(_ child: Extent) {
            work = work.addingReportingOverflow(child.work).overflow ? .max : work + child.work
            depth = max(depth, child.depth + 1)
        }
    }

    private mutating func isTooLarge(_ extent: Extent) -> Bool {
        extent.work > max(Limit.work, conditions.count) || extent.depth > Limit.depth
    }

    /// Resolves the ids in conditions, and cuts references that would make an evaluation endless.
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
        var progress = Array(repeating: Progress.untouched, count: audiences.count)
        for audience in audiences.indices { _ = measure(audience: audience, level: 0, &progress) }
        for rule in rules where rule.condition >= 0 {
            let root = Int(rule.condition)
            if isTooLarge(measure(root, level: 0, &progress)) { cut(root, id: rule.id) }
        }
        for row in conditions.indices { conditions[row].answer = Int32(answeringRow(row)) }
    }

    /// The extent of an audience, or nil: evaluating it from here might not end.
    private mutating func measure(audience: Int, level: Int, _ progress: inout [Progress]) -> Extent? {
        switch progress[audience] {
        case .running: return nil
        case .done(let extent): return extent.depth + level > Limit.depth ? nil : extent
        case .untouched:
            guard level < Limit.depth else { return nil }
            progress[audience] = .running
            let extent = measure(Int(audiences[audience].condition), level: level + 1, &progress)
            progress[audience] = .done(extent)
            return extent
        }
    }

    private mutating func measure(_ row: Int, level: Int, _ progress: inout [Progress]) -> Extent {
        var extent = Extent()
        if conditions[row].kind == .audience {
            let audience = Int(conditions[row].operand)
            guard let inner = measure(audience: audience, level: level + 1, &progress), !isTooLarge(inner) else {
                cut(row, id: audiences[audience].id)
                return extent
            }
            extent.add(inner)
        } else {
            var child = row + 1
            while child < conditions[row].end {
                extent.add(measure(child, level: level + 1, &progress))
                child = Int(conditions[child].end)
            }
        }
        return extent
    }

    /// Follows nodes that only pass on the answer of another. Endless references have been cut by now.
    private mutating func answeringRow(_ start: Int) -> Int {
        var row = start
        while true {
            switch conditions[row].kind {
            case .audience: row = Int(audiences[Int(conditions[row].operand)].condition)
            case .and, .or:
                let child = row + 1
                guard child < conditions[row].end, conditions[child].end == conditions[row].end else { return row }
                row = child
            default: return row
            }
        }
    }

    private mutating func cut(_ row: Int, id: Symbol) {
        conditions[row].kind = .endlessAudience
        conditions[row].operand = Int32(bitPattern: id.index)
    }
}
