import TurnoutFlags
import TurnoutReports

/// A mistake in a command line, and how to fix it.
package enum UsageError: Error, Sendable, Equatable {
    case unknownCommand(String, nearest: String?)
    case unknownOption(String, nearest: String?)
    /// The arguments end, or another option follows, in place of an option's value.
    case missingValue(option: String, found: String?)
    case emptyValue(option: String)
    /// A switch was given a value.
    case unexpectedValue(option: String, value: String)
    case invalidValue(option: String, value: String, expected: String, nearest: String?)
    case repeatedOption(String)
    /// One of these is required, and none was given; with how to get one.
    case missing(anyOf: [String], advice: String? = nil)
    /// Both were given, and they exclude each other.
    case conflicting(String, String)
    /// `takes` is the one argument that the command takes; empty if it takes none or several.
    case unexpectedOperand(String, takes: String = "")
    /// An argument that is not UTF-8, with the invalid bytes replaced.
    case invalidUTF8(String)

    /// The exit code for usage errors.
    package static let exitCode: Int32 = 2

    package var message: String {
        switch self {
        case .unknownCommand(let name, _): "there is no command \(name.quoted)"
        case .unknownOption(let name, _): "there is no option \(name.quoted)"
        case .missingValue(let option, _): "\(option.name) needs a value"
        case .emptyValue(let option): "the value of \(option.name) is empty"
        case .unexpectedValue(let option, let value): "\(option) takes no value, but was given \(value.quoted)"
        case .invalidValue(let option, let value, let expected, _):
            "\(option) cannot be \(value.quoted); it must be \(expected)"
        case .repeatedOption(let option): "\(option) is given more than once"
        case .missing(let options, _): "\(options.joined(separator: " or ")) is missing"
        case .conflicting(let first, let second): "\(first) and \(second) exclude each other"
        case .unexpectedOperand(let text, "FILE"): "reads one file, and \(text.quoted) is a second one"
        case .unexpectedOperand(let text, _): "\(text.quoted) is one argument too many"
        case .invalidUTF8(let text): "the argument \(text.quoted) is not valid UTF-8"
        }
    }

    /// How to fix it, if the message is not enough.
    package var advice: String? {
        switch self {
        case .missing(_, let advice): advice
        case .unknownCommand(_, let nearest?), .unknownOption(_, let nearest?), .invalidValue(_, _, _, let nearest?):
            Spelling.question(nearest)
        case .missingValue(let option, let found?):
            "Write \(option), or \(option.name)=\(found) if that is the value."
        case .missingValue(let option, nil): "Write \(option)."
        case .emptyValue: "Is a variable of the shell not set?"
        case .unexpectedValue(let option, _): "Write \(option) alone."
        case .repeatedOption: "Keep one of them."
        case .conflicting: "Leave one of them out."
        case .unexpectedOperand(_, "FILE"): "Call the command for each file."
        case .unexpectedOperand: "Is the name of an option missing, or are there spaces without quotes?"
        case .invalidUTF8: "Write it in UTF-8. A file of users may contain escapes such as \\u00E9."
        default: nil
        }
    }

    /// The lines to print. `invocation` is the command, such as `turnout decide`.
    package func report(from invocation: String) -> String {
        let advice = advice.map { $0.printable.truncated(to: 200) + "\n" } ?? ""
        return "\(invocation): \(message).\n\(advice)Try `\(invocation) --help`.\n"
    }
}

extension String {
    /// The text in quotes, shortened for a message.
    fileprivate var quoted: String { "'" + printable.truncated(to: 60) + "'" }

    /// The option's name in `--datafile FILE`.
    fileprivate var name: String { divided(at: " ").head }
}
