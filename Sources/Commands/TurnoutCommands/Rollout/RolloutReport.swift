import TurnoutReports
import TurnoutRollouts

/// A report of a configuration: for each experiment the shares, and the users that move.
struct RolloutReport {
    private let hasEdit: Bool
    private(set) var report = Report()

    init(hasEdit: Bool) { self.hasEdit = hasEdit }

    mutating func add(_ name: String, _ count: RolloutCount) {
        let (before, after) = (Self.facts(count.before), Self.facts(count.after))
        let facts = !hasEdit || before == after ? [before] : ["before: \(before)", "after: \(after)"]
        let lines = facts + (Self.users(count).map { [$0] } ?? [])
        report.sections.append(Report.Section(name, .bold, lines.map { .sentence($0, .dim) }))
        report.sections.append(Report.Section(nil, [.table(hasEdit ? edited(count) : plain(count))]))
        if hasEdit { addMoves(count) }
    }

    /// Adds the warnings about files.
    mutating func add(_ files: [(name: String, warnings: [RolloutWarning])]) {
        let blocks = files.flatMap { name, warnings -> [Report.Block] in
            guard !warnings.isEmpty else { return [.sentence("\(name): no warnings.", .green)] }
            return [.sentence("\(name): \(warnings.count.grouped("warning"))", .yellow)]
                + warnings.map { .sentence("\($0)", depth: 1) }
        }
        report.sections.append(Report.Section(nil, blocks))
    }

    // MARK: Tables

    private func plain(_ count: RolloutCount) -> ReportTable {
        let columns: [ReportTable.Column] = ["Share", "Users", "of all"].map { .init($0, .right) }
        return ReportTable(
            [.init("Variant")] + columns,
            rows: names(count).map { name in
                let users = count.usersBefore[name] ?? 0
                return [
                    cell(name), .init(share(name, count.before)), .init(users.grouped),
                    .init(percent(users, of: count)),
                ]
            })
    }

    private func edited(_ count: RolloutCount) -> ReportTable {
        let columns: [ReportTable.Column] = ["Share", "after", "Users", "after", "New users"].map { .init($0, .right) }
        return ReportTable(
            [.init("Variant")] + columns,
            rows: names(count).map { name in
                [cell(name), .init(share(name, count.before)), .init(share(name, count.after))]
                    + [count.usersBefore, count.usersAfter, count.newUsers].map { users in
                        .init(percent(users[name] ?? 0, of: count))
                    }
            })
    }

    private mutating func addMoves(_ count: RolloutCount) {
        let total = count.movers.values.reduce(0) { $0 + $1.count }
        guard total > 0 else {
            let none = "None of \(count.users.grouped) users moves."
            return report.sections.append(Report.Section(nil, [.sentence(none, .green)]))
        }
        let moves = count.movers.sorted { $0.value.count > $1.value.count }.map { move, movers -> [Report.Text] in
            let draws = "\(movers.draws.lowerBound) to \(movers.draws.upperBound)"
            return [cell(move.from), cell(move.to), .init(movers.count.grouped), .init(draws, .dim)]
        }
        let table = ReportTable(
            [.init("From"), .init("To"), .init("Users", .right), .init("Whose draw is")], rows: moves)
        report.sections += [
            Report.Section("\(total.grouped) of \(count.users.grouped) users move:", nil),
            Report.Section(nil, [.table(table)]),
        ]
    }

    // MARK: Pieces

    /// The variants before and after the edit in order, and the default if any user gets it.
    private func names(_ count: RolloutCount) -> [String?] {
        let known = [count.before, count.after].compactMap { $0?.experiment?.variants.names }.joined()
        let getsDefault = [count.usersBefore, count.usersAfter, count.newUsers][..<(hasEdit ? 3 : 1)]
            .contains { $0[nil] != nil }
        return Set(known).sorted().map(Optional.some) + (getsDefault ? [nil] : [])
    }

    private func cell(_ name: String?) -> Report.Text {
        name.map { .init($0, .cyan) } ?? .init("(the default)", .dim)
    }

    private func share(_ name: String?, _ entry: RolloutCount.Entry?) -> String {
        name.flatMap { entry?.experiment?.variants.shares[$0] }.map(Self.percent) ?? "–"
    }

    private func percent(_ users: Int, of count: RolloutCount) -> String {
        Self.percent(Double(users) / Double(count.users))
    }

    private static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1_000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }

    private static func facts(_ entry: RolloutCount.Entry?) -> String {
        guard let entry else { return "not in the configuration" }
        guard let experiment = entry.experiment else { return "cannot be used, see the warnings" }
        let lists = [("countries", experiment.countries), ("languages", experiment.languages)]
        let filters = lists.compactMap { name, list in
            list.map { $0.isEmpty ? "no \(name)" : "\(name) \($0.sorted().joined(separator: ", "))" }
        }
        return ([experiment.isSticky ? "sticky" : "not sticky"] + filters).joined(separator: "; ")
    }

    /// The users that were simulated, with a hint if the edit changes filters; nil if there are no filters.
    private static func users(_ count: RolloutCount) -> String? {
        let sides = [count.before, count.after].compactMap { $0?.experiment }
        guard sides.contains(where: { $0.countries != nil || $0.languages != nil }) else { return nil }
        let user = "users: country \(count.user.country ?? "unknown"), language \(count.user.language ?? "unknown")"
        let isSame = Set(sides.map(\.countries)).count == 1 && Set(sides.map(\.languages)).count == 1
        return isSame ? user : user + "; the filters differ, try others with --country and --language"
    }
}
