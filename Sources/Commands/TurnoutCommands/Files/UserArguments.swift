import TurnoutEngine

/// The options for the user and the datafile, which several commands share.
enum UserArguments {
    static let datafile = CommandOption.value("--datafile", "FILE", "The datafile; - reads standard input.")
        .short("d").required()
    static let user = CommandOption.value("--user", "ID", "The user to decide for.").short("u").orEmpty()
    static let attribute = CommandOption.value(
        "--attribute", "NAME=VALUE",
        "An attribute of the user. VALUE is a number, true, false or null if it looks like one, otherwise text; "
            + "to force a text, write 'NAME=\"VALUE\"'."
    )
    .short("a").repeatable()
    static let segment = CommandOption.value("--segment", "NAME", "A segment the user belongs to.").repeatable()
    static let options = CommandOption.value(
        "--options", "NAME,...", "Decide options."
    )
    .commaSeparated().oneOf(DecideOptions.named.map(\.key))

    /// The user that the command line describes.
    static func user(_ arguments: ParsedArguments) throws(UsageError) -> User {
        var attributes = Attributes()
        for (name, text) in try arguments.pairs("--attribute") {
            guard attributes[name] == nil else { throw .repeatedOption("--attribute " + name) }
            attributes[name] = value(text)
        }
        var user = User(arguments.value("--user") ?? "", attributes: attributes)
        user.segments = Set(arguments.values("--segment"))
        return user
    }

    /// The value that a text looks like: a JSON number, Boolean, null or quoted string, or else the text itself.
    private static func value(_ text: String) -> AttributeValue {
        switch try? JSONValue(parsing: text) {
        case .array, .object, nil: .string(text)
        case let value?: AttributeValue(value)
        }
    }

    static func decideOptions(_ arguments: ParsedArguments) -> DecideOptions {
        DecideOptions(names: arguments.values("--options"))
    }
}
