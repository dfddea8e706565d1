import TurnoutReports
import TurnoutStatistics

extension ExperimentResults {
    /// Sets the state and the verdict from everything else.
    mutating func conclude() {
        state = currentState
        verdict = currentVerdict
        if [.harmed, .effectHasChanged, .better, .undecided].contains(state), !shortages.isEmpty {
            verdict += " Not enough data\(yet): \(shortages.joined(separator: ", "))."
        }
    }

    /// The comparisons by the primary metric.
    package var primary: [Comparison] { metrics.first?.comparisons ?? [] }

    /// Whether a comparison by the primary metric is for the better; nil if that is not certain.
    package func isBetter(_ comparison: Comparison, by metric: Metric) -> Bool? {
        comparison.isSignificant ? comparison.isIncrease != metric.decreaseIsBetter : nil
    }

    private var currentState: State {
        guard total > 0 else { return .noData }
        if ratio?.isOff == true { return .ratioIsOff }
        if arms.count < 2 { return .oneArm }
        if counted[0] < least || counted.dropFirst().allSatisfy({ $0 < least }) { return .notEnough }
        guard let metric = metrics.first else { return .noMetric }
        let better = primary.compactMap { isBetter($0, by: metric) }
        if better.contains(false) { return .harmed }
        if primary.contains(where: \.effectHasChanged) { return .effectHasChanged }
        if primary.allSatisfy({ $0.p == nil }) { return .noData }
        return better.isEmpty ? .undecided : .better
    }

    private var least: Int { MetricHistory.minimumVisitors }
    private var total: Int { arms.reduce(0) { $0 + $1.visitors } }
    /// The visitors of each arm that can be compared.
    private var counted: [Int] { metrics.first?.visitors ?? arms.map(\.visitors) }

    /// The arms that cannot be compared, the smallest first.
    private var shortages: [String] {
        let counted = counted
        let lacking = arms.indices.filter { counted[$0] < least }.sorted { counted[$0] < counted[$1] }
        return lacking.map { place in
            arms[place].visitors < least
                ? "\(arms[place].visitors) of \(least) visitors in \(arms[place].key)"
                : "\(counted[place]) of \(least) visitors in \(arms[place].key) whose window for \(metrics[0].name) "
                    + "has passed"
        }
    }

    private var control: String { arms.first?.key ?? "" }
    private var yet: String { experiment.isRunning ? " yet" : "" }

    private var currentVerdict: String {
        switch state {
        case .unavailable: return verdict
        case .noData where total == 0:
            return "No data\(yet): no client has reported a visitor of \(experiment.key)."
        case .noData where metrics[0].winsorised?.value == 0:
            return "No result: winsorising makes every visitor's \(metrics[0].name) 0. Choose a higher percentile."
        case .noData:
            let hasOthers = metrics.dropFirst().contains { $0.comparisons.contains { $0.p != nil } }
            return "No result\(yet) by \(metrics[0].name), the primary metric: it \(gap)."
                + (hasOthers ? " Other metrics have results." : "")
        case .oneArm: return "\(experiment.key) has one arm, so there is nothing to compare."
        case .notEnough: return "Not enough data\(yet): \(shortages[0])."
        case .ratioIsOff: return ratioVerdict
        case .noMetric: return "No metric says what \(experiment.key) measures: add `metrics` to it."
        case .effectHasChanged:
            let names = primary.filter(\.effectHasChanged).map(\.variation).joined(separator: " and ")
            return "The effect of \(names) has changed over time, so that no single number describes it: see the days "
                + "below."
        case .undecided: return undecidedVerdict
        case .better, .harmed: return decidedVerdict
        }
    }

    /// Why there is no comparison by the primary metric.
    private var gap: String {
        let metric = metrics[0]
        if metric.count.hasSuffix("_per_conversion") {
            return "needs \(Int(MetricHistory.minimumDenominator)) conversions in each arm, and not all the same"
        }
        guard Set(metric.means).count == 1 else { return "is the same for all visitors of an arm" }
        return "is \(metric.means[0] == 0 ? "0" : "the same") for all \(counted.reduce(0, +).grouped) visitors"
    }

    private var ratioVerdict: String {
        guard let period = ratio?.periods.min(by: { $0.p < $1.p }) else { return "" }
        let total = Double(period.visitors.reduce(0, +))
        let counts = arms.indices.map { place in
            let planned = Int((period.shares[place] * total).rounded())
            return "\(arms[place].key) has \(period.visitors[place].grouped("visitor")) instead of \(planned.grouped)"
        }
        return "These numbers cannot be trusted: \(counts.joined(separator: ", ")). Something loses visitors of an arm."
    }

    private var undecidedVerdict: String {
        let rest =
            daysToGo.map { " \($0.grouped("day")) to go to \(experiment.plannedVisitors.grouped) visitors." }
            ?? (experiment.isPlanned && total >= experiment.plannedVisitors ? " The planned size is reached." : "")
        let verb = experiment.isRunning ? "is shown yet" : "was shown"
        return "No difference from \(control) \(verb) by \(metrics[0].name)\(intervals(primary)).\(rest)"
    }

    private var decidedVerdict: String {
        let groups = [(false, "worse"), (true, "better")].map { wanted, word in
            (word: word, found: primary.filter { isBetter($0, by: metrics[0]) == wanted })
        }
        return groups.filter { !$0.found.isEmpty }.map { word, found in
            let names = found.map(\.variation).joined(separator: " and ")
            let verb = found.count == 1 ? "is" : "are"
            return "\(names) \(verb) \(word) than \(control) by \(metrics[0].name)\(intervals(found))."
        }.joined(separator: " ")
    }

    /// `: big +4.8 % (+1.2 to +8.4 %)`
    private func intervals(_ comparisons: [Comparison]) -> String {
        let texts = comparisons.compactMap { comparison in
            Self.text(comparison).map { comparisons.count > 1 ? "\(comparison.variation) \($0)" : $0 }
        }
        return texts.isEmpty ? "" : ": " + texts.joined(separator: ", ")
    }

    /// A lift, or else a difference, with its interval.
    static func text(_ comparison: Comparison) -> String? {
        guard let estimate = comparison.lift ?? comparison.difference else { return nil }
        let unit = comparison.lift == nil ? NumberFormat.Unit.number : .percent
        // An end that is not zero must not look like zero.
        let (width, end) = (estimate.high - estimate.low, max(estimate.low, -estimate.high))
        let format = NumberFormat(unit, resolution: min(width / 50, end > 0 ? end : width), isSigned: true)
        return "\(format.text(estimate.value)) (\(format.text(from: estimate.low, to: estimate.high)))"
    }
}
