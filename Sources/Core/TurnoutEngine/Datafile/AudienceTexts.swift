// Audiences as text, for listings of a project's contents.

extension Project {
    /// The audiences of the datafile's `typedAudiences`, as written.
    package var typedAudiences: [Audience] {
        tables.typedAudienceRows.range.map { Audience(project: self, index: $0) }
    }

    /// The audiences of the datafile's `audiences`, as written, including those that a typed one replaces.
    package var legacyAudiences: [Audience] {
        tables.legacyAudienceRows.range.map { Audience(project: self, index: $0) }
    }

    /// The attributes that the datafile declares, in its order.
    package var declaredAttributes: [(id: String, key: String)] {
        tables.attributes.map { (text($0.id), text($0.key)) }
    }
}

extension Audience {
    /// The conditions: the datafile's string verbatim, or compact JSON with sorted keys if it is not a string.
    package var conditionsText: String {
        let row = project.tables.audiences[index]
        if let text = project.tables.symbols.optionalText(row.conditionsText) { return text }
        return project.json(ofCondition: row.condition)
    }
}

extension Rule {
    /// The `audienceConditions` in the vendor's notation: `"Gold" AND ("Finland" OR "Sweden")`.
    ///
    /// Empty without `audienceConditions`, for everyone, and for what the notation cannot express: conditions on
    /// attributes, and lists that do not start with an operator or an audience.
    package var audienceExpression: String {
        row.hasAudienceConditions && row.condition >= 0 ? project.expression(ofCondition: row.condition) : ""
    }
}

extension Project {
    /// The rows directly below a row.
    private func operandRows(of row: Int32) -> [Int32] {
        var rows: [Int32] = []
        var child = row + 1
        while child < tables.conditions[Int(row)].end {
            rows.append(child)
            child = tables.conditions[Int(child)].end
        }
        return rows
    }

    private func symbol(of condition: ConditionRow) -> Symbol { Symbol(index: UInt32(bitPattern: condition.operand)) }

    // MARK: JSON

    fileprivate func json(ofCondition row: Int32) -> String {
        let condition = tables.conditions[Int(row)]
        let word: String? =
            switch condition.kind {
            case .leaf: nil
            case .audience: text(tables.audiences[Int(condition.operand)].id)
            case .missingAudience, .strayOperator: text(symbol(of: condition))
            case .and: "and"
            case .or: condition.isImplied ? nil : "or"
            case .not: "not"
            case .emptyList, .nestedFirst: nil
            }
        if condition.kind == .leaf { return canonicalText(leaf: Int(condition.operand)) }
        var writer = JSONWriter(style: .foundation)
        if let word { writer.string(word) }
        guard condition.kind.isList else { return writer.text }
        let items = (word == nil ? [] : [writer.text]) + operandRows(of: row).map(json(ofCondition:))
        return "[" + items.joined(separator: ",") + "]"
    }

    // MARK: The vendor's notation

    fileprivate func expression(ofCondition row: Int32) -> String {
        let condition = tables.conditions[Int(row)]
        switch condition.kind {
        case .audience: return quoted(text(tables.audiences[Int(condition.operand)].name))
        case .missingAudience: return quoted(text(symbol(of: condition)))
        case .and: return operandExpressions(of: row).joined(separator: " AND ")
        case .or:
            let startsWithLeaf = operandRows(of: row).first.map { tables.conditions[Int($0)].kind == .leaf } ?? false
            guard !condition.isImplied || !startsWithLeaf else { return "" }
            return operandExpressions(of: row).joined(separator: " OR ")
        case .not: return operandExpressions(of: row).first.map { "NOT " + $0 } ?? ""
        case .leaf, .strayOperator, .emptyList, .nestedFirst: return ""
        }
    }

    /// The operands of a list; nested lists are in parentheses.
    private func operandExpressions(of row: Int32) -> [String] {
        operandRows(of: row).map { operand in
            let text = expression(ofCondition: operand)
            return tables.conditions[Int(operand)].kind.isList ? "(\(text))" : text
        }
    }

    private func quoted(_ name: String) -> String { "\"" + name + "\"" }
}

extension ConditionRow.Kind {
    fileprivate var isList: Bool {
        switch self {
        case .and, .or, .not, .emptyList, .nestedFirst: true
        case .audience, .leaf, .missingAudience, .strayOperator: false
        }
    }
}
