import TurnoutEngine
package import TurnoutReports

/// The verdicts of all experiments.
package struct ExperimentSummaries: Sendable, Decodable {
    package struct Summary: Sendable, Decodable {
        package var id: String
        package var key: String
        package var flag: String?
        package var environment: String
        package var isRunning: Bool
        /// Nil if they are not known, because the state is `unavailable`.
        package var visitors: Int?
        package var state: ExperimentResults.State
        package var verdict: String
    }

    package var experiments: [Summary]
    /// Which events are missing; nil if none are.
    package var note: String?

    package init(_ all: [ExperimentResults]) {
        experiments = all.map { results in
            Summary(
                id: results.experiment.id, key: results.experiment.key, flag: results.experiment.flag,
                environment: results.experiment.environment, isRunning: results.experiment.isRunning,
                visitors: results.state == .unavailable ? nil : results.arms.reduce(0) { $0 + $1.visitors },
                state: results.state, verdict: results.verdict)
        }
    }

    /// Reads what ``json`` writes.
    package init(json: [UInt8]) throws { self = try JSONValue(parsing: json).decoded(as: ExperimentSummaries.self) }

    /// The verdicts as one JSON object.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { json in
            if let note { json.member("note", note) }
            json.objects("experiments", experiments) { json, experiment in
                json.member("id", experiment.id)
                json.member("key", experiment.key)
                if let flag = experiment.flag { json.member("flag", flag) }
                json.member("environment", experiment.environment)
                json.member("isRunning", experiment.isRunning)
                if let visitors = experiment.visitors { json.member("visitors", visitors) }
                json.member("state", experiment.state.rawValue)
                json.member("verdict", experiment.verdict)
            }
        }
        writer.newline()
        return writer.bytes
    }

    /// The verdicts for people, those of each environment together.
    package var report: Report {
        guard !experiments.isEmpty else {
            return Report([.sentence("No datafile with an experiment was served here.", .yellow, hang: 0)])
        }
        var report = Report()
        report.sections = Dictionary(grouping: experiments, by: \.environment).sorted { $0.key < $1.key }.map {
            environment, experiments in
            var table = ReportTable([.init("Experiment"), .init("Visitors", .right), .init("Result")])
            for each in experiments {
                let name = (each.flag.map { "\($0)/" } ?? "") + each.key
                let visitors = each.visitors?.grouped ?? "–"
                table.append([.code(name), .init(visitors), .init(each.verdict, each.state.style)])
            }
            return Report.Section(environment, .bold, [.table(table)])
        }
        if let note { report.sections.append(.init(nil, [.sentence(note.asSentence, .yellow, hang: 0)])) }
        return report
    }
}
