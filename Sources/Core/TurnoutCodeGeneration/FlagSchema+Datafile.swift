package import TurnoutEngine

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
