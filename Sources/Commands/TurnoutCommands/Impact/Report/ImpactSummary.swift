import TurnoutEngine
import TurnoutReports

/// The result of a comparison, as reports show it.
package struct ImpactSummary: Sendable {
    /// The differences of one flag.
    package struct FlagImpact: Sendable {
        package let key: String
        /// The users that see something else.
        package let movedUsers: Int
        /// The users by variation before and after, including those whose decision is the same. Most users first.
        package let cells: [Cell]
        /// The users by kind of change. Most users first.
        package let changes: [Change]
    }

    /// A cell of a flag's matrix.
    package struct Cell: Sendable {
        package let old: VariationState
        package let new: VariationState
        package let users: Int
    }

    /// The users with the same change.
    package struct Change: Sendable {
        package let change: FlagChange
        package let users: Int
        package let examples: [String]
    }

    /// A user with telling changes.
    package struct Example: Sendable {
        package let userID: String
        package let changes: [(flagKey: String, change: FlagChange)]
        /// The changes without those that leave the variation as it is.
        package var tellingChanges: [(flagKey: String, change: FlagChange)] { changes.filter { $0.change.rank > 0 } }
    }

    /// The datafiles that were compared.
    package let old: (name: String, revision: String)
    package let new: (name: String, revision: String)
    /// How the users were found.
    package let source: String
    package let users: Int
    package let movedUsers: Int
    /// Whether the users represent a larger population.
    package let isSample: Bool
    package let addedFlags: [String]
    package let removedFlags: [String]
    /// The rules that differ and are not compared.
    package let notCompared: [String]
    /// The flags whose decisions differ, in the order of the datafiles.
    package let flags: [FlagImpact]
    package let examples: [Example]
    private let count: ImpactCount

    /// The number of users with a change of a kind.
    package func users(_ kind: ChangeKinds) -> Int { count.users(kind) }

    /// The interval of a share of users, or nil if the users are the whole population.
    func interval(_ users: Int) -> ClosedRange<Double>? {
        isSample ? WilsonInterval(users, of: self.users).range : nil
    }

    /// All changes of a kind, with the keys of their flags.
    func changes(_ kind: ChangeKinds) -> [(flagKey: String, change: Change)] {
        flags.flatMap { flag in flag.changes.filter { $0.change.kinds.contains(kind) }.map { (flag.key, $0) } }
    }
}

/// A variation with its state: on, off, or none at all.
package struct VariationState: Sendable, Hashable {
    /// The key of the variation, or nil for none.
    package let variation: String?
    package let isEnabled: Bool

    init(_ state: FlagState) { (variation, isEnabled) = (state.variation, state.isEnabled) }
}

// MARK: Summing up

extension ImpactSummary {
    package init(
        _ count: ImpactCount, of projects: ProjectPair, names: (old: String, new: String), source: String,
        isSample: Bool
    ) {
        old = (names.old, projects.old.revision)
        new = (names.new, projects.new.revision)
        (self.count, self.source, self.isSample) = (count, source, isSample)
        (users, movedUsers) = (count.users, count.movedUsers)
        (addedFlags, removedFlags) = (projects.addedFlags, projects.removedFlags)
        notCompared = projects.notCompared
        flags = zip(projects.flagKeys, count.flags).compactMap { FlagImpact(key: $0, $1) }
        examples = count.examples.examples.map { example in
            let changes = example.changes.map { flag, pair in
                (projects.flagKeys[flag], projects.change(pair, ofFlag: flag))
            }
            return Example(userID: example.userID, changes: changes)
        }
    }
}

extension ImpactSummary.FlagImpact {
    /// Sums up the pairs of a flag; nil if nothing differs.
    fileprivate init?(key: String, _ pairs: OutcomePairs) {
        guard pairs.kinds.contains(where: { !$0.isEmpty }) else { return nil }
        self.key = key
        // Pairs differ in details that reports do not show, such as the stage.
        var (changes, cells, examples) = ([FlagChange: Int](), [[VariationState]: Int](), [FlagChange: ExampleUsers]())
        var movedUsers = 0
        for (index, change) in pairs.changes.enumerated() {
            let users = pairs.users[index]
            cells[[VariationState(change.old), VariationState(change.new)], default: 0] += users
            guard !change.kinds.isEmpty else { continue }
            changes[change, default: 0] += users
            if !change.kinds.isDisjoint(with: .moved) { movedUsers += users }
            guard examples[change] != nil else {
                examples[change] = pairs.examples[index]
                continue
            }
            examples[change]?.add(contentsOf: pairs.examples[index])
        }
        self.movedUsers = movedUsers
        self.cells = cells.map { .init(old: $0[0], new: $0[1], users: $1) }
            .sorted { ($1.users, $0.sortKey) < ($0.users, $1.sortKey) }
        self.changes = changes.map { change, users in
            .init(change: change, users: users, examples: examples[change]?.examples.map(\.userID) ?? [])
        }
        .sorted { ($1.users, $0.sortKey) < ($0.users, $1.sortKey) }
    }
}

extension ImpactSummary.Cell {
    /// Makes the order of cells with as many users the same in each run.
    fileprivate var sortKey: String { "\(old.variation ?? "")\u{0}\(new.variation ?? "")\u{0}\(old.isEnabled)" }
}

extension ImpactSummary.Change {
    fileprivate var sortKey: String {
        let (old, new) = (change.old, change.new)
        return [old.variation, new.variation, old.ruleID, new.ruleID, old.variationID, new.variationID]
            .map { $0 ?? "" }.joined(separator: "\u{0}") + "\(change.kinds.rawValue)"
    }
}

// Words and numbers that all reports share.

extension ImpactSummary {
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

/// The 95 % confidence interval of a share: the score interval.
///
/// It is accurate also for few users and for shares near 0 and 1, where the usual interval around the share is not.
///
/// Edwin B. Wilson: Probable Inference, the Law of Succession, and Statistical Inference. Journal of the American
/// Statistical Association 22 (1927), pages 209–212.
package struct WilsonInterval: Sendable, Equatable {
    /// The bounds, from 0 to 1.
    package let range: ClosedRange<Double>

    /// The 97.5 % quantile of the normal distribution.
    private static let quantile = 1.959963984540054

    /// Creates the interval of the share that `users` are of a sample.
    package init(_ users: Int, of sample: Int) {
        guard sample > 0 else {
            range = 0...1
            return
        }
        let (count, square) = (Double(sample), Self.quantile * Self.quantile)
        let share = Double(users) / count
        let center = (share + square / (2 * count)) / (1 + square / count)
        let deviation = (share * (1 - share) / count + square / (4 * count * count)).squareRoot()
        let width = Self.quantile * deviation / (1 + square / count)
        // The bounds of 0 and 1 are exact, not rounded.
        let lower = users == 0 ? 0 : max(center - width, 0)
        range = lower...(users == sample ? 1 : min(center + width, 1))
    }
}

enum ShareText {
    /// `12.3 %`, with more digits for less than one percent: `0.12 %`, `< 0.01 %`.
    static func percent(_ share: Double) -> String { number(share) + " %" }

    /// `12.1–12.5 %`.
    static func percent(_ range: ClosedRange<Double>) -> String {
        let (lower, upper) = (number(range.lowerBound), number(range.upperBound))
        return lower == upper ? lower + " %" : "\(lower)–\(upper) %"
    }

    private static func number(_ share: Double) -> String {
        let percent = share * 100
        if percent > 0, percent < 0.01 { return "<0.01" }
        if percent < 100, percent > 99.99 { return ">99.99" }
        let isFine = percent > 0 && (percent < 1 || percent > 99 && percent < 100)
        let unit = isFine ? 100 : 10
        let units = Int((percent * Double(unit)).rounded())
        let digits = String(units % unit)
        return "\(units / unit)." + (isFine && digits.count < 2 ? "0" : "") + digits
    }
}
