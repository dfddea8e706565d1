/// One option of a command: `--datafile FILE`, or a switch such as `--effects`.
///
/// Start with ``value(_:_:_:)`` or ``toggle(_:_:)`` and add what differs from the usual:
///
///     .value("--output", "FORMAT", "How to print.").oneOf("table", "json").byDefault("table")
package struct CommandOption: Sendable, Equatable {
    /// The name with its dashes: `--datafile`.
    package let name: String
    /// What stands for the value in help texts: `FILE`; `nil`: the option is a switch.
    package let placeholder: String?
    /// What the option does, in one or two sentences.
    package let help: String
    /// The one-letter alias, without its dash; `h` is taken by `--help`.
    package private(set) var letter: Character?
    package private(set) var isRequired = false
    package private(set) var isRepeatable = false
    package private(set) var isCommaSeparated = false
    package private(set) var allowsEmptyValue = false
    /// The only values to accept; empty: any value.
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

    private init(name: String, placeholder: String?, help: String) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
    }
}

extension CommandOption {
    /// Also answers to a dash and this letter.
    package func short(_ letter: Character) -> CommandOption { setting(\.letter, letter) }

    /// Must be given.
    package func required() -> CommandOption { setting(\.isRequired, true) }

    /// May be given more than once.
    package func repeatable() -> CommandOption { setting(\.isRepeatable, true) }

    /// Takes several values at once, `a,b`, and may be repeated as well.
    package func commaSeparated() -> CommandOption { setting(\.isCommaSeparated, true).repeatable() }

    /// Accepts the empty text, else an error because it nearly always comes from an unset variable of the shell.
    package func orEmpty() -> CommandOption { setting(\.allowsEmptyValue, true) }

    /// Accepts only these values.
    package func oneOf(_ values: String...) -> CommandOption { oneOf(values) }

    /// Accepts only these values.
    package func oneOf(_ values: [String]) -> CommandOption { setting(\.allowedValues, values) }

    /// The value if the option is not given.
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
    func answers(to spelling: String) -> Bool {
        spelling == name || letter.map { spelling == "-\($0)" } == true
    }
}
