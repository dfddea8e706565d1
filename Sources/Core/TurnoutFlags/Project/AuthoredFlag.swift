package import TurnoutEngine

/// A flag with its variables, its variations, and its rules in each environment.
package struct AuthoredFlag: AuthoredPart, Sendable {
    package var key: String
    /// The key it had before, whose ids it keeps.
    package var formerKey: String?
    package var description: String?
    /// The variables, in the order of the file.
    package var variables: [AuthoredVariable] = []
    /// The variations that all rules share. `off` always exists, and is disabled unless the file says otherwise.
    package var variations: [AuthoredVariation] = []
    /// The rules of all environments that have none of their own.
    package var rules = AuthoredRules()
    /// The rules of single environments, by environment key.
    package var rulesByEnvironment: [String: AuthoredRules] = [:]
    /// Codes of lint findings that are not reported.
    package var ignoredFindings: [IgnoredFinding] = []
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's flag as they are.
    package var verbatim: [String: JSONValue] = [:]

    /// Creates a flag without variables and rules.
    package init(
        key: String, formerKey: String? = nil, description: String? = nil, origin: SourceOrigin = SourceOrigin()
    ) {
        self.key = key
        self.formerKey = formerKey
        self.description = description
        self.origin = origin
    }

    /// The rules in an environment.
    package func rules(in environment: String) -> AuthoredRules { rulesByEnvironment[environment] ?? rules }

    /// The flag as a project with this environment alone has it.
    package func resolved(in environment: String) -> AuthoredFlag {
        var flag = self
        (flag.rules, flag.rulesByEnvironment) = (rules(in: environment), [:])
        return flag
    }
}

/// A variable of a flag.
package struct AuthoredVariable: RenamablePart, Sendable {
    package var key: String
    /// The key it had before, whose id it keeps.
    package var formerKey: String?
    /// The type of its values. A type that this version does not know is a member `type` of `verbatim`.
    package var type: ValueType
    /// The value unless a variation overrides it, spelled as in datafiles: `3`, `true`, `{"dark":false}`.
    package var defaultValue: String
    package var description: String?
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's variable as they are.
    package var verbatim: [String: JSONValue] = [:]

    /// The type in the datafile, as a project file names it.
    package var typeName: String {
        if case .string(let type)? = verbatim["type"] { return type }
        return type.rawValue
    }

    package enum ValueType: String, Sendable, CaseIterable {
        case string
        /// A 64-bit integer.
        case integer
        case double
        /// `true` or `false`.
        case boolean
        case json
    }

    package init(key: String, type: ValueType, defaultValue: String, origin: SourceOrigin = SourceOrigin()) {
        self.key = key
        self.type = type
        self.defaultValue = defaultValue
        self.origin = origin
    }
}

/// A variation of a flag, or of a single rule.
package struct AuthoredVariation: RenamablePart, Sendable {
    /// The key of the variation that every flag has.
    package static let offKey = "off"

    package var key: String
    /// The key it had before, whose id it keeps.
    package var formerKey: String?
    /// Whether the flag is enabled; nil if the datafile does not say. Default: `true`, `false` for `off`.
    package var isEnabled: Bool?
    /// Values that replace the variables' defaults, by variable key and in the order of the file, spelled as in
    /// datafiles.
    package var overrides: [AuthoredOverride] = []
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's variation as they are.
    package var verbatim: [String: JSONValue] = [:]

    package init(
        key: String, formerKey: String? = nil, isEnabled: Bool? = true, overrides: [AuthoredOverride] = [],
        origin: SourceOrigin = SourceOrigin()
    ) {
        self.key = key
        self.formerKey = formerKey
        self.isEnabled = isEnabled
        self.overrides = overrides
        self.origin = origin
    }
}

/// The value of a variable in a variation.
package struct AuthoredOverride: Sendable, Equatable {
    package var variable: String
    /// The value, spelled as in datafiles.
    package var value: String
    package var origin = SourceOrigin()

    package init(_ variable: String, _ value: String, origin: SourceOrigin = SourceOrigin()) {
        self.variable = variable
        self.value = value
        self.origin = origin
    }
}
