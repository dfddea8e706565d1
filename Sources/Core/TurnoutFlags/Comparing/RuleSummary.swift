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
    var summary: String {
        let users = AudienceText.users(traffic, audience)
        let names = split.map(\.variation).joined(separator: ", ")
        let total = split.reduce(0) { $0 + $1.weight }
        let shares = split.map { "\($0.variation) \(Hundredths.text($0.weight * 10_000 / max(total, 1)))%" }
        let what =
            switch kind {
            case .split: "\(users) take part: of them \(shares.joined(separator: ", "))"
            case .bandit: "\(users) take part: a prediction service chooses among \(names)"
            case .rollout: "\(users) get \(names)"
            }
        let listed = allowList.reduce(0) { $0 + $1.userIDs.count }
        return what + (listed == 0 ? "" : "; \(listed) user\(listed == 1 ? "" : "s") in the allow list")
            + (metrics.isEmpty ? "" : "; measured by " + metrics.map(\.text).joined(separator: ", "))
            + status.remark
    }
}

extension AuthoredDelivery {
    /// The effect of the delivery: `10% of the users in audience new_app get on`.
    var summary: String {
        "\(AudienceText.users(traffic, audience)) get \(variation)" + (isEnabled ? "" : "; turned off")
    }
}

extension AuthoredHoldout {
    /// The users and rules of the holdout: `5% of all users are kept out of all flags`.
    var summary: String {
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
