import TurnoutEngine

extension AudienceCondition {
    /// The condition in words: `country is "US" and (plan is "gold" or age is at least 18)`.
    var words: String {
        switch self {
        case .everyone: "everyone"
        case .all(let operands): Self.join(operands, "and")
        case .any(let operands): Self.join(operands, "or")
        case .not(let operands): "not " + (operands.first.map(\.groupedWords) ?? "nothing")
        case .audience(_, let name): "\"\(name)\""
        case .attribute(let name, let match, let value): Self.words(name ?? "(no attribute)", match, value ?? "nothing")
        case .never(let reason): "no users (\(reason))"
        }
    }

    private static func join(_ operands: [AudienceCondition], _ word: String) -> String {
        switch operands.count {
        case 0: "no users (an empty \"\(word)\")"
        case 1: operands[0].words
        default: operands.map(\.groupedWords).joined(separator: " \(word) ")
        }
    }

    /// In parentheses if the words would be ambiguous otherwise.
    private var groupedWords: String {
        switch self {
        case .all(let operands) where operands.count > 1, .any(let operands) where operands.count > 1: "(\(words))"
        default: words
        }
    }

    private static func words(_ name: String, _ match: String, _ value: String) -> String {
        switch match {
        case "exact": "\(name) is \(value)"
        case "exists": "\(name) is known"
        case "substring": "\(name) contains \(value)"
        case "gt": "\(name) is above \(value)"
        case "ge": "\(name) is at least \(value)"
        case "lt": "\(name) is below \(value)"
        case "le": "\(name) is at most \(value)"
        case "semver_eq": "\(name) is version \(value)"
        case "semver_gt": "\(name) is a version above \(value)"
        case "semver_ge": "\(name) is version \(value) or above"
        case "semver_lt": "\(name) is a version below \(value)"
        case "semver_le": "\(name) is version \(value) or below"
        case "qualified": "in segment \(value)"
        default: "\(name) \(match) \(value)"
        }
    }
}
