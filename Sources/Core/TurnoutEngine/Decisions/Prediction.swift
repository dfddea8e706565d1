/// A prediction service's result for one user and one contextual bandit.
public enum Prediction: Sendable, Equatable {
    /// The service chose a variation; `uuid` identifies the prediction in events.
    case variation(id: String, uuid: String)
    /// The service was unreachable or gave no usable result.
    case failed
}

/// The predictions available to a decision.
///
/// The engine does not perform requests. If a contextual bandit has no prediction, the decision stops with a
/// ``PredictionRequest``; perform it and decide again with its result.
public enum Predictions: Sendable {
    /// There is no prediction service; contextual bandits are skipped. The default.
    case unavailable
    /// The predictions received so far, by experiment id. Missing ones are requested.
    case received([String: Prediction])
}

/// A request to a prediction service.
public struct PredictionRequest: Sendable, Equatable {
    /// The user's id, never the bucketing id.
    public let userID: String
    /// The id of the experiment.
    public let ruleID: String
    /// The user's values for the experiment's attributes, by attribute id, sorted by id.
    public let attributes: [(id: String, value: AttributeValue)]

    /// Creates a request; `attributes` can be in any order.
    public init(userID: String, ruleID: String, attributes: [(id: String, value: AttributeValue)]) {
        self.userID = userID
        self.ruleID = ruleID
        self.attributes = attributes.sorted { $0.id < $1.id }
    }

    /// Whether two requests are the same.
    public static func == (left: PredictionRequest, right: PredictionRequest) -> Bool {
        left.userID == right.userID && left.ruleID == right.ruleID
            && left.attributes.elementsEqual(right.attributes) { $0.id == $1.id && $0.value == $1.value }
    }

    /// The cache key for the prediction: the number of characters in the user's id, the user's id and the rule's id.
    public var cacheKey: String { "\(userID.count)-\(userID)-\(ruleID)" }

    /// The fingerprint of the attributes: a cached prediction is valid as long as this is unchanged.
    ///
    /// MurmurHash3 with seed 0 over the attributes as a JSON list of `[id, value]` pairs, as eight hexadecimal digits.
    /// Values without a JSON representation, which are not sent in requests either, are left out; the vendor's clients
    /// compute the same fingerprint for all other values.
    public var attributesHash: String {
        var writer = JSONWriter(style: .foundation)
        writer.beginArray()
        for (id, value) in attributes {
            guard let value = JSONValue(value) else { continue }
            writer.beginArray()
            writer.string(id)
            writer.value(value)
            writer.endArray()
        }
        writer.endArray()
        var hash = MurmurHasher(seed: 0)
        hash.append(writer.text)
        return hash.value.hexadecimal(width: 8)
    }
}

extension JSONValue {
    /// The value as JSON, or nil for NaN, infinities and values of unknown types.
    public init?(_ value: AttributeValue) {
        switch value {
        case .string(let value): self = .string(value)
        case .integer(let value): self = .integer(value)
        case .bool(let value): self = .bool(value)
        case .null, .opaque(_, isNull: true): self = .null
        case .opaque: return nil
        case .double, .float:
            guard let number = value.number, number.isFinite else { return nil }
            self = .double(number)
        case .array(let elements):
            let values = elements.compactMap { JSONValue($0) }
            guard values.count == elements.count else { return nil }
            self = .array(values)
        case .object(let members):
            let values = members.compactMapValues { JSONValue($0) }
            guard values.count == members.count else { return nil }
            self = .object(values)
        }
    }
}

extension PredictionRequest {
    /// The request for a contextual bandit's prediction.
    init(for rule: Rule, user: User) {
        let tables = rule.project.tables
        var seen: Set<Symbol> = []
        let attributes = rule.row.cmabAttributeIDs.range.compactMap { index -> (id: String, value: AttributeValue)? in
            guard seen.insert(tables.symbolLists[index]).inserted,
                let attribute = tables.attributesByID[tables.symbolLists[index]],
                let value = user.attributes[tables.symbols.text(tables.attributes[attribute].key)]
            else { return nil }
            return (tables.symbols.text(tables.attributes[attribute].id), value)
        }
        self.init(userID: user.id, ruleID: rule.id, attributes: attributes)
    }
}
