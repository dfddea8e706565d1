/// Something a user did, for the service that puts users into segments.
package struct SegmentEvent: Sendable, Equatable {
    /// The type that events have unless they say otherwise.
    package static let standardType = "fullstack"

    /// A family of events.
    package let type: String
    /// What happened.
    package let action: String
    /// What the service can know the user by: names and values.
    package let identifiers: [String: String]
    /// Further facts: scalars and null.
    package let data: [String: JSONValue]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - type: The family; nil or empty: ``standardType``.
    ///   - action: What happened.
    ///   - identifiers: What the service can know the user by; see ``normalized(_:)``.
    ///   - data: Further facts; see ``SegmentEventError/invalidData(_:)``.
    /// - Throws: What is wrong with it first.
    package init(
        type: String?, action: String, identifiers: [String: String], data: [String: JSONValue]
    ) throws(SegmentEventError) {
        if let key = data.keys.sorted().first(where: { data[$0].map(Self.isAllowed) != true }) {
            throw .invalidData(key)
        }
        guard !action.isEmpty else { throw .noAction }
        guard identifiers.contains(where: { !$0.key.isEmpty && !$0.value.isEmpty }) else { throw .noIdentifier }
        self.type = type.flatMap { $0.isEmpty ? nil : $0 } ?? Self.standardType
        self.action = action
        self.identifiers = identifiers
        self.data = data
    }

    private static func isAllowed(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .bool, .integer, .string: true
        case .double(let value): value.isFinite
        case .array, .object: false
        }
    }

    /// Identifiers with the user's id under the name that the service expects.
    ///
    /// `fs-user-id` and other spellings of `fs_user_id` become `fs_user_id`, unless that is there already. Of several
    /// spellings the first in alphabetical order is taken; everything else stays as it is.
    package static func normalized(_ identifiers: [String: String]) -> [String: String] {
        let name = OdpUserKey.userID.rawValue
        guard identifiers[name] == nil else { return identifiers }
        let spellings = identifiers.keys.filter { key in
            let key = key.lowercased()
            return key == name || key == "fs-user-id"
        }
        guard let spelling = spellings.min() else { return identifiers }
        var identifiers = identifiers
        identifiers[name] = identifiers.removeValue(forKey: spelling)
        return identifiers
    }

    /// Identifiers with that of the device, unless they name one already; nil: it has none.
    package static func identifiers(_ identifiers: [String: String], on device: String?) -> [String: String] {
        var identifiers = identifiers
        let name = OdpUserKey.vuid.rawValue
        if identifiers[name] == nil { identifiers[name] = device }
        return identifiers
    }

    /// What tells that a user and a device belong together, or nil: that takes two ids, and a user who is known by a
    /// visitor's id has only that.
    package static func identification(of userID: String, on device: String?) -> [String: String]? {
        guard let device, !device.isEmpty, !userID.isEmpty, !OdpUserKey.isVUID(userID) else { return nil }
        return [OdpUserKey.vuid.rawValue: device, OdpUserKey.userID.rawValue: userID]
    }

    /// Writes the event as an element of a request.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("type")
        writer.string(type)
        writer.key("action")
        writer.string(action)
        writer.key("identifiers")
        writer.value(.object(identifiers.mapValues { .string($0) }))
        writer.key("data")
        writer.value(.object(data))
        writer.endObject()
    }
}
