import TurnoutEngine

extension AuthoredCondition {
    /// The condition in words: `plan is premium and (country is US or segment big_spender)`.
    package var words: String { words(isOperand: false) }

    /// The same condition without lists of a single operand.
    var simplified: AuthoredCondition {
        switch self {
        case .all(let operands): operands.count == 1 ? operands[0].simplified : .all(operands.map(\.simplified))
        case .any(let operands): operands.count == 1 ? operands[0].simplified : .any(operands.map(\.simplified))
        case .not(let operand): .not(operand.simplified)
        case .audience, .segment, .attribute, .verbatim: self
        }
    }

    private func words(isOperand: Bool) -> String {
        switch self {
        case .all(let operands): Self.joined(operands, by: "and", empty: "never", isOperand)
        case .any(let operands): Self.joined(operands, by: "or", empty: "never", isOperand)
        case .not(.attribute(let test)) where test.match == .exists: "\(test.attribute) is absent"
        case .not(let operand): "not \(operand.words(isOperand: true))"
        case .audience(let key, _): "audience \(key)"
        case .segment(let name, _): "segment \(name)"
        case .attribute(let test): test.words
        case .verbatim(let value): value.compactText
        }
    }

    private static func joined(
        _ operands: [AuthoredCondition], by word: String, empty: String, _ isOperand: Bool
    ) -> String {
        guard operands.count != 1 else { return operands[0].words(isOperand: isOperand) }
        guard !operands.isEmpty else { return empty }
        let text = operands.map { $0.words(isOperand: true) }.joined(separator: " \(word) ")
        return isOperand ? "(\(text))" : text
    }
}

extension AttributeTest {
    fileprivate var words: String {
        let verb =
            switch match {
            case .exact: "is"
            case .exists: "is present"
            case .substring: "contains"
            case .greater, .versionGreater: ">"
            case .greaterOrEqual, .versionGreaterOrEqual: "≥"
            case .less, .versionLess: "<"
            case .lessOrEqual, .versionLessOrEqual: "≤"
            case .versionEqual: "is"
            }
        let kind = match.rawValue.hasPrefix("semver") ? " version" : ""
        guard match != .exists, let value else { return "\(attribute) \(verb)" }
        guard case .string(let text) = value else { return "\(attribute) \(verb)\(kind) \(value.compactText)" }
        return "\(attribute) \(verb)\(kind) \(text)"
    }
}

extension TrafficShare {
    /// `12.5%`: the spelling of project files.
    package var percent: String { Hundredths.text(buckets) + "%" }
}

extension SplitShare {
    /// `33.33`: the spelling of project files.
    package var weightText: String { Hundredths.text(weight) }
}
