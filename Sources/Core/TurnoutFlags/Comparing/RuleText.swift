import TurnoutEngine

extension AuthoredRules {
    /// The effects of new rules, each as a change of an added part. Rules that give everyone `off` are left out.
    func additions(to subject: [String]) -> [ProjectChange] {
        let added = { (part: String, summary: String) in ProjectChange(.added, subject + [part], summary) }
        let hasRules = !experiments.isEmpty || !deliveries.isEmpty
        var changes =
            experiments.map { added("\($0.kind.label) \($0.key)", $0.summary) }
            + deliveries.map { added("delivery \($0.key)", $0.summary) }
        let rest = everyoneElse.map(\.variation) ?? "no variation"
        if !isEnabled {
            changes.insert(
                ProjectChange(.changed, subject, "turned off: everyone gets \(AuthoredVariation.offKey)"), at: 0)
        } else if hasRules || rest != AuthoredVariation.offKey {
            changes.append(ProjectChange(.changed, subject, "everyone\(hasRules ? " else" : "") gets \(rest)"))
        }
        return changes
    }
}

extension AuthoredExperiment {
    /// The users of the experiment and its variations: `25% of the users in audience paying take part: of them on 50%,
    /// off 50%; measured by purchase.unique`.
    package var summary: String {
        let users = AudienceText.users(traffic, audience)
        let would = status == .running ? "" : "would "
        let names = split.map(\.variation).joined(separator: ", ")
        let total = split.reduce(0) { $0 + $1.weight }
        let shares = split.map { "\($0.variation) \(Hundredths.text($0.weight * 10_000 / max(total, 1)))%" }
        let what =
            switch kind {
            case .split: "\(users) \(would)take part: of them \(shares.joined(separator: ", "))"
            case .bandit: "\(users) \(would)take part: a prediction service chooses among \(names)"
            case .rollout: "\(users) \(would)get \(names)"
            }
        let listed = allowList.reduce(0) { $0 + $1.userIDs.count }
        return what + (listed == 0 ? "" : "; \(listed) user\(listed == 1 ? "" : "s") in the allow list")
            + (metrics.isEmpty ? "" : "; measured by " + metrics.map(\.text).joined(separator: ", "))
            + status.remark
    }
}

extension AuthoredDelivery {
    /// The effect of the delivery: `10% of the users in audience new_app get on`.
    package var summary: String {
        AudienceText.users(traffic, audience)
            + (isEnabled ? " get \(variation)" : " would get \(variation); turned off")
    }
}

extension AuthoredHoldout {
    /// The users and rules of the holdout: `5% of all users are kept out of all flags`.
    package var summary: String {
        let places = rules.isEmpty ? "all flags" : rules.map(\.name).joined(separator: ", ")
        return "\(AudienceText.users(traffic, audience)) are kept out of \(places)"
            + (environments.isEmpty ? "" : " in " + environments.joined(separator: ", ")) + status.remark
    }
}

extension Rule.Status {
    /// The addition to the summary of a rule that is not running.
    fileprivate var remark: String { self == .running ? "" : "; not running: \(rawValue)" }
}

/// Words for the users of a rule.
private enum AudienceText {
    /// `25% of the users in audience paying`.
    static func users(_ traffic: TrafficShare, _ audience: AuthoredCondition?) -> String {
        let share = traffic == .all ? "" : traffic.percent + " of "
        return switch audience?.simplified {
        case nil: share + "all users"
        case .audience(let key, _): share + "the users in audience \(key)"
        case let condition?: share + "the users with \(condition.words)"
        }
    }
}

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
