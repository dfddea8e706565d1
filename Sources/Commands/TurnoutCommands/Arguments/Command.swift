import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// A command of the tool.
protocol Command: SendableMetatype {
    /// Its name, options and help.
    static var syntax: CommandSyntax { get }

    /// Runs the command.
    ///
    /// - Returns: The exit code.
    /// - Throws: ``UsageError`` if the arguments contradict each other, ``CommandError`` if the command failed.
    static func run(_ arguments: ParsedArguments) async throws -> Int32
}

extension Command {
    /// The exit code of a command that did its work, and found what it checks for: a difference, a file that is out of
    /// date, a finding. Scripts can tell it from a failure, after which nothing is known.
    static var differenceExitCode: Int32 { 3 }

    /// The first argument without a name, which says what to do.
    @discardableResult
    static func checkAction(
        _ arguments: ParsedArguments, among actions: [String], _ expected: String
    ) throws(UsageError) -> String {
        let action = arguments.operands.first ?? ""
        if actions.contains(action) { return action }
        throw .invalidValue(
            option: "ACTION", value: action, expected: expected,
            nearest: Spelling.nearest(to: action, among: actions))
    }
}

/// The result of a command, as a sentence for people or as one JSON object for programs.
struct CommandResult {
    /// The option that chooses between both.
    static let option = CommandOption.value(
        "--output", "FORMAT", "text for people, or json for programs: one object."
    ).short("o").oneOf("text", "json").byDefault("text")

    /// Whether programs read the result.
    let isJSON: Bool

    init(_ arguments: ParsedArguments) { isJSON = arguments["--output"] == "json" }

    /// Prints the result. The stream is standard error if standard output has a file.
    func print(
        _ text: String, _ members: @autoclosure () -> [String: JSONValue], _ what: String = "the summary",
        to stream: StandardStream = .output
    ) throws(CommandError) {
        try stream.print(isJSON ? Self.json(members()) : text, what)
    }

    /// An object on one line.
    static func json(_ members: [String: JSONValue]) -> String { JSONValue.object(members).compactText + "\n" }
}

extension Report {
    /// The report, wrapped for a terminal.
    func text(for terminal: Terminal) -> String { text(width: terminal.lineWidth, hasColor: terminal.hasColor) }
}

extension JSONValue {
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}
