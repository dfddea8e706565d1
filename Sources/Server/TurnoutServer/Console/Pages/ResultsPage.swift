import TurnoutClient
import TurnoutEngine
import TurnoutReports

/// What experiments have shown: a list of all, and the report of one.
struct ResultsPage: Sendable {
    static let path = Console.path + "experiments"
    /// The rows of a table.
    private static let rowLimit = 100

    let service: ResultsService
    /// The address of a spoke's hub; nil if the server has none.
    let hub: String?
    let wallClock: any WallClock

    /// What a spoke says, which has only a part of the events.
    private var hubPage: ConsolePage? {
        hub.map { hub in
            .problem(
                409, "The hub has the results", in: .experiments,
                HTML("This server is a spoke, and has only its own events. Open this page at its hub, \(hub)."))
        }
    }

    // MARK: The list

    /// An experiment with its results, or why there are none.
    private struct Row {
        let experiment: RecordedExperiment
        let path: String
        let results: ExperimentResults?
        let verdict: String

        /// What the experiment has shown, in a few words.
        var conclusion: String { ResultsPage.conclusion(results?.state) }

        /// Whether the same is given to everyone, bit by bit: nothing is compared.
        var isRollout: Bool {
            let kinds = [Rule.ExperimentType.featureRollout, .targetedDelivery].map(\.rawValue)
            return experiment.periods.last.map { kinds.contains($0.plan.kind) } ?? false
        }

        func matches(_ query: QueryParameters) -> Bool {
            let text = "\(experiment.flag ?? "") \(experiment.key)".lowercased()
            let words = (query["q"] ?? "").lowercased().split(separator: " ")
            let choices = [
                ("environment", experiment.environment), ("state", experiment.isRunning ? "running" : "not running"),
                ("conclusion", conclusion),
            ]
            return words.allSatisfy(text.contains)
                && choices.allSatisfy { name, value in [nil, "", value].contains(query[name]) }
        }
    }

    private static func conclusion(_ state: ExperimentResults.State?) -> String {
        switch state {
        case .better: "better"
        case .harmed: "worse"
        case .undecided: "no difference shown"
        case .ratioIsOff, .effectHasChanged: "not to be trusted"
        default: "no result"
        }
    }

    private static let conclusions = ["better", "worse", "no difference shown", "not to be trusted", "no result"]

    func list(_ request: ConsoleRequest) throws -> ConsolePage {
        if let hubPage { return hubPage }
        let all = try rows()
        let rows = all.filter { !$0.isRollout }
        let found = rows.filter { $0.matches(request.query) }
        let (running, others) = (found.filter(\.experiment.isRunning), found.filter { !$0.experiment.isRunning })
        var content: [HTML] = [.paragraph(Self.summary(rows), class: "lead")]
        if !rows.isEmpty { content.append(filters(rows, request.query)) }
        if !rows.isEmpty, found.isEmpty {
            content.append(.paragraph("No experiment is like that: change the filter, or clear it."))
        }
        let limit = request.query["all"] == "1" ? Int.max : Self.rowLimit
        if !running.isEmpty { content += [.heading("Running"), table(running.prefix(limit))] }
        for conclusion in Self.conclusions {
            let rows = others.filter { $0.conclusion == conclusion }
            if !rows.isEmpty { content += [.heading(HTML("Not running: \(conclusion)")), table(rows.prefix(limit))] }
        }
        if all.count > rows.count {
            content.append(
                .paragraph(
                    HTML("Left out, as they compare nothing: \((all.count - rows.count).grouped("rollout"))."),
                    class: "note"))
        }
        if found.count > limit {
            content.append(
                .paragraph(
                    HTML("Of each table, the first \(limit) are here. ")
                        + .link(HTML("All \(found.count.grouped)"), to: Self.path + "?all=1"), class: "note"))
        }
        return ConsolePage("Results", in: .experiments, content)
    }

    private func rows() throws -> [Row] {
        let all = try service.experiments()
        return try all.map { experiment in
            // A key means the latest experiment that has it.
            let isLatest = (try? all.named(experiment.key, in: experiment.environment).get().id) == experiment.id
            let name = (isLatest ? experiment.key : experiment.id).percentEncoded
            let path = "\(Self.path)/\(name)?environment=\(experiment.environment.percentEncoded)"
            do {
                let results = try service.results(of: experiment)
                return Row(experiment: experiment, path: path, results: results, verdict: results.verdict)
            } catch let error as ResultError {
                return Row(experiment: experiment, path: path, results: nil, verdict: "\(error)")
            }
        }
    }

    private static func summary(_ rows: [Row]) -> HTML {
        guard !rows.isEmpty else {
            return "No datafile with an experiment was served here. A rule with `experiment` in the project file "
                + "is one, and `turnout plan` says how many visitors it needs."
        }
        let running = rows.count(where: \.experiment.isRunning)
        return HTML("Running: \(running.grouped("experiment")). Not running: \((rows.count - running).grouped).")
    }

    private func filters(_ rows: [Row], _ query: QueryParameters) -> HTML {
        func choice(_ label: HTML, _ name: String, _ values: [String]) -> HTML {
            let choices = [(value: "", text: "any")] + values.map { (value: $0, text: $0) }
            return .field(label, .select(name, choices, query[name]))
        }
        let search = HTML.element("input", ["type": "search", "name": "q", "value": query["q"]])
        let environments = Set(rows.map(\.experiment.environment)).sorted()
        return .element(
            "form", ["class": "filters", "action": Self.path],
            .field("Search", search) + choice("State", "state", ["running", "not running"])
                + choice("Conclusion", "conclusion", Self.conclusions)
                + (environments.count > 1 ? choice("Environment", "environment", environments) : "")
                + .button("Filter", class: "quiet") + .clearing(query, at: Self.path))
    }

    private func table(_ rows: ArraySlice<Row>) -> HTML {
        .table(
            ["Experiment", "Result", "Visitors", "Ratio", "Time", "Environment"],
            rows.map { row in
                let flag = row.experiment.flag.map { HTML.element("br", [:]) + .element("small", "flag " + .name($0)) }
                let visitors = row.results?.arms.reduce(0) { $0 + $1.visitors } ?? 0
                let ratio = visitors == 0 ? nil : row.results?.ratio.map { $0.isOff ? "is off" : "as planned" }
                return [
                    .element("a", ["href": row.path], .name(row.experiment.key)) + (flag ?? ""),
                    .element("span", ["class": "verdict \(row.results?.state.style ?? .dim)"], HTML(row.verdict)),
                    HTML(row.results == nil ? "–" : visitors.grouped),
                    .element("span", ["class": ratio == "is off" ? "state worse" : "state"], HTML(ratio ?? "–")),
                    HTML(time(of: row)), .name(row.experiment.environment),
                ]
            }, numbers: [2])
    }

    /// How long an experiment has run; of one that ran before the server saw it, at least how long.
    private func time(of row: Row) -> String {
        let experiment = row.experiment
        let running = experiment.periods.first { $0.plan.status == RecordedExperiment.Plan.running }?.since
        let visited = row.results?.arms.compactMap(\.byDay.first?.day).min().map { $0 * 86_400_000 }
        guard let start = experiment.start ?? [running, visited].compactMap(\.self).min() else { return "never ran" }
        let span = Timestamp.span((experiment.stop ?? wallClock.millisecondsSince1970()) - start)
        return experiment.start == nil ? "\(span) or more" : span
    }

    // MARK: One experiment

    /// The report of an experiment, as `turnout results` prints it; or the same as a file.
    func report(_ request: ConsoleRequest) throws -> ConsolePage {
        if let hubPage { return hubPage }
        let (name, environment) = (request.parameters[0], request.query["environment"])
        let experiment: RecordedExperiment
        switch try service.experiments().named(name, in: environment) {
        case .success(let found): experiment = found
        case .failure(let problem):
            return .problem(
                problem.isAmbiguous ? 409 : 404, problem.isAmbiguous ? "Which one?" : "No such experiment",
                in: .experiments, HTML(problem.description.asSentence))
        }
        do {
            switch request.query["format"] {
            case "json": return .file(.json(200, try service.results(of: experiment).json), "\(experiment.key).json")
            case "csv":
                let csv = try service.distribution(of: experiment).csv(of: experiment)
                var response = ServerResponse.text(200, csv)
                response.headers["Content-Type"] = "text/csv; charset=utf-8"
                return .file(response, "\(experiment.key).csv")
            default: return page(experiment, try service.results(of: experiment), request)
            }
        } catch let error as ResultError {
            return .problem(503, experiment.key, in: .experiments, HTML("\(error)".asSentence))
        }
    }

    private func page(
        _ experiment: RecordedExperiment, _ results: ExperimentResults, _ request: ConsoleRequest
    ) -> ConsolePage {
        let path =
            "\(Self.path)/\(request.parameters[0].percentEncoded)?environment=\(experiment.environment.percentEncoded)"
        let files = HTML.element(
            "p", ["class": "actions"],
            .element("a", ["class": "action quiet", "href": path + "&format=csv"], "Visitors as CSV")
                + .element("a", ["class": "action quiet", "href": path + "&format=json"], "Results as JSON")
                + (experiment.flag.map {
                    .element("a", ["class": "action quiet", "href": FlagPage.path($0)], "The flag")
                }
                    ?? ""))
        let command = "turnout results \(experiment.flag.map { "\($0)/" } ?? "")\(experiment.key) --server ADDRESS"
        return ConsolePage(
            experiment.key, in: .experiments,
            [
                .element("div", ["class": "report"], results.report().content), files,
                .paragraph(
                    "The same on a terminal, with the address of this server: "
                        + .element("code", .name(command, limit: 200)), class: "note"),
            ])
    }
}
