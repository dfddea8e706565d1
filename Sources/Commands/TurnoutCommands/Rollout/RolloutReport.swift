import TurnoutCommandIO
import TurnoutRollouts

/// A report of a configuration, as text and tables.
struct RolloutReport {
    private let hasEdit: Bool
    private let hasColor: Bool
    private(set) var text = ""

    init(hasEdit: Bool, hasColor: Bool) {
        self.hasEdit = hasEdit
        self.hasColor = hasColor
    }

    mutating func write(_ name: String, _ count: RolloutCount) {
        line(name, .bold)
        let (before, after) = (Self.facts(count.before), Self.facts(count.after))
        if !hasEdit || before == after {
            line(before, .dim)
        } else {
            line("before: \(before)", .dim)
            line("after: \(after)", .dim)
        }
        if let users = Self.users(count) { line(users, .dim) }
        line("")
        text += hasEdit ? edited(count) : plain(count)
        line("")
        if hasEdit { writeMoves(count) }
    }

    /// Adds the warnings about a file.
    mutating func write(_ warnings: [RolloutWarning], in file: String) {
        guard !warnings.isEmpty else { return line("\(file): no warnings.", .green) }
        line("\(file): \(warnings.count.grouped("warning"))", .yellow)
        for warning in warnings { line("  \(warning)") }
    }

    // MARK: Tables

    private func plain(_ count: RolloutCount) -> String {
        var table = TextTable([
            .init("Variant"), .init("Share", .right), .init("Users", .right), .init("of all", .right),
        ])
        for name in names(count) {
            let users = count.usersBefore[name] ?? 0
            table.append([
                cell(name), .init(share(name, count.before)), .init(users.grouped), .init(percent(users, of: count)),
            ])
        }
        return table.text(hasColor: hasColor)
    }

    private func edited(_ count: RolloutCount) -> String {
        var table = TextTable([
            .init("Variant"), .init("Share", .right), .init("after", .right), .init("Users", .right),
            .init("after", .right), .init("New users", .right),
        ])
        for name in names(count) {
            table.append([
                cell(name), .init(share(name, count.before)), .init(share(name, count.after)),
                .init(percent(count.usersBefore[name] ?? 0, of: count)),
                .init(percent(count.usersAfter[name] ?? 0, of: count)),
                .init(percent(count.newUsers[name] ?? 0, of: count)),
            ])
        }
        return table.text(hasColor: hasColor)
    }

    private mutating func writeMoves(_ count: RolloutCount) {
        let total = count.movers.values.reduce(0) { $0 + $1.count }
        defer { line("") }
        guard total > 0 else { return line("None of \(count.users.grouped) users moves.", .green) }
        line("\(total.grouped) of \(count.users.grouped) users move:")
        line("")
        var table = TextTable([.init("From"), .init("To"), .init("Users", .right), .init("Whose draw is")])
        for (move, movers) in count.movers.sorted(by: { $0.value.count > $1.value.count }) {
            let draws = "\(movers.draws.lowerBound) to \(movers.draws.upperBound)"
            table.append([cell(move.from), cell(move.to), .init(movers.count.grouped), .init(draws, .dim)])
        }
        text += table.text(hasColor: hasColor)
    }

    // MARK: Pieces

    private mutating func line(_ line: String, _ style: TextStyle? = nil) {
        text += line.printable.styled(style, if: hasColor) + "\n"
    }

    /// The variants before and after the edit in order, and the default if any user gets it.
    private func names(_ count: RolloutCount) -> [String?] {
        let known = [count.before, count.after].compactMap { $0?.experiment?.variants.names }.joined()
        let getsDefault = [count.usersBefore, count.usersAfter, count.newUsers][..<(hasEdit ? 3 : 1)]
            .contains { $0[nil] != nil }
        return Set(known).sorted().map(Optional.some) + (getsDefault ? [nil] : [])
    }

    private func cell(_ name: String?) -> TextTable.Cell {
        name.map { TextTable.Cell($0, .cyan) } ?? TextTable.Cell("(the default)", .dim)
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
