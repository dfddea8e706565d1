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

    /// Functions and types whose first argument is the key of a flag, or an array of keys.
    private static let functions: Set<String> = [
        "DecisionContext", "FlagDecision", "ObservedDecision", "OptimizelyDecisionContext", "decide", "decideAsync",
        "decisions", "explain", "getAllFeatureVariables", "getBooleanDetails", "getBooleanValue", "getDoubleDetails",
        "getDoubleValue", "getFeatureVariableBoolean", "getFeatureVariableDouble", "getFeatureVariableInteger",
        "getFeatureVariableJSON", "getFeatureVariableString", "getIntegerDetails", "getIntegerValue",
        "getObjectDetails", "getObjectValue", "getStringDetails", "getStringValue", "isEnabled", "isFeatureEnabled",
        "value",
    ]
    private static let labels: Set<String> = ["featureKey", "flagKey", "key", "keys"]
    /// The labels without which these calls are for something else.
    private static let requiredLabels = [
        "DecisionContext": "flag", "ObservedDecision": "of", "OptimizelyDecisionContext": "flagKey", "decisions": "of",
    ]

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
        let label = label(at: start)
        if label != nil { start += 2 }
        if isSymbol(")", at: start) { return nil }
        if function == "value" {
            guard isValue(label, at: start) else { return nil }
        } else if let required = Self.requiredLabels[function] {
            guard label == required else { return nil }
        } else if let label, !Self.labels.contains(label) {
            return nil
        }
        // Functions without a receiver are the program's own, unless they get a literal.
        let isType = function.first?.isUppercase == true
        return isType || isSymbol(".", at: index - 1) || literal(at: start) != nil ? start : nil
    }

    /// Whether a call of `value`, which many types have, is for a flag: `value(key, variable, default: …)`, or
    /// `value(for: key, defaultingTo: …)` of OpenFeature.
    private func isValue(_ label: String?, at start: Int) -> Bool {
        guard let second = nextArgument(after: start) else { return false }
        if label == "for" { return self.label(at: second) == "defaultingTo" }
        guard label == nil, self.label(at: second) == nil, let third = nextArgument(after: second) else { return false }
        return self.label(at: third) == "default"
    }

    /// The first token of the next argument of a call, or nil if there is none.
    private func nextArgument(after index: Int) -> Int? {
        var depth = 0
        for position in index..<tokens.endIndex {
            guard case .symbol(let symbol) = tokens[position].kind else { continue }
            switch symbol {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                if depth == 0 { return nil }
                depth -= 1
            case UInt8(ascii: ","): if depth == 0 { return position + 1 }
            default: break
            }
        }
        return nil
    }

    private func label(at index: Int) -> String? { isSymbol(":", at: index + 1) ? name(at: index) : nil }

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
