package import TurnoutEngine

/// The flags that code is generated for: their keys, variations and variables, without rules and audiences.
///
/// Sorted by key at every level, so that the order in the input does not change the output. Of several entries with the
/// same key, the last is kept, as in decisions.
package struct FlagSchema: Sendable, Equatable {
    package let flags: [Flag]

    package init(flags: [Flag]) { self.flags = sortedByKey(flags) { $0.key } }

    package struct Flag: Sendable, Equatable {
        package let key: String
        /// The description for developers, if there is one.
        package let description: String?
        /// The keys of the variations of all its rules.
        package let variations: [String]
        package let variables: [Variable]

        package init(key: String, description: String? = nil, variations: [String] = [], variables: [Variable] = []) {
            self.key = key
            self.description = description
            self.variations = sortedByKey(variations) { $0 }
            self.variables = sortedByKey(variables) { $0.key }
        }
    }

    /// A variable of a flag.
    package struct Variable: Sendable, Equatable {
        package let key: String
        /// The description for developers, if there is one.
        package var description: String?
        package let type: TurnoutEngine.Variable.ValueType
        /// The value unless a variation overrides it; nil if it is not of the type.
        package let defaultValue: VariableValue?

        package init(
            key: String, description: String? = nil, type: TurnoutEngine.Variable.ValueType, defaultText: String
        ) {
            self.key = key
            self.description = description
            self.type = type
            let value = VariableValue(defaultText, type: type)
            // Decisions have no values that JSON cannot represent: NaN and the infinities.
            defaultValue = value?.jsonValue == nil ? nil : value
        }
    }
}

private func sortedByKey<Element>(_ elements: [Element], key: (Element) -> String) -> [Element] {
    let unique = Dictionary(elements.map { (key($0), $0) }) { $1 }
    return unique.values.sorted { key($0).utf8.lexicographicallyPrecedes(key($1).utf8) }
}
