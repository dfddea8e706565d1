/// The way from the root of a project file to a value: `flags.checkout.rules.checkout_ab.traffic`.
///
/// Steps are keys of mappings. In a list of rules a step is the key of a rule; in any list it can be a position,
/// counted from 0: `rules[0]`. Keys with dots, brackets or quotes are in quotes: `flags."a.b".else`.
package struct EditPath: Sendable, Equatable, CustomStringConvertible {
    package enum Step: Sendable, Equatable {
        /// The key of a member, or of a rule.
        case key(String)
        /// The position of an element.
        case index(Int)
    }

    /// The steps from the root.
    package var steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// Reads a path.
    ///
    /// - Throws: A diagnostic without a place if the text is not a path.
    package init(_ text: String) throws(Diagnostic) {
        var rest = Substring(text).unicodeScalars
        steps = []
        while !rest.isEmpty || steps.isEmpty {
            switch rest.first {
            case "[": steps.append(.index(try Self.index(from: &rest, of: text)))
            case "\"": steps.append(.key(try Self.quotedKey(from: &rest, of: text)))
            default:
                let key = rest.prefix { $0 != "." && $0 != "[" }
                guard !key.isEmpty else { throw Self.invalid(text, "a key is empty") }
                rest = rest.dropFirst(key.count)
                steps.append(.key(String(key)))
            }
            if rest.first == "." {
                rest.removeFirst()
                guard !rest.isEmpty else { throw Self.invalid(text, "a key is missing after the last dot") }
            } else if !rest.isEmpty, rest.first != "[" {
                throw Self.invalid(text, "a dot is missing after a quote or bracket")
            }
        }
    }

    private static func index(
        from rest: inout Substring.UnicodeScalarView, of text: String
    ) throws(Diagnostic) -> Int {
        let digits = rest.dropFirst().prefix { ("0"..."9").contains($0) }
        rest = rest.dropFirst(digits.count + 1)
        guard rest.first == "]", let index = Int(String(digits)) else {
            throw invalid(text, "brackets hold the position of an element")
        }
        rest.removeFirst()
        return index
    }

    private static func quotedKey(
        from rest: inout Substring.UnicodeScalarView, of text: String
    ) throws(Diagnostic) -> String {
        var key = String.UnicodeScalarView()
        rest.removeFirst()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return String(key) }
            guard let next = scalar == "\\" ? rest.popFirst() : scalar else { break }
            key.append(next)
        }
        throw invalid(text, "a quote is not closed")
    }

    private static func invalid(_ text: String, _ reason: String) -> Diagnostic {
        Diagnostic(
            .error, "edit-path", "\"\(text)\" is not the path of a value: \(reason)",
            advice: "Write keys with dots between them, such as flags.checkout.rules.checkout_ab.traffic.")
    }

    /// The path as it is written.
    package var description: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key):
                let isPlain = !key.isEmpty && !key.unicodeScalars.contains { ".[\"\\".unicodeScalars.contains($0) }
                let escaped = key.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
                text += (text.isEmpty ? "" : ".") + (isPlain ? key : "\"\(escaped)\"")
            }
        }
    }
}
