import TurnoutCommandIO
package import TurnoutEngine

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

    /// The explanations, wrapped at the width.
    package func text(_ names: (old: String, new: String), width: Int, hasColor: Bool) -> String {
        let none = hasDifference ? "" : "No decision differs for \"\(user.id)\".\n".printableLines
        let parts = traces.map { old, new in
            let (old, new) = (Self.lines(old), Self.lines(new))
            guard old != new else { return Self.below("\(names.old) and \(names.new)", new, width, hasColor) }
            return width < Self.leastWidth
                ? Self.below(names.old, old, width, hasColor) + Self.below(names.new, new, width, hasColor)
                : Self.beside((names.old, old), (names.new, new), width, hasColor)
        }
        return ([none] + parts).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private static func lines(_ trace: DecisionTrace) -> [String] {
        // Names from the datafile must not send control characters to the terminal.
        trace.description.split(separator: "\n").map { String($0).printable }
    }

    private static func below(_ name: String, _ lines: [String], _ width: Int, _ hasColor: Bool) -> String {
        let wrapped = lines.flatMap { $0.branches(ofWidth: width - 2) }
        return "\(name.printable):".styled(.bold, if: hasColor) + "\n" + wrapped.map { "  \($0)\n" }.joined()
    }

    private static func beside(
        _ old: (name: String, lines: [String]), _ new: (name: String, lines: [String]), _ width: Int, _ hasColor: Bool
    ) -> String {
        let half = (width - 2) / 2
        var table = TextTable([.init(old.name, maximum: half), .init(new.name, maximum: half)], overflow: .wrap)
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
        return table.text(width: width, hasColor: hasColor)
    }
}

extension String {
    /// The text without control characters except for line feeds.
    fileprivate var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }

    /// Wraps a line of a tree to a width. Continuation lines are indented like the children of the line, beside the
    /// branches of the tree.
    fileprivate func branches(ofWidth width: Int) -> [String] {
        let lead = prefix { "│├└─ ".contains($0) }
        let margin = lead.reduce(into: "") { $0.append($1 == "│" || $1 == "├" ? "│" : " ") }
        return lines(ofWidth: width, margin: margin + (lead.isEmpty ? "  " : "   "))
    }
}
