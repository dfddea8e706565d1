import TurnoutCommandIO
import TurnoutEngine

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
        _ text: String, _ members: [String: JSONValue], _ what: String = "the summary",
        to stream: StandardStream = .output
    ) throws(CommandError) {
        guard stream.put(isJSON ? Self.json(members) : text) else { throw .unwritten(what) }
    }

    private static func json(_ members: [String: JSONValue]) -> String {
        var writer = JSONWriter()
        writer.value(.object(members))
        writer.newline()
        return writer.text
    }
}

extension JSONValue {
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}
