import TurnoutCommandIO
import TurnoutEngine

/// `turnout replay`: decides again what a log of decisions says.
struct ReplayCommand: Command {
    static let syntax = CommandSyntax(
        name: "replay", summary: "Decides a log of decisions again, and shows every difference.",
        discussion: """
            A log has one JSON object per line; - reads standard input. Each line is one of:

              a decision as "turnout decide" prints it, or a decision notification:
                {"user": "ada", "attributes": {…}, "flagKey": "f", "enabled": true, …}
              a decision notification with its type, also of calls before decide:
                {"type": "flag", "userId": "ada", "attributes": {…},
                 "decisionInfo": {"flagKey": "f", "variationKey": "on", …}}
              events as clients send them:
                {"visitors": [{"visitor_id": "ada", "attributes": […],
                               "snapshots": [{"decisions": [{…}]}]}]}

            Names may be written in camel case or with underscores. The variation, the rule, on or off, their ids and \
            the variables are compared, as far as the log has them. Events lack attributes that the project does not \
            declare, and all logs lack segments and forced decisions: --users supplies them by user id, and \
            attributes where a line has none. Without --profiles, users have no stored assignments. Variations that a \
            prediction service chose cannot be decided again.

            The exit code is 0 if all decisions are equal, 3 if one is different, and otherwise 1 if a line is none \
            of these, or no decision can be compared.
            """,
        operands: .init("LOG", "The log; - reads standard input.", count: 1...1),
        options: DatafileArguments.options + [
            .value("--users", "FILE", "What the log lacks about users: a file as \"turnout decide\" reads it."),
            StoredProfiles.option,
            .toggle("--explain", "Show how each different decision is made now, step by step."),
            .value("--show", "N", "How many differences to show: the first ones.").byDefault("20"),
            .toggle("--all", "Show all differences."),
            .value("--output", "FORMAT", "text for people, or json for programs: one object.").short("o")
                .oneOf("text", "json").byDefault("text"),
        ],
        examples: [
            .init(
                "turnout decide -d shop.json --users users.ndjson > before.ndjson",
                "Before an upgrade: a log to compare with."),
            .init(
                "turnout replay before.ndjson -d shop.json --users users.ndjson",
                "After it: a regression test that fails if a decision is different."),
            .init(
                "turnout replay notifications.ndjson -d shop.json --explain",
                "A shadow comparison: the decisions that another SDK reports to its listeners."),
            .init("turnout replay events.ndjson -d new.json", "Impressions that were sent, with a new datafile."),
        ],
        json: [
            .init("differences[]", "The decisions that differ: line, user, and flag or experiment."),
            .init("differences[].parts[]", "part, its value in the log, and now."),
            .init("differences[].trace", "With --explain, the trace as `turnout explain` prints it."),
            .init("decided, equal, different", "Numbers of decisions."),
            .init("notComparable", "Numbers of decisions by the reason."),
            .init("unknownLines, firstUnknown", "Number of other lines; line and problem of the first."),
        ])

    private let log: String
    private let project: Project
    private let users: [String: User]
    private let profiles: StoredProfiles
    private let hasTraces: Bool
    private let limit: Int
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) async throws {
        log = arguments.operands[0]
        let inputs = [
            ("LOG", log), ("--datafile", arguments.value("--datafile")), ("--users", arguments.value("--users")),
        ]
        let standard = inputs.filter { $0.1 == "-" }.map { $0.0 + " -" }
        if standard.count > 1 { throw UsageError.conflicting(standard[0], standard[1]) }
        hasTraces = arguments.has("--explain")
        if arguments.has("--all"), arguments.has("--show") { throw UsageError.conflicting("--all", "--show") }
        let shown = try arguments.integer("--show", in: 0...1_000_000_000) ?? 20
        limit = arguments.has("--all") ? .max : shown
        isJSON = arguments["--output"] == "json"
        profiles = try StoredProfiles(arguments)
        project = try await DatafileArguments.project(arguments)
        let users = try arguments.value("--users").map { name throws(CommandError) in try User.all(in: name) } ?? []
        self.users = Dictionary(users.map { ($0.id, $0) }) { first, _ in first }
    }

    func run() async throws -> Int32 {
        let comparison = LogComparison(project, users: users, hasTraces: hasTraces)
        let report = ReplayReport(isJSON: isJSON, hasColor: Terminal(.output).hasColor)
        var run = ReplayRun(comparison, profiles, log: log, limit: limit, report: report)
        let count = try await run.run()
        guard count.decided > 0 else {
            let isUnknown = count.notComparable.isEmpty && count.unknownLines > 0
            throw CommandError(
                "no decision of the log can be compared",
                advice: (isUnknown
                    ? "No line has one of the formats that are read" : "If the log has no attributes, add --users FILE")
                    + "; \"turnout replay --help\" lists what is read.")
        }
        if count.different > 0 { return Self.differenceExitCode }
        return count.unknownLines == 0 ? 0 : 1
    }
}
