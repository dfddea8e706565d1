import TurnoutCommandIO
import TurnoutEngine

/// `turnout replay`: decides again what a log of decisions says.
enum ReplayCommand: Command {
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
            CommandResult.option,
        ],
        examples: [
            "turnout decide -d shop.json --users users.ndjson > before.ndjson":
                "Before an upgrade: a log to compare with.",
            "turnout replay before.ndjson -d shop.json --users users.ndjson":
                "After it: a regression test that fails if a decision is different.",
            "turnout replay notifications.ndjson -d shop.json --explain":
                "A shadow comparison: the decisions that another SDK reports to its listeners.",
            "turnout replay events.ndjson -d new.json": "Impressions that were sent, with a new datafile.",
        ],
        json: [
            "differences[]": "The decisions that differ: line, user, and flag or experiment.",
            "differences[].parts[]": "part, its value in the log, and now.",
            "differences[].trace": "With --explain, the trace as `turnout explain` prints it.",
            "decided, equal, different": "Numbers of decisions.",
            "notComparable": "Numbers of decisions by the reason.",
            "unknownLines, firstUnknown": "Number of other lines; line and problem of the first.",
        ])

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        try arguments.checkInputs(["LOG"], options: "--datafile", "--users")
        try arguments.exclude("--all", "--show")
        let shown = try arguments.integer("--show", in: 0...1_000_000_000) ?? 20
        let report = ReplayReport(
            isJSON: CommandResult(arguments).isJSON, limit: arguments.has("--all") ? .max : shown,
            terminal: Terminal(.output))
        let profiles = try StoredProfiles(arguments)
        let project = try await DatafileArguments.project(arguments)
        let users = try arguments.value("--users").map { name throws(CommandError) in try User.all(in: name) } ?? []
        let comparison = LogComparison(
            project, users: Dictionary(users.map { ($0.id, $0) }) { first, _ in first },
            hasTraces: arguments.has("--explain"))
        let count = try await replay(arguments.operands[0], comparison, profiles, report)
        guard count.decided > 0 else {
            let isUnknown = count.notComparable.isEmpty && count.unknownLines > 0
            throw CommandError(
                "no decision of the log can be compared",
                advice: (isUnknown
                    ? "No line has one of the formats that are read" : "If the log has no attributes, add --users FILE")
                    + "; \"turnout replay --help\" lists what is read.")
        }
        if count.different > 0 { return differenceExitCode }
        return count.unknownLines == 0 ? 0 : 1
    }

    /// Decides a log of any length again on all cores, and writes differences in the order of its lines.
    private static func replay(
        _ log: String, _ comparison: LogComparison, _ profiles: StoredProfiles, _ report: ReplayReport
    ) async throws(CommandError) -> ReplayCount {
        // No progress line among differences on the same terminal.
        var run = try LineRun(log, of: "lines", showsProgress: !Terminal(.output).isTerminal)
        let (name, limit) = (run.name, report.limit)
        var (count, report) = (ReplayCount(), report)
        try put(report.start)
        try await run.run { piece in
            var replayed = ReplayedLines(limit: limit)
            let read = piece.forEachDecision(with: profiles) { decision, line, profile in
                replayed.add(comparison.compare(decision, profile: profile), at: line)
            } other: { line, error in
                replayed.count.add(unknownLine: line, error.message)
            }
            return (read, replayed)
        } _: { replayed, lineCount throws(CommandError) in
            for (line, difference) in replayed.differences.prefix(max(limit - count.different, 0)) {
                try put(report.text(of: difference, at: lineCount + line, in: name))
            }
            count.add(replayed.count, after: lineCount)
        }
        try put(report.end(count, in: name))
        return count
    }

    private static func put(_ text: String) throws(CommandError) {
        try StandardStream.output.print(text, "the differences")
    }
}

/// The counts of a replay.
struct ReplayCount: Sendable {
    var equal = 0
    var different = 0
    var notComparable: [String: Int] = [:]
    private(set) var unknownLines = 0
    /// The first line that is not recognized, with its number.
    private(set) var firstUnknown: (line: Int, problem: String)?

    var decided: Int { equal + different }

    mutating func add(unknownLine line: Int, _ problem: String) {
        unknownLines += 1
        if firstUnknown == nil { firstUnknown = (line, problem) }
    }

    /// Adds the counts of the lines that follow.
    mutating func add(_ other: ReplayCount, after lineCount: Int) {
        equal += other.equal
        different += other.different
        notComparable.merge(other.notComparable) { $0 + $1 }
        unknownLines += other.unknownLines
        if firstUnknown == nil { firstUnknown = other.firstUnknown.map { (lineCount + $0.line, $0.problem) } }
    }
}

/// A piece of lines that was decided again.
private struct ReplayedLines: Sendable {
    var count = ReplayCount()
    private(set) var differences: [(line: Int, difference: LogDifference)] = []
    /// The most differences to keep.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func add(_ result: LogComparison.Result, at line: Int) {
        switch result {
        case .equal: count.equal += 1
        case .notComparable(let reason): count.notComparable[reason, default: 0] += 1
        case .different(let difference):
            count.different += 1
            if differences.count < limit { differences.append((line, difference)) }
        }
    }
}

extension LineRun.Piece {
    /// Calls a function for each decision of a log with the number of the line and the user's stored assignments, and
    /// another one for each other line.
    fileprivate func forEachDecision(
        with profiles: StoredProfiles, _ body: (LoggedDecision, _ number: Int, UserProfile) -> Void,
        other: (_ number: Int, LogLineError) -> Void
    ) -> LineRun.Read {
        func pass(_ element: (decision: LoggedDecision, number: Int), _ profile: UserProfile) {
            body(element.decision, element.number, profile)
        }
        var read = LineRun.Read()
        var lookup = ProfileLookup<(decision: LoggedDecision, number: Int)>(in: profiles)
        read.lineCount = lines.forEachLine { number, line in
            do throws(LogLineError) {
                for decision in try LogLine.decisions(parsing: line) {
                    lookup.add((decision, number), userID: decision.userID, pass)
                }
            } catch { other(number, error) }
        }
        read.count = read.lineCount
        lookup.finish(pass)
        read.failure = lookup.failure
        return read
    }
}
