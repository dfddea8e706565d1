import TurnoutCommandIO
import TurnoutEngine

/// `turnout decide`: decides flags for users.
struct DecideCommand: Command {
    static let syntax = CommandSyntax(
        name: "decide", summary: "Decides flags for one user, or for a file of users.",
        discussion: """
            Decides like a client without a prediction service: contextual bandits are skipped. The flags of a user \
            share one profile: an assignment made for one flag counts for the flags after it.

            A file of users has one JSON object per line: \
            {"user": "ada", "attributes": {"country": "US"}, "segments": ["vip"], \
            "forcedDecisions": [{"flag": "f", "variation": "v"}]}. Only "user" is required; the others may be null. \
            Of equal names the first counts; unknown names are ignored. Empty lines are skipped. A line that cannot \
            be read is reported with its number and skipped, and the exit code is then 1. Attributes and segments \
            that the datafile does not know are named on standard error, because they have no effect.
            """,
        options: DatafileArguments.options + [
            .value("--flag", "KEY", "A flag to decide; without this option, all of them.").short("f").repeatable(),
            UserArguments.user,
            .value("--users", "FILE", "A file of users, one JSON object per line; - reads standard input."),
            UserArguments.attribute, UserArguments.segment, StoredProfiles.option, UserArguments.options,
            .toggle("--effects", "Include the events to send and the assignments to store (not in tables)."),
            .value(
                "--output", "FORMAT",
                "table for people, ndjson (one object per line) or json for programs. Without this option: table for "
                    + "one user, ndjson for many."
            ).short("o").oneOf("table", "json", "ndjson"),
        ],
        examples: [
            .init("turnout decide --datafile shop.json --user ada --attribute country=US", "Every flag for one user."),
            .init(
                "turnout decide -d shop.json -f checkout --users users.ndjson > decisions.ndjson",
                "One flag for millions of users."),
        ],
        json: [
            .init("[].user, [].flag", "The user's id and the flag's key. With ndjson, each line is such an object."),
            .init("[].variation, [].rule", "Keys; null if there is none."),
            .init("[].enabled", "Whether the flag is on."),
            .init("[].variables", "The values by key."),
            .init("[].reasons", "With --options includeReasons, the messages that clients give as reasons."),
            .init("[].effects", "With --effects, the impression and the assignment; null for none."),
            .init("[].stage", "What decided: forced, holdout, bucketed, rollout, noRule and others."),
        ])

    private let project: Project
    private let flagKeys: [String]
    private let user: User?
    private let usersFile: String
    private let profiles: StoredProfiles
    private let options: DecideOptions
    private let format: DecisionFormat

    init(_ arguments: ParsedArguments) async throws {
        let isOne = arguments.has("--user")
        guard isOne || arguments.has("--users") else { throw UsageError.missing(anyOf: ["--user ID", "--users FILE"]) }
        guard !isOne || !arguments.has("--users") else { throw UsageError.conflicting("--user", "--users") }
        if arguments.value("--datafile") == "-", arguments.value("--users") == "-" {
            throw UsageError.conflicting("--datafile -", "--users -")
        }
        for name in ["--attribute", "--segment"] where !isOne && arguments.has(name) {
            throw UsageError.conflicting(name, "--users")
        }
        user = isOne ? try UserArguments.user(arguments) : nil
        usersFile = arguments.value("--users") ?? ""
        options = UserArguments.decideOptions(arguments)
        format = DecisionFormat(
            name: arguments.value("--output") ?? (isOne ? "table" : "ndjson"), hasEffects: arguments.has("--effects"))
        profiles = try StoredProfiles(arguments)
        project = try await DatafileArguments.project(arguments)
        flagKeys = arguments.values("--flag")
        try project.checkFlags(flagKeys)
    }

    func run() async throws -> Int32 {
        let decider = UserDecider(
            project: project, flagKeys: flagKeys, profiles: profiles, options: options, format: format)
        if let user { UnknownNames.warn(of: user, in: project) }
        guard let user else {
            var stream = UserStream(usersFile, decider)
            return try await stream.run()
        }
        var output = decider.makeOutput()
        decider.decide(user, profile: try profiles.profile(of: user.id), into: &output)
        let text = output.finished(for: Terminal(.output))
        guard StandardStream.output.put(text) else { throw CommandError.unwritten("the decisions") }
        return 0
    }
}

enum DecisionFormat: Sendable {
    case table
    case json(hasEffects: Bool)
    case ndjson(hasEffects: Bool)

    init(name: String, hasEffects: Bool) {
        self =
            switch name {
            case "table": .table
            case "json": .json(hasEffects: hasEffects)
            default: .ndjson(hasEffects: hasEffects)
            }
    }
}
