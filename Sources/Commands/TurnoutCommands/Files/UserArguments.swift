import TurnoutCommandIO
import TurnoutEngine

/// The options for the user, which several commands share.
enum UserArguments {
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
            attributes[name] = AttributeValue(typed: text)
        }
        var user = User(arguments.value("--user") ?? "", attributes: attributes)
        user.segments = Set(arguments.values("--segment"))
        return user
    }

    static func decideOptions(_ arguments: ParsedArguments) -> DecideOptions {
        DecideOptions(names: arguments.values("--options"))
    }
}

// Files with one user per line, read at once or for one user. `LineRun` reads files of any length.

extension User {
    /// The first user with an id in a file of users.
    static func first(_ id: String, in name: String) throws(CommandError) -> User {
        var file = try LineFile(name)
        var (found, lineCount) = (User?.none, 0)
        while found == nil, let lines = try file.next(after: lineCount) {
            lineCount += lines.forEachLine { _, line in
                guard found == nil, let user = try? User(parsing: line), user.id == id else { return }
                found = user
            }
        }
        guard let found else {
            throw CommandError(
                "\(name): no line for the user \"\(id)\"", advice: "Check the spelling of the user's id.")
        }
        return found
    }

    /// All users in a file of users.
    static func all(in name: String) throws(CommandError) -> [User] {
        var file = try LineFile(name)
        var (users, lineCount) = ([User](), 0)
        while let lines = try file.next(after: lineCount) {
            var badLine: BadLine?
            let count = lines.forEachLine { number, line in
                do throws(JSONError) { users.append(try User(parsing: line)) } catch {
                    badLine = badLine ?? BadLine(number: number, error: error)
                }
            }
            if let badLine {
                throw CommandError(
                    badLine.place(in: file.name, after: lineCount),
                    advice: "The file needs one JSON object per line; \"turnout decide --help\" shows one.")
            }
            lineCount += count
        }
        return users
    }
}
