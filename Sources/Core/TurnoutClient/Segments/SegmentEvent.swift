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
    ///   - data: Further facts; see ``Problem/invalidData(_:)``.
    /// - Throws: The first ``Problem`` with it.
    package init(
        type: String?, action: String, identifiers: [String: String], data: [String: JSONValue]
    ) throws(Problem) {
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

    /// Why an event cannot be sent. The service would refuse it, and the events it travels with.
    package enum Problem: Error, Sendable, Hashable {
        /// A fact is neither scalar nor null, or a number that JSON does not know. Carries its key.
        case invalidData(String)
        /// It does not say what happened.
        case noAction
        /// It does not say to whom: there is no identifier, or all are empty.
        case noIdentifier
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

/// What every event tells about the program and the machine it comes from.
package struct SegmentEventOrigin: Sendable, Equatable {
    /// The name of the client.
    package var source: String
    /// The version of the client.
    package var sourceVersion: String
    /// The operating system, such as `Linux`.
    package var os: String
    /// The operating system's version.
    package var osVersion: String
    /// `Phone`, `Tablet`, `Smart TV`, `Watch`, `PC` or `Other`.
    package var deviceType: String
    /// The model of the device; `N/A` where there is none.
    package var model: String

    /// Describes an origin.
    package init(
        source: String, sourceVersion: String, os: String, osVersion: String, deviceType: String = "Other",
        model: String = "N/A"
    ) {
        self.source = source
        self.sourceVersion = sourceVersion
        self.os = os
        self.osVersion = osVersion
        self.deviceType = deviceType
        self.model = model
    }

    /// Facts about an event, with those that all events tell. What the caller says in `data` goes first; by the id the
    /// service knows repeats of the event.
    package func adding(to data: [String: JSONValue], id: EventID) -> [String: JSONValue] {
        let common: [String: JSONValue] = [
            "idempotence_id": .string(id.description),
            "data_source_type": .string("sdk"),
            "data_source": .string(source),
            "data_source_version": .string(sourceVersion),
            "os": .string(os),
            "os_version": .string(osVersion),
            "device_type": .string(deviceType),
            "model": .string(model),
        ]
        return common.merging(data) { $1 }
    }
}
