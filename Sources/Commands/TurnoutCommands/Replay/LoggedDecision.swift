package import TurnoutEngine

/// A decision in a log: for which user and flag, and what is known about its outcome.
package struct LoggedDecision: Sendable {
    /// The subject of a decision.
    package enum Subject: Sendable, Equatable {
        /// A flag, by `decide`.
        case flag(String)
        /// A flag, by `isFeatureEnabled` and the getters of variables, which ignore forced decisions.
        case feature(String)
        /// A single experiment, by `activate` and `getVariation`.
        case experiment(String)

        /// The key of the flag or experiment.
        package var key: String {
            switch self {
            case .flag(let key), .feature(let key), .experiment(let key): key
            }
        }
    }

    package let subject: Subject
    package let userID: String
    /// The user's attributes; nil if the log does not have them.
    package let attributes: Attributes?
    /// Whether ``attributes`` are only those that the project declares, as in events.
    package var hasDeclaredAttributesOnly = false
    /// The parts of the outcome that the log has.
    package var outcome: [(part: Part, value: JSONValue)] = []
    /// Whether a prediction service chose the variation.
    package var isPredicted = false

    /// A part of an outcome.
    package enum Part: Sendable, Equatable {
        case variation, variationID, rule, ruleID, enabled, source
        case variable(String)

        package var name: String {
            switch self {
            case .variation: "variation"
            case .variationID: "variation id"
            case .rule: "rule"
            case .ruleID: "rule id"
            case .enabled: "enabled"
            case .source: "source"
            case .variable(let key): "variable \(key)"
            }
        }
    }

    init(_ subject: Subject, userID: String, attributes: Attributes?) {
        (self.subject, self.userID, self.attributes) = (subject, userID, attributes)
    }

    /// Adds a part if the log has it.
    mutating func add(_ part: Part, _ value: JSONValue?) {
        if let value { outcome.append((part, value)) }
    }

    /// Adds a key or an id if the log has it. The empty text stands for none.
    mutating func add(key part: Part, _ value: JSONValue?) {
        if let value { outcome.append((part, value == .string("") ? .null : value)) }
    }

    /// Adds an id, unless the log has none: clients send null for ids that the server would reject.
    mutating func add(id part: Part, _ value: JSONValue?) {
        if case .string(let id)? = value, !id.isEmpty { outcome.append((part, .string(id))) }
    }

    /// Adds the values of variables.
    mutating func add(variables: JSONValue?) {
        guard case .object(let values)? = variables else { return }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) { outcome.append((.variable(key), value)) }
    }
}
