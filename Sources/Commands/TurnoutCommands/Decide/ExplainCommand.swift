import TurnoutCommandIO
import TurnoutEngine
import TurnoutReports

/// `turnout explain`: explains a decision.
enum ExplainCommand: Command {
    static let syntax = CommandSyntax(
        name: "explain", summary: "Explains a user's decisions step by step.",
        discussion: """
            Prints all steps of the decision for one flag, in order: forced decisions, holdouts, experiments and \
            rollout rules; the tree of each audience with expected and actual values, and why an answer is \
            unknown; the bucket and its range; the assignments to store and the events to send.

            With --users, attributes, segments and forced decisions are those of the file's first line for the user. \
            Attributes and segments that the datafile does not know are named on standard error, because they have no \
            effect.
            """,
        options: DatafileArguments.options + [
            .value("--flag", "KEY", "The flag to explain; without this option, all of them.").short("f").repeatable(),
            .value("--user", "ID", "The user to decide for.").short("u").required().orEmpty(),
            .value("--users", "FILE", "Take the user from this file, as \"turnout decide\" reads it."),
            UserArguments.attribute, UserArguments.segment, StoredProfiles.option, UserArguments.options,
            .value("--output", "FORMAT", "A tree for people, or json for programs: one object per flag and line.")
                .short("o").oneOf("text", "json").byDefault("text"),
        ],
        examples: [
            "turnout explain --datafile shop.json --flag checkout --user ada": "One flag for one user.",
            "turnout explain -d shop.json -f checkout -u ada -a app_version=3.2.0 -o json":
                "The same as JSON, with an attribute.",
        ],
        json: [
            "flag, user, variation, rule, enabled, variables, stage": "As in `turnout decide`.",
            "steps[]": "The steps in order: step, and key, id, status and checks of the rule.",
            "steps[].checks[]": "check: audience with its condition, or bucket with bucketingId, bucket, range.",
            "reasons": "The messages that clients give as reasons.",
            "effects": "The impression that is sent, and the assignment that is stored; null for none.",
        ])

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        try arguments.checkInputs(options: "--datafile", "--users")
        try arguments.exclude("--users", "--attribute", "--segment")
        var user = try UserArguments.user(arguments)
        if let file = arguments.value("--users") { user = try User.first(user.id, in: file) }
        let profile = try StoredProfiles(arguments).profile(of: user.id)
        let project = try await DatafileArguments.project(arguments)
        let named = arguments.values("--flag")
        try project.checkFlags(named)
        UnknownNames.warn(of: user, in: project)
        let options = UserArguments.decideOptions(arguments)
        for (index, key) in (named.isEmpty ? project.flags.map(\.key) : named).enumerated() {
            let trace = project.explain(key, for: user, profile: profile, options: options)
            var text = trace.json + "\n"
            if arguments["--output"] == "text" {
                let report = Report([.tree(trace.lines, depth: 0)])
                text = (index == 0 ? "" : "\n") + report.text(for: Terminal(.output))
            }
            try StandardStream.output.print(text, "the explanation")
        }
        return 0
    }
}
