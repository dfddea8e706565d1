import TurnoutCodeGeneration

/// A place in source code that names a flag, or may name any.
package struct FlagUse: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        /// A call with a key: `decide("checkout")`.
        case key(String)
        /// A member of the generated code: `flags.checkout(for: user)`.
        case member(String)
        /// A type of the generated code: `Flags.Checkout`.
        case type(String)
        /// A string literal that is not part of a call for flags.
        case literal(String)
        /// A call with a key that is computed at run time.
        case computed
    }

    package let subject: Subject
    package let line: Int
    /// The use in short, such as `decide("checkout")`.
    package let code: String
    /// Whether this is a use of flags beyond doubt: a call of the same name, such as `index.search(for: text)`, may be
    /// for something else.
    package let isCertain: Bool
}

extension FlagUse {
    /// Finds the uses in a Swift source, in its order.
    package static func uses(in source: [UInt8]) -> [FlagUse] {
        var search = FlagUseSearch(tokens: SwiftToken.tokens(of: source))
        return search.tokens.indices.flatMap { search.uses(at: $0) }
    }
}

/// Finds calls in the tokens of a source.
private struct FlagUseSearch {
    let tokens: [SwiftToken]
    /// The end of the keys that calls before have.
    private var endOfKeys = 0

    init(tokens: [SwiftToken]) { self.tokens = tokens }

    /// Functions whose first argument is the key of a flag, or an array of keys.
    private static let functions: Set<String> = [
        "decide", "decideAsync", "explain", "getAllFeatureVariables", "getFeatureVariableBoolean",
        "getFeatureVariableDouble", "getFeatureVariableInteger", "getFeatureVariableJSON", "getFeatureVariableString",
        "isEnabled", "isFeatureEnabled", "value",
    ]
    private static let labels: Set<String> = ["featureKey", "flagKey", "key", "keys"]

    mutating func uses(at index: Int) -> [FlagUse] {
        switch tokens[index].kind {
        case .name(let name):
            if Self.functions.contains(name), isSymbol("(", at: index + 1), self.name(at: index - 1) != "func" {
                return keys(of: name, at: index)
            }
            return member(name, at: index) + type(name, at: index)
        case .string(let text?): return index < endOfKeys ? [] : [use(.literal(text), at: index, quoted(text))]
        default: return []
        }
    }

    // MARK: Calls with a key

    private mutating func keys(of function: String, at index: Int) -> [FlagUse] {
        guard let start = firstArgument(of: function, at: index) else { return [] }
        endOfKeys = start + 1
        if let text = literal(at: start) {
            return [use(.key(text), at: index, "\(function)(\(quoted(text)))")]
        }
        let computed = use(.computed, at: index, "\(function)(…)")
        guard isSymbol("[", at: start) else { return [computed] }
        var uses: [FlagUse] = []
        while let text = literal(at: endOfKeys) {
            uses.append(use(.key(text), at: index, "\(function)([\(quoted(text))])"))
            endOfKeys += isSymbol(",", at: endOfKeys + 1) ? 2 : 1
        }
        return isSymbol("]", at: endOfKeys) ? uses : uses + [computed]
    }

    /// The first token of the key that is passed to a function, or nil if none is.
    private func firstArgument(of function: String, at index: Int) -> Int? {
        var start = index + 2
        if isSymbol(":", at: start + 1) {
            guard let label = name(at: start), Self.labels.contains(label) else { return nil }
            start += 2
        }
        if isSymbol(")", at: start) { return nil }
        // Many types have a method of this name; the one for flags has a flag, a variable and a default.
        if function == "value" {
            let isFlags = literal(at: start) != nil && literal(at: start + 2) != nil && name(at: start + 4) == "default"
            return isFlags ? start : nil
        }
        // Functions without a receiver are the program's own, unless they get a literal.
        return isSymbol(".", at: index - 1) || literal(at: start) != nil ? start : nil
    }

    // MARK: Generated code

    /// `flags.checkout(for: …)`
    private func member(_ name: String, at index: Int) -> [FlagUse] {
        guard isSymbol(".", at: index - 1), isSymbol("(", at: index + 1), self.name(at: index + 2) == "for",
            isSymbol(":", at: index + 3)
        else { return [] }
        let receiver = isSymbol("?", at: index - 2) || isSymbol("!", at: index - 2) ? index - 3 : index - 2
        let isCertain = self.name(at: receiver)?.lowercased().hasSuffix("flags") ?? false
        return [use(.member(name), at: index, ".\(name)(for:)", isCertain: isCertain)]
    }

    /// `Flags.Checkout`
    private func type(_ name: String, at index: Int) -> [FlagUse] {
        guard isSymbol(".", at: index - 1), self.name(at: index - 2) == "Flags", !isSymbol(".", at: index - 3),
            name.first?.isUppercase == true
        else { return [] }
        return [use(.type(name), at: index, "Flags.\(name)")]
    }

    // MARK: Tokens

    private func use(_ subject: FlagUse.Subject, at index: Int, _ code: String, isCertain: Bool = true) -> FlagUse {
        FlagUse(subject: subject, line: tokens[index].line, code: code, isCertain: isCertain)
    }

    private func quoted(_ text: String) -> String { SwiftText.literal(text) }

    private func isSymbol(_ symbol: Unicode.Scalar, at index: Int) -> Bool {
        tokens.indices.contains(index) && tokens[index].kind == .symbol(UInt8(ascii: symbol))
    }

    private func name(at index: Int) -> String? {
        guard tokens.indices.contains(index), case .name(let name) = tokens[index].kind else { return nil }
        return name
    }

    /// A literal that is a whole argument or element.
    private func literal(at index: Int) -> String? {
        guard tokens.indices.contains(index), case .string(let text?) = tokens[index].kind,
            [",", ")", "]"].contains(where: { isSymbol($0, at: index + 1) })
        else { return nil }
        return text
    }
}
