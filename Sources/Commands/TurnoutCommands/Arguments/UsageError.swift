/// A command line that cannot be run, and how to mend it.
package enum UsageError: Error, Sendable, Equatable {
    case unknownCommand(String, nearest: String?)
    case unknownOption(String, nearest: String?)
    /// The arguments end, or another option follows, where the value of an option belongs.
    case missingValue(option: String, found: String?)
    case emptyValue(option: String)
    /// A switch was given a value.
    case unexpectedValue(option: String, value: String)
    case invalidValue(option: String, value: String, expected: String, nearest: String?)
    case repeatedOption(String)
    /// None of these was given, and one of them must be.
    case missing(anyOf: [String])
    /// Both were given, and they exclude each other.
    case conflicting(String, String)
    case unexpectedOperand(String)

    /// The status of a process that was called in the wrong way.
    package static let exitCode: Int32 = 2

    /// What is wrong.
    package var message: String {
        switch self {
        case .unknownCommand(let name, _): "there is no command \(name.quoted)"
        case .unknownOption(let name, _): "there is no option \(name.quoted)"
        case .missingValue(let option, _): "\(option.name) lacks its value"
        case .emptyValue(let option): "the value of \(option.name) is empty"
        case .unexpectedValue(let option, let value): "\(option) takes no value, but was given \(value.quoted)"
        case .invalidValue(let option, let value, let expected, _):
            "\(option) cannot be \(value.quoted); it must be \(expected)"
        case .repeatedOption(let option): "\(option) is given more than once"
        case .missing(let options): "\(options.joined(separator: " or ")) is missing"
        case .conflicting(let first, let second): "\(first) and \(second) exclude each other"
        case .unexpectedOperand(let text): "\(text.quoted) is one argument too many"
        }
    }

    /// How to mend it, if there is more to say than the message does.
    package var cure: String? {
        switch self {
        case .unknownCommand(_, let nearest?), .unknownOption(_, let nearest?), .invalidValue(_, _, _, let nearest?):
            "Did you mean \(nearest)?"
        case .missingValue(let option, let found?):
            "Write \(option), or \(option.name)=\(found) if that is the value."
        case .missingValue(let option, nil): "Write \(option)."
        case .emptyValue: "Is a variable of the shell not set?"
        case .unexpectedValue(let option, _): "Write \(option) alone."
        case .repeatedOption: "Keep one of them."
        case .conflicting: "Leave one of them out."
        case .unexpectedOperand: "Does an option lack its name, or a text with spaces its quotes?"
        default: nil
        }
    }

    /// The lines to print, where `invocation` is what was called: `turnout decide`.
    package func report(from invocation: String) -> String {
        let cure = cure.map { $0.printable.truncated(to: 200) + "\n" } ?? ""
        return "\(invocation): \(message).\n\(cure)Try `\(invocation) --help`.\n"
    }
}

extension String {
    /// The text in quotes, fit for a line of a message.
    fileprivate var quoted: String { "'" + printable.truncated(to: 60) + "'" }

    /// Of `--datafile FILE`, the option.
    fileprivate var name: String { divided(at: " ").head }
}
