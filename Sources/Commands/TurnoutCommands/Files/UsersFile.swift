import TurnoutCommandIO
import TurnoutEngine

// Files with one user per line, read at once or for one user. `UserStream` and `ImpactRun` read files of any length.

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
