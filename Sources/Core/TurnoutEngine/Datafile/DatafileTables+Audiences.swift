extension DatafileTables {
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
