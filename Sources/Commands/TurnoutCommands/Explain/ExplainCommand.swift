import TurnoutEngine

/// `turnout explain`: how a decision came about.
struct ExplainCommand {
    static let syntax = CommandSyntax(
        name: "explain", summary: "Shows step by step why a user gets what they get.",
        discussion: """
            Prints everything that was tried for one flag, in order: forced decisions, holdouts, experiments and delivery \
            rules; the tree of each audience with what it expected, what the user has, and why an answer is unknown; the \
            bucket and the range it fell into; what would be remembered and sent.
            """,
        options: [
            UserArguments.datafile,
            .value("--flag", "KEY", "The flag to explain; without this option, all of them.").short("f").repeatable(),
            .value("--user", "ID", "The user to decide for.").short("u").required().orEmpty(),
            UserArguments.attribute, UserArguments.segment, UserArguments.profiles, UserArguments.options,
            .value("--output", "FORMAT", "A tree for people, or json for programs: one object per flag and line.")
                .short("o").oneOf("text", "json").byDefault("text"),
        ],
        examples: [
            .init("turnout explain --datafile shop.json --flag checkout --user ada", "One flag for one user."),
            .init(
                "turnout explain -d shop.json -f checkout -u ada -a app_version=3.2.0 -o json",
                "The same for a program, with an attribute."),
        ])

    private let project: Project
    private let flagKeys: [String]
    private let user: User
    private let profile: UserProfile
    private let options: DecideOptions
    private let isJSON: Bool

    init(_ arguments: ParsedArguments) throws {
        user = try UserArguments.user(arguments)
        options = UserArguments.decideOptions(arguments)
        isJSON = arguments["--output"] == "json"
        profile = try UserArguments.profiles(arguments)[user.id]
        project = try Project.load(arguments["--datafile"])
        let named = arguments.values("--flag")
        try project.checkFlags(named)
        flagKeys = named.isEmpty ? project.flags.map(\.key) : named
    }

    func run() throws -> Int32 {
        var isFirst = true
        for key in flagKeys {
            let trace = project.explain(key, for: user, remembering: profile, options: options)
            let gap = isFirst || isJSON ? "" : "\n"
            isFirst = false
            guard StandardStream.output.put(gap + (isJSON ? trace.json : trace.description) + "\n") else {
                throw CommandError("the explanation cannot be written", cure: "Is the disk full?")
            }
        }
        return 0
    }
}
