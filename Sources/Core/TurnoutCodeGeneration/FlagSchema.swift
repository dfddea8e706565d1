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

extension FlagSchema {
    /// Reads the flags of a datafile.
    ///
    /// - Parameter bytes: The JSON text.
    /// - Throws: `DatafileError` if the datafile cannot be used.
    package init(datafile bytes: [UInt8]) throws(DatafileError) {
        let project = try Project(datafile: bytes)
        let descriptions = Descriptions(datafile: bytes)
        self.init(flags: project.flags.map { Flag($0, descriptions) })
    }
}

extension FlagSchema.Flag {
    fileprivate init(_ flag: TurnoutEngine.Flag, _ descriptions: Descriptions) {
        // A holdout's variation is not one of the flag's own: it has none of the flag's variable values.
        let rules = flag.experiments + flag.rolloutRules
        self.init(
            key: flag.key, description: descriptions[flag.id],
            variations: rules.flatMap { $0.variations.map(\.key) },
            variables: flag.variables.map { variable in
                FlagSchema.Variable(
                    key: variable.key, description: descriptions[flag.id, variable.id], type: variable.type,
                    defaultText: variable.defaultValue)
            })
    }
}

/// The descriptions in a datafile, which decisions do not need and `Project` therefore skips.
private struct Descriptions {
    private var texts: [[String]: String] = [:]

    init(datafile bytes: [UInt8]) {
        guard let document = try? JSONValue(parsing: bytes) else { return }
        for flag in document["featureFlags"]?.elements ?? [] {
            guard case .string(let id)? = flag["id"] else { continue }
            add(flag, at: [id])
            for variable in flag["variables"]?.elements ?? [] {
                guard case .string(let variableID)? = variable["id"] else { continue }
                add(variable, at: [id, variableID])
            }
        }
    }

    private mutating func add(_ entity: JSONValue, at path: [String]) {
        if case .string(let text)? = entity["description"], !text.isEmpty { texts[path] = text }
    }

    /// The description of a flag, or of one of its variables, by ids.
    subscript(path: String...) -> String? { texts[path] }
}

extension JSONValue {
    fileprivate var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }
}
