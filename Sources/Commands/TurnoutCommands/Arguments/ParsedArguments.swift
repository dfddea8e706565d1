/// The arguments of one run of a command.
///
/// Options are looked up by their full names. A name that the command does not declare is a mistake in the command, and
/// stops the program.
package struct ParsedArguments: Sendable {
    private let options: [CommandOption]
    private var given: [String: [String]] = [:]
    /// The arguments without a name, in order.
    package internal(set) var operands: [String] = []

    init(options: [CommandOption]) { self.options = options }

    mutating func add(_ values: [String], to option: CommandOption) {
        given[option.name, default: []] += values
    }

    /// Whether the option was given; defaults do not count.
    package func has(_ name: String) -> Bool { given[option(name).name] != nil }

    /// The value of an option: the last one given, or else its default.
    package func value(_ name: String) -> String? { values(name).last }

    /// All values of an option in the order given, or else its default.
    package func values(_ name: String) -> [String] {
        let option = option(name)
        return given[name] ?? option.defaultValue.map { [$0] } ?? []
    }

    /// The value of an option that always has one: it is required, or has a default.
    package subscript(name: String) -> String {
        guard let value = value(name) else { preconditionFailure("\(name) is neither required nor has a default") }
        return value
    }

    /// The value of an option as a whole number.
    package func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
            throw .invalidValue(option: name, value: text, expected: expected, nearest: nil)
        }
        return number
    }

    /// The values of an option such as `--attribute NAME=VALUE`, divided at the first `=`.
    package func pairs(_ name: String) throws(UsageError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for text in values(name) {
            let (head, tail) = text.divided(at: "=")
            guard let tail, !head.isEmpty else {
                let expected = option(name).placeholder ?? "NAME=VALUE"
                throw .invalidValue(option: name, value: text, expected: expected, nearest: nil)
            }
            pairs.append((head, tail))
        }
        return pairs
    }

    /// Throws if an option is given together with one that it excludes.
    func exclude(_ name: String, _ others: String...) throws(UsageError) {
        guard has(name) else { return }
        for other in others where has(other) { throw .conflicting(name, other) }
    }

    /// Throws if several of these are to be read from standard input: arguments without a name, and options.
    func checkInputs(_ operands: [String] = [], options: String...) throws(UsageError) {
        let inputs = zip(operands, self.operands).map { ($0, $1) } + options.map { ($0, value($0)) }
        let standard = inputs.filter { $0.1 == "-" }.map { $0.0 + " -" }
        if standard.count > 1 { throw .conflicting(standard[0], standard[1]) }
    }

    private func option(_ name: String) -> CommandOption {
        guard let option = options.first(where: { $0.name == name }) else {
            preconditionFailure("the command does not declare \(name)")
        }
        return option
    }
}
