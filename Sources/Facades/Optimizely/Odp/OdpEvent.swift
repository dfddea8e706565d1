import Foundation
package import TurnoutClient

/// An event for Optimizely Data Platform (ODP).
public struct OdpEvent: Codable, Equatable, Sendable {
    package let type: String
    package let action: String
    package let identifiers: [String: String]
    package let data: [String: JSONValue]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - type: The type of the event, such as `fullstack`.
    ///   - action: The action of the event.
    ///   - identifiers: The user's identifiers, as names and values.
    ///   - data: Additional data: strings, numbers, Booleans and nil. Values that JSON cannot represent are left out.
    public init(type: String, action: String, identifiers: [String: String], data: [String: Any?]) {
        self.init(
            type: type, action: action, identifiers: identifiers,
            data: data.compactMapValues { JSONValue(anyValue: $0) })
    }

    package init(_ event: SegmentEvent) {
        self.init(type: event.type, action: event.action, identifiers: event.identifiers, data: event.data)
    }

    private init(type: String, action: String, identifiers: [String: String], data: [String: JSONValue]) {
        self.type = type
        self.action = action
        self.identifiers = identifiers
        self.data = data
    }

    /// The event as a dictionary: `type`, `action`, `identifiers` and `data`, where nil is `NSNull`.
    public var dict: [String: Any] {
        ["type": type, "action": action, "identifiers": identifiers, "data": data.mapValues { $0.anyValue }]
    }

    // MARK: Codable

    /// The keys of stored events, which must not change. `dataSerial` is JSON within JSON, because its values have any
    /// type.
    private enum CodingKeys: String, CodingKey { case type, action, identifiers, dataSerial }

    /// Decodes a stored event.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let bytes = try members.decode(Data.self, forKey: .dataSerial)
        guard case .object(let data)? = try? JSONValue(parsing: Array(bytes)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .dataSerial, in: members, debugDescription: "not a JSON object")
        }
        self.init(
            type: try members.decode(String.self, forKey: .type),
            action: try members.decode(String.self, forKey: .action),
            identifiers: try members.decode([String: String].self, forKey: .identifiers), data: data)
    }

    /// Encodes the event for storage.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(type, forKey: .type)
        try members.encode(action, forKey: .action)
        try members.encode(identifiers, forKey: .identifiers)
        try members.encode(Data(JSONValue.object(data).compactText.utf8), forKey: .dataSerial)
    }
}
