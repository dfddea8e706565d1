import TurnoutEngine

/// The entities that the rules of a flag may refer to.
struct RuleScope {
    /// The flag's variables; nil as a type if it could not be read.
    var variables: [String: AuthoredVariable.ValueType?] = [:]
    /// The keys of the variables.
    var variableKeys = KnownKeys("variable", problem: .unknownVariable)
    /// The keys of the variations.
    var variations = KnownKeys("variation", problem: .unknownVariation)
}

extension ProjectReader {
    mutating func flag(_ entry: KeyedEntry) -> AuthoredFlag? {
        guard let members = members(of: entry, .flag) else { return nil }
        var flag = AuthoredFlag(key: entry.key, description: string(members["description"]), origin: entry.origin)
        var scope = RuleScope()
        flag.variables = variables(members["variables"], &scope)
        scope.variations.insert(AuthoredVariation.offKey)
        scope.variations.collect(members["variations"])
        flag.variations = variations(members["variations"], scope)
        flag.rules = rules(members, in: scope, inherited: AuthoredRules())
        for environment in members["in"].map({ entries(of: $0) }) ?? [] {
            guard check(environment.key, in: environments, at: environment.keyRange.lowerBound),
                let members = self.members(of: environment, .flagInEnvironment)
            else { continue }
            flag.rulesByEnvironment[environment.key] = rules(members, in: scope, inherited: flag.rules)
        }
        readCommonMembers(members, of: &flag)
        checkFormerKeys(flag.variables, "variable")
        return flag
    }

    // MARK: Variables

    private mutating func variables(_ entry: KeyedEntry?, _ scope: inout RuleScope) -> [AuthoredVariable] {
        scope.variableKeys.collect(entry)
        var variables: [AuthoredVariable] = []
        for entry in entry.map({ entries(of: $0) }) ?? [] {
            let (type, variable) = variable(entry)
            scope.variables[entry.key] = .some(type)
            if let variable { variables.append(variable) }
        }
        return variables
    }

    /// A variable: its default, or a mapping with `type` or `default` and more. The type is known even if the default
    /// is wrong.
    private mutating func variable(_ entry: KeyedEntry) -> (AuthoredVariable.ValueType?, AuthoredVariable?) {
        guard Self.isLongForm(entry.node) else { return variable(entry, entry, type: nil) }
        guard let members = members(of: entry, .variable) else { return (nil, nil) }
        let isTyped = members["type"] != nil
        let type = word(members["type"], AuthoredVariable.ValueType.allCases.map { ($0.rawValue, $0) })
        guard let value = required("default", in: members), type != nil || !isTyped else { return (type, nil) }
        var (found, variable) = variable(entry, value, type: type)
        variable?.formerKey = string(members["was"])
        variable?.description = string(members["description"])
        variable?.verbatim = verbatim(members["datafile"])
        return (found, variable)
    }

    /// Whether the value of a variable is a mapping about the variable, rather than its default.
    static func isLongForm(_ node: Node) -> Bool {
        guard case .mapping(let members) = node.content else { return false }
        return members.contains { $0.key.text == "type" || $0.key.text == "default" }
    }

    private mutating func variable(
        _ entry: KeyedEntry, _ value: KeyedEntry, type: AuthoredVariable.ValueType?
    ) -> (AuthoredVariable.ValueType?, AuthoredVariable?) {
        guard let type = type ?? AuthoredVariable.ValueType(of: value.node) else {
            reportType("a default value", value)
            return (nil, nil)
        }
        let text = self.value(value, type)
        return (
            type,
            text.map { AuthoredVariable(key: entry.key, type: type, defaultValue: $0, origin: entry.origin) }
        )
    }

    /// The value of a variable as datafiles spell it.
    private mutating func value(_ entry: KeyedEntry, _ type: AuthoredVariable.ValueType) -> String? {
        if type == .json { checkDuplicates(in: entry.node) }
        if let value = type.value(of: entry.node) { return value }
        let isQuoted = if case .scalar(_, isQuoted: true) = entry.node.content { true } else { false }
        let unquoted = entry.node.text.map { Node(.scalar($0, isQuoted: false)) }
        let advice: String? =
            if type == .string, entry.node.isNothing {
                "write \"\" for the empty string"
            } else if isQuoted, let unquoted, type.value(of: unquoted) != nil {
                "write it without quotes"
            } else if type == .integer, AuthoredVariable.ValueType(of: entry.node) == .integer {
                "integers have at most 64 bits"
            } else {
                nil
            }
        reportType(type.noun, entry, advice: advice)
        return nil
    }

    // MARK: Variations

    /// The variations of a flag, of a rule, or of a holdout.
    mutating func variations(_ entry: KeyedEntry?, _ scope: RuleScope) -> [AuthoredVariation] {
        let variations = keyed(entry) { $0.variation($1, scope) }
        checkFormerKeys(variations, "variation")
        return variations
    }

    private mutating func variation(_ entry: KeyedEntry, _ scope: RuleScope) -> AuthoredVariation? {
        guard let members = members(of: entry, .variation, orNothing: true) else { return nil }
        var variation = AuthoredVariation(
            key: entry.key, formerKey: string(members["was"]), isEnabled: entry.key != AuthoredVariation.offKey,
            origin: entry.origin)
        if let enabled = members["enabled"] {
            variation.isEnabled = enabled.node.isNull ? nil : boolean(enabled)
        }
        variation.overrides = (members["variables"].map { entries(of: $0) } ?? []).compactMap { entry in
            guard check(entry.key, in: scope.variableKeys, at: entry.keyRange.lowerBound),
                let type = scope.variables[entry.key] ?? nil
            else { return nil }
            return value(entry, type).map { AuthoredOverride(entry.key, $0, origin: entry.origin) }
        }
        variation.verbatim = verbatim(members["datafile"])
        return variation
    }
}
