/// One option of a command: `--datafile FILE`, or a switch such as `--effects`.
///
/// Start with ``value(_:_:_:)`` or ``toggle(_:_:)`` and add modifiers:
///
///     .value("--output", "FORMAT", "How to print.").oneOf("table", "json").byDefault("table")
package struct CommandOption: Sendable, Equatable {
    /// The name with its dashes: `--datafile`.
    package let name: String
    /// The placeholder of the value in help texts, such as `FILE`; `nil` for a switch.
    package let placeholder: String?
    /// The effect of the option, in one or two sentences.
    package let help: String
    /// The one-letter alias, without its dash; `h` is reserved for `--help`.
    package private(set) var letter: Character?
    package private(set) var isRequired = false
    package private(set) var isRepeatable = false
    package private(set) var isCommaSeparated = false
    package private(set) var allowsEmptyValue = false
    /// The allowed values; empty for any value.
    package private(set) var allowedValues: [String] = []
    package private(set) var defaultValue: String?

    /// An option that takes a value.
    package static func value(_ name: String, _ placeholder: String, _ help: String) -> CommandOption {
        CommandOption(name: name, placeholder: placeholder, help: help)
    }

    /// A switch: present or not.
    package static func toggle(_ name: String, _ help: String) -> CommandOption {
        CommandOption(name: name, placeholder: nil, help: help)
    }
}

extension CommandOption {
    package func short(_ letter: Character) -> CommandOption { setting(\.letter, letter) }

    package func required() -> CommandOption { setting(\.isRequired, true) }

    /// Allows the option more than once.
    package func repeatable() -> CommandOption { setting(\.isRepeatable, true) }

    /// Accepts several values at once, `a,b`, and may be repeated as well.
    package func commaSeparated() -> CommandOption { setting(\.isCommaSeparated, true).repeatable() }

    /// Accepts an empty value, which is otherwise an error because it nearly always comes from an unset shell variable.
    package func orEmpty() -> CommandOption { setting(\.allowsEmptyValue, true) }

    package func oneOf(_ values: String...) -> CommandOption { oneOf(values) }

    package func oneOf(_ values: [String]) -> CommandOption { setting(\.allowedValues, values) }

    /// Sets the value if the option is not given.
    package func byDefault(_ value: String) -> CommandOption { setting(\.defaultValue, value) }

    private func setting<Value>(_ property: WritableKeyPath<CommandOption, Value>, _ value: Value) -> CommandOption {
        var copy = self
        copy[keyPath: property] = value
        return copy
    }
}

extension CommandOption {
    /// The name with the placeholder: `--datafile FILE`.
    package var usage: String { placeholder.map { name + " " + $0 } ?? name }

    /// Whether an argument, up to its `=`, names this option.
    func matches(_ spelling: String) -> Bool {
        spelling == name || letter.map { spelling == "-\($0)" } == true
    }
}
