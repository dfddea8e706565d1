/// The answer of a prediction service for one user and one contextual bandit.
public enum Prediction: Sendable, Equatable {
    /// The service chose a variation; `uuid` names the prediction in events.
    case variation(id: String, uuid: String)
    /// The service could not be asked, or gave no usable answer.
    case failed
}

/// What is known of predictions when a decision is made.
///
/// The engine never waits. A walk that meets a contextual bandit without an answer stops and says what it needs; ask
/// for that and decide again with the answer.
public enum Predictions: Sendable {
    /// There is nobody to ask: contextual bandits are passed over. The default.
    case unavailable
    /// Answers by experiment id. Missing ones are asked for.
    case answers([String: Prediction])
}

/// What a prediction service has to be asked.
public struct PredictionRequest: Sendable, Equatable {
    /// The id of the user, never the bucketing id.
    public let userID: String
    /// The id of the experiment.
    public let ruleID: String
    /// The user's values of the attributes that the experiment names, by attribute id, sorted by id.
    public let attributes: [(id: String, value: AttributeValue)]

    /// Creates a request; `attributes` in any order.
    public init(userID: String, ruleID: String, attributes: [(id: String, value: AttributeValue)]) {
        self.userID = userID
        self.ruleID = ruleID
        self.attributes = attributes.sorted { $0.id < $1.id }
    }

    /// Whether two requests ask the same.
    public static func == (left: PredictionRequest, right: PredictionRequest) -> Bool {
        left.userID == right.userID && left.ruleID == right.ruleID
            && left.attributes.elementsEqual(right.attributes) { $0.id == $1.id && $0.value == $1.value }
    }

    /// The key of the answer in a cache: the number of characters in the user's id, the user's id and the rule's.
    public var cacheKey: String { "\(userID.count)-\(userID)-\(ruleID)" }

    /// The fingerprint of the attributes: an answer in a cache is good as long as this has not changed.
    ///
    /// MurmurHash3 with seed 0 over the attributes as a JSON list of `[id, value]` pairs, as eight hexadecimal digits.
    /// What has no JSON, and so is not asked about, is left out; the vendor's clients then have the same for all values
    /// of the others.
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
        var hash = MurmurHash3(seed: 0)
        hash.append(writer.text)
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension JSONValue {
    /// The value as JSON, or nil: NaN, an infinity, or a value of an unknown type.
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
