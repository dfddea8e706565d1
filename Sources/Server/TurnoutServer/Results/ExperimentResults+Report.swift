package import TurnoutReports
import TurnoutStatistics

extension ExperimentResults {
    /// The results for people: the verdict first. Welch's test, which is valid for one look only, is shown on request.
    package func report(showsFixedHorizon: Bool = false) -> Report {
        var report = Report()
        report.sections = [head]
        guard arms.contains(where: { $0.visitors > 0 }) || !leftOut.isEmpty else { return report }
        report.sections.append(visitorsSection)
        if state == .ratioIsOff { report.sections.append(sourcesSection) }
        if ![.notEnough, .ratioIsOff, .oneArm, .noMetric].contains(state) {
            report.sections += metricsSections(showsFixedHorizon)
        }
        if !leftOut.isEmpty || metrics.contains(where: \.leavesOut) { report.sections.append(leftOutSection) }
        return report
    }

    private var head: Report.Section {
        let place = [experiment.flag.map { "flag \($0)" }, experiment.environment].compactMap(\.self)
        var facts = ["\(experiment.key), \(place.joined(separator: ", "))"]
        facts.append(stage)
        if let lastDay { facts.append("exposures up to \(Timestamp.dateText(lastDay))") }
        if let computed {
            let time = Timestamp.text(computed)
            facts.append("as of \(time.prefix(10)) \(time.dropFirst(11).prefix(5)) UTC")
        }
        let size =
            experiment.isPlanned
            ? "Planned for \(experiment.plannedVisitors.grouped) visitors."
            : "It has no plan: intervals are narrowest at \(experiment.plannedVisitors.grouped) visitors."
        let end = experiment.finalSince.map { Timestamp.dateText($0 / 86_400_000) }.map { date in
            isFinal
                ? " Final since \(date): nothing changes it any more."
                : " Final on \(date); until then, events that arrive late can change it."
        }
        var lines: [Report.Block] = [
            .line(.init(texts: [.init(verdict, state.style)], hang: 0)),
            .line(.init(texts: [.init(facts.joined(separator: "; ") + ". " + size + (end ?? ""), .dim)], hang: 0)),
        ]
        if let note { lines.append(.sentence(note.asSentence, .yellow, hang: 0)) }
        return Report.Section(nil, lines)
    }

    private var stage: String {
        if experiment.isRunning { return "running" }
        return experiment.stop.map { "stopped on \(Timestamp.dateText($0 / 86_400_000))" } ?? "not running"
    }

    // MARK: Visitors

    private var visitorsSection: Report.Section {
        var table = ReportTable([
            .init("Arm"), .init("Visitors", .right), .init("Share", .right), .init("Planned", .right),
        ])
        let total = Double(max(1, arms.reduce(0) { $0 + $1.visitors }))
        let format = NumberFormat(.percent, resolution: 0.001)
        for (place, arm) in arms.enumerated() {
            let planned = ratio?.periods.last.map { format.text($0.shares[place]) } ?? "–"
            table.append([
                .arm(arm.key, place), .init(arm.visitors.grouped), .init(format.text(Double(arm.visitors) / total)),
                .init(planned),
            ])
        }
        var blocks: [Report.Block] = [.table(table)]
        if let ratio { blocks += ratio.periods.map { .line(.init(texts: [text($0, of: ratio)], hang: 0)) } }
        let days = Set(arms.flatMap { $0.byDay.map(\.day) }).sorted()
        if let first = days.first, let last = days.last, days.count > 1 {
            let all = Array(first...last)
            let series = arms.enumerated().map { place, arm in
                LinePlot.Series(
                    arm.key, arm: place,
                    values: all.map { day in
                        Double(arm.byDay.last { $0.day <= day }?.visitors ?? 0)
                    })
            }
            blocks.append(.plot(LinePlot("Visitors by arm", days: all.map(Timestamp.dateText), series: series)))
        }
        return Report.Section("Visitors", .bold, blocks)
    }

    private func text(_ period: Ratio.Period, of ratio: Ratio) -> Report.Text {
        let since = ratio.periods.count > 1 ? "Split since \(Timestamp.dateText(period.since / 86_400_000)): " : ""
        let isOff = period.p < SampleRatioTest.alarm / Double(ratio.periods.count)
        let words =
            "\(since)\(period.visitors.map(\.grouped).joined(separator: ", ")) visitors; ratio test: "
            + "\(Self.pPhrase(period.p)) (chi-square: \(Self.pPhrase(period.chiSquareP)))"
        return .init(words + (isOff ? ", the ratio is off." : ", as planned."), isOff ? .red : .dim)
    }

    private var sourcesSection: Report.Section {
        var table = ReportTable([
            .init("Arm"), .init("Client"), .init("Version"), .init("Day"), .init("Visitors", .right),
        ])
        for source in sources {
            let place = arms.firstIndex { $0.key == source.variation } ?? 0
            table.append([
                .arm(source.variation, place), .init(source.client), .init(source.version),
                .init(Timestamp.dateText(source.day)), .init(source.visitors.grouped),
            ])
        }
        let advice = "Which client, version or day lacks an arm? Its exposures are lost."
        return Report.Section("Where exposures come from", .bold, [.table(table), .sentence(advice, hang: 0)])
    }

    // MARK: Metrics

    private func metricsSections(_ showsFixedHorizon: Bool) -> [Report.Section] {
        var table = ReportTable([
            .init("Metric"), .init("Arm"), .init("Mean", .right), .init("Against \(arms.first?.key ?? "")", .right),
            .init("p", .right), .init(""),
        ])
        var rows: [ForestPlot.Row] = []
        for metric in metrics {
            table.append(row(metric, arm: 0))
            for (index, comparison) in metric.comparisons.enumerated() {
                table.append(row(metric, arm: index + 1))
                guard let lift = comparison.lift else { continue }
                let state = state(of: comparison, by: metric)
                rows.append(.init(metric.name, arm: index + 1, .init(lift.value, from: lift.low, to: lift.high), state))
            }
        }
        var blocks: [Report.Block] = [.table(table)]
        if !rows.isEmpty { blocks.append(.plot(ForestPlot("Change against \(arms[0].key)", .percent, rows: rows))) }
        blocks += notes(showsFixedHorizon).map { .sentence($0, .dim, hang: 0) }
        let bands = primary.enumerated().compactMap { index, comparison -> Report.Block? in
            guard comparison.looks.count > 1 else { return nil }
            let points = (comparison.looks[0].day...(lastDay ?? 0)).map { day in
                let look = comparison.looks.last { $0.day <= day } ?? comparison.looks[0]
                return (
                    day: Timestamp.dateText(day),
                    estimate: TurnoutReports.Estimate(
                        look.effect.value, from: look.effect.low, to: look.effect.high)
                )
            }
            let title =
                "\(metrics[0].name): \(comparison.variation) \(comparison.isRelative ? "against" : "minus") "
                + "\(arms[0].key), day by day"
            let unit: NumberFormat.Unit = comparison.isRelative ? .percent : .number
            return .plot(BandPlot(title, unit, arm: index + 1, points: points))
        }
        let sections = [Report.Section("Metrics", .bold, blocks)]
        return bands.isEmpty ? sections : sections + [Report.Section("Over time", .bold, bands)]
    }

    private func row(_ metric: Metric, arm: Int) -> [Report.Text] {
        let mean = metric.means[arm].map { mean in
            let resolution = mean == 0 ? 1 : max(abs(mean), 1e-6) / 200
            return NumberFormat(metric.count == "unique" ? .percent : .number, resolution: resolution).text(mean)
        }
        let start: [Report.Text] = [
            .init(arm == 0 ? metric.name : "", metric.isPrimary ? .bold : nil), .arm(arms[arm].key, arm),
            .init(mean ?? "–"),
        ]
        guard arm > 0 else { return start }
        let comparison = metric.comparisons[arm - 1]
        let state = state(of: comparison, by: metric)
        return start + [
            .init(comparison.effectHasChanged ? "changed over time" : Self.text(comparison) ?? "–"),
            .init(comparison.adjustedP.map(Self.pText) ?? "–"),
            .init(
                comparison.p == nil ? "" : state.rawValue,
                state == .better ? .green : state == .worse ? .red : .dim),
        ]
    }

    private func state(of comparison: Comparison, by metric: Metric) -> ForestPlot.State {
        isBetter(comparison, by: metric).map { $0 ? .better : .worse } ?? .unclear
    }

    private func notes(_ showsFixedHorizon: Bool) -> [String] {
        let percent = NumberFormat(.percent, resolution: 0.001)
        let others = metrics.dropFirst().first.map { ", of the others \(percent.text($0.confidence))" } ?? ""
        var notes = [
            "Intervals and p-values may be looked at every day, and are adjusted for the number of comparisons: the "
                + "intervals of \(metrics[0].name) have a confidence of \(percent.text(metrics[0].confidence))"
                + "\(others). One that excludes zero is better or worse."
        ]
        if metrics.contains(where: { $0.count.hasPrefix("revenue") }) {
            notes.append("Revenue is in the smallest unit of the currency, such as cents.")
        }
        for metric in metrics {
            if let cap = metric.winsorised {
                let value = NumberFormat(.number, resolution: max(abs(cap.value), 1e-6) / 1_000).text(cap.value)
                notes.append(
                    "\(metric.name): more than \(value) counts as \(value) (\(cap.visitors.grouped("visitor")), above "
                        + "the \(cap.percentile) percentile).")
            }
            for comparison in metric.comparisons { notes += comparison.notes(metric.name, showsFixedHorizon) }
        }
        return notes
    }

    // MARK: Left out

    private var leftOutSection: Report.Section {
        var table = ReportTable([.init("Left out")] + arms.map { .init($0.key, .right) })
        for each in leftOut {
            table.append([.init(Self.words(each))] + each.counts.map { .init($0.grouped) })
        }
        for metric in metrics {
            for (words, counts) in [
                ("\(metric.name): visitors whose window has not passed", metric.unfinished),
                ("\(metric.name): conversions without a reliable time", metric.corrected),
            ] where counts.contains(where: { $0 > 0 }) {
                table.append([.init(words)] + counts.map { .init($0.grouped) })
            }
        }
        var blocks: [Report.Block] = [.table(table)]
        let crossed = leftOut.first { $0.reason == "crossed" }?.counts.reduce(0, +) ?? 0
        let total = arms.reduce(0) { $0 + $1.visitors } + crossed
        if crossed * 100 > total {
            let share = NumberFormat(.percent, resolution: 0.001).text(Double(crossed) / Double(max(total, 1)))
            blocks.append(
                .sentence(
                    "\(share) of the visitors got several arms: do ids change, for example by signing in?", .yellow,
                    hang: 0))
        }
        return Report.Section("Not counted", .bold, blocks)
    }

    private static func words(_ each: LeftOut) -> String {
        switch each.reason {
        case "forced": "visitors whose variation was forced"
        case "excluded": "visitors of results.exclude"
        case "bots": "visitors that are bots"
        case "crossed": "visitors who got several arms"
        case "correctedTime": "exposures without a reliable time"
        case "beforeStart": "exposures before the start"
        case "afterStop": "exposures after the stop"
        default: "\(each.unit): \(each.reason)"
        }
    }

    /// A p-value with two digits: `0.034`, `< 0.0001`.
    private static func pText(_ p: Double) -> String {
        p < 0.0001 ? "< 0.0001" : NumberFormat(.number, resolution: p < 0.1 ? p / 10 : 0.01).text(p)
    }

    fileprivate static func pPhrase(_ p: Double) -> String { (p < 0.0001 ? "p " : "p = ") + pText(p) }
}

extension ExperimentResults.State {
    /// The color of the verdict.
    var style: TextStyle {
        switch self {
        case .better: .green
        case .harmed, .ratioIsOff, .effectHasChanged: .red
        case .unavailable, .noData, .notEnough, .undecided, .noMetric, .oneArm: .yellow
        }
    }
}

extension ExperimentResults.Metric {
    fileprivate var leavesOut: Bool { (unfinished + corrected).contains { $0 > 0 } }
}

extension ExperimentResults.Comparison {
    fileprivate func notes(_ metric: String, _ showsFixedHorizon: Bool) -> [String] {
        var notes: [String] = []
        if let explainedVariance, let unadjustedLift {
            let percent = NumberFormat(.percent, resolution: 0.01)
            let format = NumberFormat(
                .percent, resolution: (unadjustedLift.high - unadjustedLift.low) / 20, isSigned: true)
            notes.append(
                "\(metric), \(variation): adjusted by the visitors' events before their exposure, which explain "
                    + "\(percent.text(explainedVariance)) of the variance; without, "
                    + "\(format.text(unadjustedLift.value)) "
                    + "(\(format.text(from: unadjustedLift.low, to: unadjustedLift.high)))."
            )
        }
        if let pBefore, pBefore < 0.001 {
            notes.append("\(metric), \(variation): the arms differed before the exposure. Do not trust this metric.")
        }
        if showsFixedHorizon, let fixedHorizonP {
            notes.append(
                "\(metric), \(variation): Welch's test, for one look only, has "
                    + "\(ExperimentResults.pPhrase(fixedHorizonP)).")
        }
        return notes
    }
}
