import TurnoutCommandIO
import TurnoutEngine

// Words and numbers that all reports share.

extension ImpactSummary {
    /// `1,234 of 100,000 users (1.2 %) move.`
    var headline: String { sentence(movedUsers, "moves", "move") + "." }

    /// `datafile.json (revision 41) → new.json (revision 42)`
    var datafiles: String { "\(old.name) (revision \(old.revision)) → \(new.name) (revision \(new.revision))" }

    /// `1,234 of 100,000 users (1.2 %) move`, or `None of 100,000 users moves`.
    func sentence(_ users: Int, _ one: String, _ many: String) -> String {
        guard users > 0 else { return "None of \(self.users.grouped) users \(one)" }
        let interval = interval(users).map { ", 95 % interval \(ShareText.percent($0))" } ?? ""
        return "\(users.grouped) of \(self.users.grouped) users (\(ShareText.percent(share(users)))\(interval)) "
            + (users == 1 ? one : many)
    }

    /// The share of all users.
    func share(_ users: Int) -> Double { self.users == 0 ? 0 : Double(users) / Double(self.users) }
}

extension ImpactSummary.FlagImpact {
    /// The rows and columns of the matrix: variations before and after, those with most users first.
    var axes: (rows: [VariationState], columns: [VariationState]) {
        var (rows, columns) = ([VariationState](), [VariationState]())
        for cell in cells {
            if !rows.contains(cell.old) { rows.append(cell.old) }
            if !columns.contains(cell.new) { columns.append(cell.new) }
        }
        // Variations that are in both are in the same order, so that users that stay are on the diagonal.
        let both = rows.filter(columns.contains)
        return (both + rows.filter { !both.contains($0) }, both + columns.filter { !both.contains($0) })
    }

    /// The users in a cell of the matrix.
    package func users(from old: VariationState, to new: VariationState) -> Int {
        cells.first { $0.old == old && $0.new == new }?.users ?? 0
    }
}

extension VariationState {
    /// `one_page`, `control (off)`, or `–` for none.
    var label: String { variation.map { isEnabled ? $0 : $0 + " (off)" } ?? "–" }
}

extension FlagState {
    var label: String { VariationState(self).label }

    /// The key of the rule, `everyone else` for the generated key of that rule, or `–` for none.
    fileprivate var ruleLabel: String {
        guard let rule else { return "–" }
        return !isArm && Rule.isGenerated(rule, ofRule: ruleID ?? "") ? "everyone else" : rule
    }

    /// The label of an arm, with its id if the other arm has the same key.
    func arm(unlike other: FlagState) -> String {
        variation == other.variation ? "\(label) (id \(variationID ?? ""))" : label
    }
}

extension FlagChange {
    /// `one_page → control (off)`; of arms with the same key also the ids.
    var variationChange: String {
        kinds.contains(.crossing)
            ? "\(old.arm(unlike: new)) → \(new.arm(unlike: old))" : "\(old.label) → \(new.label)"
    }

    /// The rule, or both if they differ.
    var ruleChange: String {
        guard old.rule != new.rule else { return old.ruleLabel }
        guard old.ruleLabel != new.ruleLabel else { return "\(old.rule ?? "–") → \(new.rule ?? "–")" }
        return "\(old.ruleLabel) → \(new.ruleLabel)"
    }

    /// `on → off`, `title: "a" → "b"`.
    var valueChanges: [String] {
        let flip = old.isEnabled == new.isEnabled ? [] : [old.isEnabled ? "on → off" : "off → on"]
        return flip + variables.map { "\($0.key): \($0.old ?? "–") → \($0.new ?? "–")" }
    }
}
