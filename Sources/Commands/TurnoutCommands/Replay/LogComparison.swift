package import TurnoutEngine

/// Decides again what a log says, and compares.
package struct LogComparison: Sendable {
    /// The result for one decision of a log.
    package enum Result: Sendable {
        case equal
        case different(LogDifference)
        /// The decision cannot be repeated, for this reason.
        case notComparable(String)
    }

    private let project: Project
    private let users: [String: User]
    private let hasTraces: Bool

    /// - Parameters:
    ///   - project: The project to decide with.
    ///   - users: Users by their ids, for what the log does not have: segments, forced decisions, and attributes.
    ///   - hasTraces: Whether differences have the steps of the decision.
    package init(_ project: Project, users: [String: User] = [:], hasTraces: Bool = false) {
        (self.project, self.users, self.hasTraces) = (project, users, hasTraces)
    }

    /// Decides again, with the user's stored assignments.
    package func compare(_ logged: LoggedDecision, profile: UserProfile = UserProfile()) -> Result {
        guard !logged.outcome.isEmpty else { return .notComparable("the log does not say what was decided") }
        guard let user = user(of: logged) else { return .notComparable("the user's attributes are not in the log") }
        var parts: [LogDifference.Part] = []
        if let now = decision(logged.subject, user, profile) {
            for (part, value) in logged.outcome {
                let current = Self.value(of: part, in: now)
                if !current.isEquivalent(to: value) { parts.append(.init(name: part.name, log: value, now: current)) }
            }
            guard !parts.isEmpty else { return .equal }
        }
        guard !logged.isPredicted, !isBandit(logged) else {
            return .notComparable("a prediction service chose the variation")
        }
        return .different(
            LogDifference(
                user: user, subject: logged.subject, parts: parts,
                trace: hasTraces && !parts.isEmpty ? trace(logged.subject, user, profile) : nil))
    }

    /// The decision that is made now; nil if the datafile lacks the flag or experiment.
    private func decision(_ subject: LoggedDecision.Subject, _ user: User, _ profile: UserProfile) -> Decision? {
        let decision =
            switch subject {
            case .flag(let key): Optional(project.decide(key, for: user, profile: profile))
            case .feature(let key): Optional(project.decideFeature(key, for: user, profile: profile))
            case .experiment(let key): project.decideExperiment(key, for: user, profile: profile)
            }
        return decision?.stage == .flagNotFound ? nil : decision
    }

    /// The user of a decision; nil if the attributes are unknown.
    private func user(of logged: LoggedDecision) -> User? {
        let known = users[logged.userID]
        guard var attributes = logged.attributes ?? known?.attributes else { return nil }
        if logged.hasDeclaredAttributesOnly {
            for (name, value) in known?.attributes ?? [:] where attributes[name] == nil { attributes[name] = value }
        }
        var user = User(logged.userID, attributes: attributes)
        guard let known else { return user }
        (user.segments, user.forcedDecisions) = (known.segments, known.forcedDecisions)
        return user
    }

    /// Whether the log has a variation of a contextual bandit. Unless it is on a whitelist or stored, only the
    /// prediction service can choose it.
    private func isBandit(_ logged: LoggedDecision) -> Bool {
        for case (.rule, .string(let key)) in logged.outcome {
            return project.experiment(key)?.contextualBanditTraffic != nil
        }
        return false
    }

    private func trace(_ subject: LoggedDecision.Subject, _ user: User, _ profile: UserProfile) -> DecisionTrace? {
        var user = user
        switch subject {
        case .experiment: return nil
        case .feature: user.forcedDecisions = [:]
        case .flag: break
        }
        return project.explain(subject.key, for: user, profile: profile)
    }

    private static func value(of part: LoggedDecision.Part, in decision: Decision) -> JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return switch part {
        case .variation: text(decision.variationKey)
        case .variationID: text(decision.variation?.id)
        case .rule: text(decision.ruleKey)
        case .ruleID: text(decision.rule?.id)
        case .enabled: .bool(decision.isEnabled)
        case .source: .string(decision.source.rawValue)
        case .variable(let key): decision.variables[key]?.jsonValue ?? .null
        }
    }
}

/// A decision that is not what the log says.
package struct LogDifference: Sendable {
    /// A part of the outcome that differs.
    package struct Part: Sendable {
        package let name: String
        package let log: JSONValue
        package let now: JSONValue
    }

    package let user: User
    package let subject: LoggedDecision.Subject
    /// The parts that differ; empty if the datafile has no such flag or experiment.
    package let parts: [Part]
    package let trace: DecisionTrace?
}

extension JSONValue {
    /// Whether values are equal, where 1 and 1.0 are the same number: not all clients write both alike.
    func isEquivalent(to other: JSONValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .double(let right)), (.double(let right), .integer(let left)):
            return Double(left) == right
        case (.unsigned(let left), .double(let right)), (.double(let right), .unsigned(let left)):
            return Double(left) == right
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isEquivalent(to: $1) }
        case (.object(let left), .object(let right)):
            return left.count == right.count
                && left.allSatisfy { key, value in right[key].map { value.isEquivalent(to: $0) } ?? false }
        default: return self == other
        }
    }
}
