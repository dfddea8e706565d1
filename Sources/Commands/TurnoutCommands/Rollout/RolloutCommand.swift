import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutRollouts

/// `turnout rollout`: the shares in a RolloutManager configuration, and the users that an edit moves.
enum RolloutCommand: Command {
    static let syntax = CommandSyntax(
        name: "rollout",
        summary: "Shows the shares that a RolloutManager configuration gives, and which users an edit moves.",
        discussion: """
            Draws a number for each of N simulated users, decides every experiment for them, and counts. With \
            --edited, the same users keep their draws and are decided again: the report shows the shares before and \
            after, which users move, and the shares of users that are new after the edit. All runs use the same draws.

            A configuration is a property list in XML or binary, or JSON. Problems in it are listed; an experiment \
            that cannot be read gives all users the default of the code.
            """,
        options: [
            .value("--config", "FILE", "The configuration; - reads standard input.").short("c").required(),
            .value("--edited", "FILE", "The configuration after an edit; - reads standard input."),
            .value("--users", "N", "How many users to draw, up to a million.").short("n").byDefault("10000"),
            .value("--experiment", "NAME", "Show only this experiment.").short("e").repeatable(),
            .value(
                "--country", "CODE",
                "The country of the users, such as US. Default: one that the filters before the edit admit."),
            .value(
                "--language", "CODE",
                "The language of the users, such as en. Default: one that the filters before the edit admit."),
        ],
        examples: [
            "turnout rollout --config rollout.plist --users 10000": "The shares of each experiment.",
            "turnout rollout --config rollout.plist --edited new.plist --users 10000":
                "What an edit changes, before it is uploaded.",
        ])

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        try arguments.checkInputs(options: "--config", "--edited")
        let users = try arguments.integer("--users", in: 1...1_000_000) ?? 10_000
        let before = try RolloutFile(arguments["--config"])
        let after = try arguments.value("--edited").map { name throws(CommandError) in try RolloutFile(name) }
        let all = Set(before.configuration.entries.keys).union(after?.configuration.entries.keys ?? [:].keys).sorted()
        for name in arguments.values("--experiment") where !all.contains(name) {
            throw CommandError(
                "the configuration has no experiment \"\(name)\"", advice: Spelling.suggestion(for: name, among: all))
        }
        var report = RolloutReport(hasEdit: after != nil)
        for name in arguments.has("--experiment") ? arguments.values("--experiment") : all {
            let count = RolloutCount(
                before: before.configuration.entries[name], after: after?.configuration.entries[name], users: users,
                country: arguments.value("--country"), language: arguments.value("--language"))
            report.add(name, count)
        }
        let files = [before, after].compactMap(\.self)
        report.add(files.map { ($0.name, $0.configuration.warnings) })
        try StandardStream.output.print(report.report.text(for: Terminal(.output)), "the report")
        return 0
    }
}

/// A configuration that a command line names.
private struct RolloutFile {
    let name: String
    let configuration: RolloutConfiguration

    init(_ name: String) throws(CommandError) {
        let file = try InputFile(name)
        self.name = file.name
        let contents = try file.readAll()
        do throws(RolloutConfigurationError) { configuration = try RolloutConfiguration(contents: contents) } catch {
            throw CommandError(
                "\(self.name): \(error)", advice: "Expected a property list or JSON: a dictionary of experiments.")
        }
    }
}
