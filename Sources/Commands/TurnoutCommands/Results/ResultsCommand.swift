import TurnoutClient
import TurnoutCommandIO
import TurnoutReports

#if Server
    import TurnoutServer
#endif

/// `turnout results`: what experiments have shown.
enum ResultsCommand: Command {
    static let syntax = CommandSyntax(
        name: "results", summary: "Says what experiments have shown: did it work, by how much.",
        discussion: """
            Reads the exposures and conversions that a server has processed, from its folder or through the server \
            itself. Without EXPERIMENT, prints one sentence for each experiment.

            The first exposure decides the arm of a visitor; conversions count from then on, until the experiment \
            stops; `results.days_after_stop` adds days. Visitors who got several arms are left out and counted, as are \
            bots, people on allow lists, those of `results.exclude`, and events whose time is not known.

            Intervals and p-values are always valid: looking every day does not make errors more likely. They are \
            narrowest at the size that `plan` in the project file names; see `turnout plan`. The guide "Can I trust \
            this number?" explains each sentence.
            """,
        operands: .init("[EXPERIMENT]", "The key of the experiment's rule, flag/rule, or its id.", count: 0...1),
        options: [
            .value(ServerPlace.data, "DIR", "The folder of the server."),
            .value(EngineCommand.address, "URL", "With --data: the engine that has the events of all servers.")
                .commaSeparated(),
            .value(ManagedServer.server, "URL", "The address of the running server, instead of --data."),
            .value(ManagedServer.token, "TOKEN", "The management token, instead of that in TURNOUT_TOKEN."),
            DatafileArguments.environment,
            .value("--output", "FORMAT", "text for people, json, an html page, or csv: the numbers of visitors.")
                .short("o").oneOf("text", "json", "html", "csv").byDefault("text"),
            .toggle("--fixed-horizon", "Show Welch's test, too, which is valid for one look at the planned end."),
            .toggle("--watch", "Print the text again every 5 seconds, until the program is interrupted."),
            .value("--fail-if", "STATE", "Exit with code 3 if a variation is worse, or if the ratio is off.")
                .oneOf("harmed", "ratio").repeatable(),
        ],
        examples: [
            "turnout results --data /var/lib/turnout": "One sentence for each experiment.",
            "turnout results checkout_test --server http://127.0.0.1:8080": "Everything about one.",
            "turnout results checkout_test --data data -o html > result.html": "A page to send to others.",
            "turnout results checkout_test --data data --fail-if harmed": "A check for a script.",
        ],
        json: [
            "experiment": "id, key, flag, environment, isRunning, start, stop, finalSince, plannedVisitors, "
                + "isPlanned.",
            "state":
                "noData, ratioIsOff, oneArm, notEnough, noMetric, harmed, effectHasChanged, better or undecided; in "
                + "the list also unavailable.",
            "verdict": "The result in one sentence.",
            "lastDay": "The UTC day of the last exposure, in days since 1970, as all days.",
            "daysToGo": "Until the planned size.",
            "arms[]": "The control first: key, id, visitors, byDay (day, visitors until then).",
            "ratio": "isOff; periods[] with since, shares (planned), visitors, p, chiSquareP.",
            "metrics[]":
                "name, event, count, isPrimary, decreaseIsBetter, confidence (of intervals), windowDays, winsorised; "
                + "by arm: means, visitors, unfinished (visitors), corrected (conversions).",
            "metrics[].comparisons[]":
                "Of each other arm: variation, difference and lift (value, low, high), isRelative (p and looks are of "
                + "the lift), p, adjustedP, isSignificant, isIncrease, effectHasChanged, explainedVariance, "
                + "unadjustedLift, pBefore, fixedHorizonP, fixedHorizon, looks[].",
            "leftOut[]": "reason, unit, counts by arm.",
            "note": "If events are missing: which, as in the list.",
            "sources[]": "If the ratio is off: visitors by variation, client, version and day.",
            "experiments[]":
                "Without EXPERIMENT: id, key, flag, environment, isRunning, visitors (missing if unavailable), state, "
                + "verdict.",
        ])

    #if Server
        static func run(_ arguments: ParsedArguments) async throws -> Int32 {
            let source = try ResultsSource(arguments)
            guard let name = arguments.operands.first else {
                for option in ["--watch", "--fail-if", "--fixed-horizon", "--environment"] where arguments.has(option) {
                    throw UsageError.missing(anyOf: ["EXPERIMENT, for \(option)"])
                }
                guard !["html", "csv"].contains(arguments["--output"]) else {
                    throw UsageError.missing(anyOf: ["EXPERIMENT, for --output \(arguments["--output"])"])
                }
                let summaries = try await source.summaries()
                let isJSON = arguments["--output"] == "json"
                let text = isJSON ? String(decoding: summaries.json, as: UTF8.self) : text(summaries.report)
                try StandardStream.output.print(text, "the results")
                return 0
            }
            for option in ["--fail-if", "--fixed-horizon"] {
                if arguments["--output"] == "csv", arguments.has(option) { throw UsageError.conflicting("csv", option) }
            }
            if arguments.has("--watch") { try arguments.exclude("--watch", "--fail-if") }
            guard arguments.has("--watch") else { return try await run(arguments, source, name) }
            let clear = Terminal(.output).isTerminal ? "\u{1B}[H\u{1B}[2J" : ""
            while true {
                _ = try await run(arguments, source, name, clear: clear)
                try await Task.sleep(for: .seconds(5))
            }
        }

        private static func run(
            _ arguments: ParsedArguments, _ source: ResultsSource, _ name: String, clear: String = ""
        ) async throws -> Int32 {
            let environment = arguments.value("--environment")
            let format = arguments["--output"]
            guard format != "csv" else {
                try StandardStream.output.print(try await source.distribution(of: name, environment), "the numbers")
                return 0
            }
            let results = try await source.results(of: name, environment)
            let report = results.report(showsFixedHorizon: arguments.has("--fixed-horizon"))
            let text =
                switch format {
                case "json": String(decoding: results.json, as: UTF8.self)
                case "html": report.html(title: results.experiment.key)
                default: text(report)
                }
            // Once the results are there: the screen is not empty while they are computed.
            try StandardStream.output.print(clear + text, "the results")
            let fails = arguments.values("--fail-if")
            let isBad =
                results.state == .harmed && fails.contains("harmed")
                || results.state == .ratioIsOff && fails.contains("ratio")
            return isBad ? 3 : 0
        }

        private static func text(_ report: Report) -> String {
            let terminal = Terminal(.output)
            return report.text(width: terminal.width, hasColor: terminal.hasColor)
        }
    #else
        static func run(_ arguments: ParsedArguments) async throws -> Int32 { throw CommandError.withoutServer }
    #endif
}
