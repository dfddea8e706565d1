import TurnoutCommandIO
import TurnoutEngine

/// `turnout explain`: explains a decision.
struct ExplainCommand: Command {
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
            .init("turnout explain --datafile shop.json --flag checkout --user ada", "One flag for one user."),
            .init(
                "turnout explain -d shop.json -f checkout -u ada -a app_version=3.2.0 -o json",
                "The same as JSON, with an attribute."),
        ],
        json: [
            .init("flag, user, variation, rule, enabled, variables, stage", "As in `turnout decide`."),
            .init("steps[]", "The steps in order: step, and key, id, status and checks of the rule."),
            .init(
                "steps[].checks[]", "check: audience with its condition, or bucket with bucketingId, bucket, range."),
            .init("reasons", "The messages that clients give as reasons."),
            .init("effects", "The impression that is sent, and the assignment that is stored; null for none."),
        ])

    private let project: Project
    private let flagKeys: [String]
    private let user: User
    private let profile: UserProfile
    private let options: DecideOptions
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) async throws {
        user = try Self.user(arguments)
        options = UserArguments.decideOptions(arguments)
        isJSON = arguments["--output"] == "json"
        profile = try StoredProfiles(arguments).profile(of: user.id)
        project = try await DatafileArguments.project(arguments)
        let named = arguments.values("--flag")
        try project.checkFlags(named)
        flagKeys = named.isEmpty ? project.flags.map(\.key) : named
    }

    private static func user(_ arguments: ParsedArguments) throws -> User {
        let named = try UserArguments.user(arguments)
        guard let file = arguments.value("--users") else { return named }
        for name in ["--attribute", "--segment"] where arguments.has(name) {
            throw UsageError.conflicting(name, "--users")
        }
        return try User.first(named.id, in: file)
    }

    func run() throws -> Int32 {
        UnknownNames.warn(of: user, in: project)
        var isFirst = true
        for key in flagKeys {
            let trace = project.explain(key, for: user, profile: profile, options: options)
            let gap = isFirst || isJSON ? "" : "\n"
            isFirst = false
            // Names from the datafile must not send control characters to the terminal.
            let tree = trace.description.split(separator: "\n").map { String($0).printable }.joined(separator: "\n")
            guard StandardStream.output.put(gap + (isJSON ? trace.json : tree) + "\n") else {
                throw CommandError.unwritten("the explanation")
            }
        }
        return 0
    }
}
