import TurnoutCommandIO
import TurnoutEngine
import TurnoutReports

/// `turnout impact`: says which users move when a datafile is replaced.
enum ImpactCommand: Command {
    static let syntax = CommandSyntax(
        name: "impact", summary: "Says which users move when a datafile is replaced by another.",
        discussion: """
            Decides every flag for every user with both datafiles, as "turnout decide" does, and counts the \
            differences exactly. Reported first are users that cross from one arm of an experiment to another arm, \
            because that spoils its results, and users that lose a stored assignment; then users that enter or leave \
            an experiment; then other values with the same variation.

            Users come from a file, or are generated: --attributes describes their attributes, and --like takes them \
            from real users. Without either, each attribute is missing, has a value that an audience compares \
            with, or has a value near one, all equally likely: each audience then has users, but the shares are not \
            those of your users. A description is a JSON object:

              {"attributes": {
                 "country": {"values": [{"value": "US", "weight": 3}, "DE"], "share": 0.9},
                 "orders": {"range": [0, 40]},
                 "app_version": {"versions": ["3.1.0", "3.2.0"]}},
               "segments": {"vip": 0.1}}

            share is the share of users with the attribute, by default 1. A range of whole numbers has whole numbers.

            A user moves if a flag's variation is another one, is on instead of off, or has other variables, or if the \
            user crosses. A flag that one of the datafiles lacks counts as off. Shares of generated users and of \
            a --sample have 95 % confidence intervals (Wilson, 1927). Only assignments in --profiles are kept: without \
            them, users are treated as new.

            Experiments without a flag are not compared, nor are the predictions of bandits; those that differ are \
            named.

            The exit code is 3 if --fail-on applies or something that differs was not compared, and 1 if a line of \
            the file was skipped.
            """,
        operands: .init(
            "OLD [NEW]",
            "The datafile that is replaced, and the one that replaces it; or project files with their locks beside "
                + "them. - reads standard input, with the lock of the current folder. A commit of git, such as main, "
                + "stands for the other file as it was there. With a commit, NEW may be left out: it is flags.yaml.",
            count: 1...2),
        options: [
            .value("--users", "FILE", "A file of users as \"turnout decide\" reads it; - reads standard input."),
            DatafileArguments.environment,
            .value("--population", "N", "Generate this many users: user-1, user-2, …").short("n").byDefault("100000"),
            .value("--attributes", "FILE", "A description of the attributes of generated users."),
            .value(
                "--like", "FILE",
                "A file of real users. Each generated user has the attributes and segments of one of them, except "
                    + "$opt_bucketing_id."),
            .value("--seed", "N", "Another number generates other users.").byDefault("1"),
            .toggle("--sample", "The users in --users are a random sample: add confidence intervals."),
            StoredProfiles.option,
            .value("--flag", "KEY", "A flag to compare; without this option, all of them.").short("f").repeatable(),
            .value(
                "--explain", "USER",
                "Show only this user's decisions, step by step with both datafiles: those that differ, or all."),
            .value("--examples", "N", "How many users to name for each change: those with the most changes.")
                .byDefault("5"),
            .value(
                "--output", "FORMAT",
                "text for people, json for programs, markdown for a comment on a pull request of less than 45,000 "
                    + "characters."
            ).short("o").oneOf("text", "json", "markdown").byDefault("text"),
            .value("--fail-on", "CHANGE", "Exit with code 3 if a user crosses, or if a user moves.")
                .oneOf("crossing", "moved"),
        ],
        examples: [
            "turnout impact main --environment production": "What the edit of flags.yaml does.",
            "turnout impact old.json new.json --users users.ndjson": "The users in a file.",
            "turnout impact old.json new.json --like users.ndjson --population 1000000": "A million users like these.",
            "turnout impact old.json new.json --users u.ndjson -o markdown --fail-on moved":
                "A check and a comment for a pull request.",
            "turnout impact old.json new.json --users users.ndjson --explain ada": "Why one user moves.",
        ],
        json: [
            "old, new": "file and revision of each datafile.",
            "source": "Where the users come from.",
            "users, isSample": "How many there are, and whether they are a sample: then shares have intervals.",
            "moved": "The users that move: users, share (0 to 1) and interval (two bounds).",
            "crossing, entering, leaving, variation, values, rule, lostAssignment":
                "The users with a change of this kind, likewise.",
            "flagsAdded, flagsRemoved": "Keys of flags.",
            "notCompared": "Experiments without a flag, and bandits, that differ but are not compared.",
            "flags[]": "The flags whose decisions differ: flag, moved, matrix and changes.",
            "flags[].matrix[]": "from and to (variation, enabled), users, share and interval.",
            "flags[].changes[]":
                "kinds; from and to (variation, variationID, enabled, rule, ruleID); variables (variable, from, to); "
                + "users, share, interval; examples: ids of users.",
            "examples[]":
                "The users with the most telling changes, those that cross first: user, and changes with their flag.",
        ])

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        try checkInputs(arguments)
        let files = try ComparedFile.pair(arguments.operands)
        let names = [files.old.title, files.new.title]
        let exampleLimit = try arguments.integer("--examples", in: 0...1_000) ?? 5
        let profiles = try StoredProfiles(arguments)
        let (old, new) = try Project.load(
            files.old, replacedBy: files.new, environment: arguments.value("--environment"))
        let flagKeys = arguments.values("--flag")
        try new.checkFlags(flagKeys.filter { old.flag($0) == nil })
        let projects = ProjectPair(old, new, flagKeys: flagKeys)
        let (users, source) = try ImpactUsers.described(by: arguments, for: projects)
        if let userID = arguments.value("--explain") {
            let user = try users.user(userID)
            UnknownNames.warn(of: user, in: projects.old, projects.new)
            let explanation = ImpactExplanation(projects, user: user, profile: try profiles.profile(of: user.id))
            let terminal = Terminal(.output)
            let report = explanation.report((names[0], names[1]), width: terminal.width)
            let text = report.text(width: terminal.width, hasColor: terminal.hasColor)
            try StandardStream.output.print(text, "the explanation")
            return 0
        }
        let run = ImpactRun(projects, profiles: profiles, exampleLimit: exampleLimit)
        let (count, badLineCount) = try await run.run(users)
        try check(count, badLineCount, source, projects)
        count.unknownNames.warn()
        let summary = ImpactSummary(
            count, of: projects, names: (names[0], names[1]), source: source,
            isSample: arguments.has("--sample") || !arguments.has("--users"))
        try StandardStream.output.print(text(of: summary, as: arguments["--output"]), "the report")
        guard badLineCount == 0 else { return CommandError.exitCode }
        return fails(summary, arguments.value("--fail-on")) ? differenceExitCode : 0
    }

    /// Throws if nothing was compared: a check of that must not pass.
    private static func check(
        _ count: ImpactCount, _ badLineCount: Int, _ source: String, _ projects: ProjectPair
    ) throws(CommandError) {
        guard count.users > 0 || badLineCount > 0 else {
            throw CommandError("there are no \(source)", advice: "Use another file, or leave --users out.")
        }
        guard !projects.flagKeys.isEmpty || !projects.notCompared.isEmpty else {
            throw CommandError("neither datafile has a flag, so nothing was compared")
        }
    }

    private static func fails(_ summary: ImpactSummary, _ failOn: String?) -> Bool {
        let users = failOn == "moved" ? summary.movedUsers : failOn == nil ? 0 : summary.users(.crossing)
        return users > 0 || !summary.notCompared.isEmpty
    }

    private static func checkInputs(_ arguments: ParsedArguments) throws(UsageError) {
        try arguments.exclude("--users", "--population", "--attributes", "--like", "--seed")
        try arguments.exclude("--attributes", "--like")
        if arguments.has("--explain"), let format = arguments.value("--output"), format != "text" {
            throw .conflicting("--explain", "--output \(format)")
        }
        try arguments.checkInputs(["OLD", "NEW"], options: "--users", "--attributes", "--like")
    }

    private static func text(of summary: ImpactSummary, as format: String) -> String {
        switch format {
        case "json": return summary.json
        case "markdown": return summary.markdown
        default:
            let terminal = Terminal(.output)
            return summary.report.text(width: terminal.width, hasColor: terminal.hasColor)
        }
    }
}
