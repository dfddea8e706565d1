/// An audience condition as a tree.
public indirect enum AudienceCondition: Sendable, Equatable {
    /// Everyone.
    case everyone
    /// All of these must be met.
    case all([AudienceCondition])
    /// At least one of these must be met.
    case any([AudienceCondition])
    /// The first of these must not be met; the others are ignored.
    case not([AudienceCondition])
    /// The user must be in an audience.
    case audience(id: String, name: String)
    /// A condition on an attribute, or with the match `qualified` on the user's segments. `value` is JSON.
    case attribute(name: String?, match: String, value: String?)
    /// A condition that is never met, and why.
    case never(String)
}

extension Project {
    /// The condition at a row, as a tree; -1 is everyone.
    func audienceCondition(_ row: Int32) -> AudienceCondition {
        guard row >= 0 else { return .everyone }
        let condition = tables.conditions[Int(row)]
        let symbol = Symbol(index: UInt32(bitPattern: condition.operand))
        switch condition.kind {
        case .and: return .all(operands(of: row))
        case .or: return .any(operands(of: row))
        case .not: return .not(operands(of: row))
        case .audience:
            let audience = tables.audiences[Int(condition.operand)]
            return .audience(id: text(audience.id), name: text(audience.name))
        case .leaf: return audienceCondition(leaf: tables.leaves[Int(condition.operand)])
        case .missingAudience: return .never("no audience \"\(text(symbol))\"")
        case .strayOperator: return .never("an operator in place of a condition")
        case .emptyList: return .never("an empty list")
        case .nestedFirst: return .never("a list that starts with a list")
        }
    }

    private func operands(of row: Int32) -> [AudienceCondition] { operandRows(of: row).map(audienceCondition) }

    private func audienceCondition(leaf: LeafRow) -> AudienceCondition {
        var value: String?
        if leaf.valueKind != .absent {
            var writer = JSONWriter(style: .readable)
            writer.conditionValue(self.value(of: leaf))
            value = writer.text
        }
        return .attribute(
            name: tables.symbols.optionalText(leaf.name), match: tables.symbols.optionalText(leaf.match) ?? "exact",
            value: value)
    }
}

/// A named set of users.
public struct Audience: Sendable {
    let project: Project
    let index: Int

    /// The audience's id, which rules refer to.
    public var id: String { project.text(project.tables.audiences[index].id) }
    /// The audience's name.
    public var name: String { project.text(project.tables.audiences[index].name) }
    /// The condition that defines the audience.
    public var condition: AudienceCondition {
        project.audienceCondition(project.tables.audiences[index].condition)
    }
}

extension Project {
    /// The audiences that rules can refer to: typed ones, then the legacy ones that no typed one replaces.
    public var audiences: [Audience] {
        (Array(tables.typedAudienceRows.range) + Array(tables.legacyAudienceRows.range))
            .filter { tables.audiencesByID[tables.audiences[$0].id] == $0 }
            .map { Audience(project: self, index: $0) }
    }

    /// The names of the attributes that the datafile declares or that its conditions test.
    ///
    /// - Complexity: O(n) in the number of attributes and conditions.
    package var attributeNames: Set<String> {
        Set(declaredAttributes.map(\.key)).union(
            tables.leaves.filter(\.test.looksAtAttribute).map { text($0.name) })
    }

    /// The segments in the conditions of typed audiences, in the datafile's order, without duplicates.
    public var qualifiedSegments: [String] {
        var seen: Set<String> = []
        return tables.typedAudienceRows.range.flatMap { audience -> [String] in
            let root = Int(tables.audiences[audience].condition)
            return (root..<Int(tables.conditions[root].end)).compactMap { row in
                guard tables.conditions[row].kind == .leaf else { return nil }
                let leaf = tables.leaves[Int(tables.conditions[row].operand)]
                guard tables.symbols.optionalText(leaf.match) == "qualified", leaf.valueKind != .absent else {
                    return nil
                }
                guard leaf.valueKind != .string else { return text(leaf.text) }
                var writer = JSONWriter()
                writer.conditionValue(value(of: leaf))
                return writer.text
            }
        }.filter { seen.insert($0).inserted }
    }

    // Audiences as text, for listings of a project's contents.
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
    struct OperandRows: Sequence, IteratorProtocol {
        fileprivate let project: Project
        fileprivate var child: Int32
        fileprivate let end: Int32

        var first: Int32? { child < end ? child : nil }

        mutating func next() -> Int32? {
            guard child < end else { return nil }
            defer { child = project.tables.conditions[Int(child)].end }
            return child
        }
    }

    func operandRows(of row: Int32) -> OperandRows {
        OperandRows(project: self, child: row + 1, end: tables.conditions[Int(row)].end)
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
