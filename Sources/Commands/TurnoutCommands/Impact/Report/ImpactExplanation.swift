package import TurnoutEngine
package import TurnoutReports

/// One user's decisions with both datafiles, step by step.
package struct ImpactExplanation {
    private let user: User
    private let traces: [(old: DecisionTrace, new: DecisionTrace)]
    /// Whether a decision differs. If none does, all of them are explained.
    private let hasDifference: Bool

    /// From this width on, the steps of both datafiles are side by side.
    private static let leastWidth = 100

    /// Explains the flags whose decisions differ for the user, or all of them if none does.
    package init(_ projects: ProjectPair, user: User, profile: UserProfile) {
        self.user = user
        let all = projects.traces(for: user, profile: profile)
        let different = all.filter { !FlagChange(from: $0.old.decision, to: $0.new.decision).kinds.isEmpty }
        hasDifference = !different.isEmpty
        traces = hasDifference ? different : all
    }

    /// The explanations for a width.
    package func report(_ names: (old: String, new: String), width: Int) -> Report {
        var report = Report()
        if !hasDifference { report.sections.append(.init("No decision differs for \"\(user.id)\".", nil, hang: 0)) }
        report.sections += traces.map { old, new in
            let (old, new) = (old.lines, new.lines)
            func below(_ name: String, _ lines: [String]) -> [Report.Block] {
                [.sentence("\(name):", .bold, hang: 0), .tree(lines, depth: 1)]
            }
            guard old != new else { return .init(nil, below("\(names.old) and \(names.new)", new)) }
            return width < Self.leastWidth
                ? .init(nil, below(names.old, old) + below(names.new, new))
                : .init(nil, [.table(Self.beside((names.old, old), (names.new, new), half: (width - 2) / 2))])
        }
        return report
    }

    private static func beside(
        _ old: (name: String, lines: [String]), _ new: (name: String, lines: [String]), half: Int
    ) -> ReportTable {
        var table = ReportTable([old.name, new.name].map { .init($0, maximum: half, breaksWords: true) })
        for index in 0..<max(old.lines.count, new.lines.count) {
            let left = index < old.lines.count ? old.lines[index] : ""
            let right = index < new.lines.count ? new.lines[index] : ""
            let (before, after) = (left.branches(ofWidth: half), right.branches(ofWidth: half))
            for number in 0..<max(before.count, after.count) {
                table.append([
                    .init(number < before.count ? before[number] : "", left == right ? .dim : nil),
                    .init(number < after.count ? after[number] : "", left == right ? .dim : .yellow),
                ])
            }
        }
        return table
    }
}

extension DecisionTrace {
    /// The lines of the tree. Names from the datafile must not send control characters to the terminal.
    var lines: [String] { description.split(separator: "\n").map { String($0).printable } }
}
