import TurnoutCommandIO
import TurnoutEngine

/// `turnout decide`: decides flags for users.
enum DecideCommand: Command {
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
            "turnout decide --datafile shop.json --user ada --attribute country=US": "Every flag for one user.",
            "turnout decide -d shop.json -f checkout --users users.ndjson > decisions.ndjson":
                "One flag for millions of users.",
        ],
        json: [
            "[].user, [].flag": "The user's id and the flag's key. With ndjson, each line is such an object.",
            "[].variation, [].rule": "Keys; null if there is none.",
            "[].enabled": "Whether the flag is on.",
            "[].variables": "The values by key.",
            "[].reasons": "With --options includeReasons, the messages that clients give as reasons.",
            "[].effects": "With --effects, the impression and the assignment; null for none.",
            "[].stage": "What decided: forced, holdout, bucketed, rollout, noRule and others.",
        ])

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let isOne = arguments.has("--user")
        guard isOne || arguments.has("--users") else { throw UsageError.missing(anyOf: ["--user ID", "--users FILE"]) }
        try arguments.exclude("--users", "--user", "--attribute", "--segment")
        try arguments.checkInputs(options: "--datafile", "--users")
        let user = isOne ? try UserArguments.user(arguments) : nil
        let format = DecisionFormat(
            name: arguments.value("--output") ?? (isOne ? "table" : "ndjson"), hasEffects: arguments.has("--effects"))
        let profiles = try StoredProfiles(arguments)
        let project = try await DatafileArguments.project(arguments)
        let decider = UserDecider(
            project: project, flagKeys: arguments.values("--flag"), profiles: profiles,
            options: UserArguments.decideOptions(arguments), format: format)
        try project.checkFlags(decider.flagKeys)
        guard let user else { return try await decider.decide(usersIn: arguments.value("--users") ?? "") }
        UnknownNames.warn(of: user, in: project)
        var output = DecisionOutput(format)
        decider.decide(user, profile: try profiles.profile(of: user.id), into: &output)
        try StandardStream.output.print(output.finished(for: Terminal(.output)), "the decisions")
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
