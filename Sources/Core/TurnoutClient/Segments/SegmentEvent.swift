/// An event about a user, for the service that assigns users to segments.
package struct SegmentEvent: Sendable, Equatable {
    /// The default type of events.
    package static let standardType = "fullstack"

    /// The type of the event.
    package let type: String
    package let action: String
    /// The names and values that identify the user.
    package let identifiers: [String: String]
    /// Additional data: scalars and null.
    package let data: [String: JSONValue]

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - type: The type; nil or empty for ``standardType``.
    ///   - action: What happened.
    ///   - identifiers: The names and values that identify the user; see ``normalized(_:)``.
    ///   - data: Additional data; see ``SegmentEventError/invalidData(_:)``.
    /// - Throws: The first problem.
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
        case .null, .bool, .integer, .unsigned, .string: true
        case .double(let value): value.isFinite
        case .array, .object: false
        }
    }

    /// Normalizes the name of the user's id to the one the service expects.
    ///
    /// `fs-user-id` and other spellings of `fs_user_id` become `fs_user_id`, unless that is already there. Of several
    /// spellings the first in alphabetical order is used; all other identifiers are unchanged.
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

    /// Adds the device's id to identifiers, unless they contain one already or `device` is nil.
    package static func identifiers(_ identifiers: [String: String], on device: String?) -> [String: String] {
        var identifiers = identifiers
        let name = OdpUserKey.vuid.rawValue
        if identifiers[name] == nil { identifiers[name] = device }
        return identifiers
    }

    /// The identifiers that link a user to a device, or nil if there are not two ids: a user identified by a visitor's
    /// id has only that one.
    package static func identification(of userID: String, on device: String?) -> [String: String]? {
        guard let device, !device.isEmpty, !userID.isEmpty, !OdpUserKey.isVUID(userID) else { return nil }
        return [OdpUserKey.vuid.rawValue: device, OdpUserKey.userID.rawValue: userID]
    }

    /// Writes the event as an element of a request.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", type)
        writer.member("action", action)
        writer.member("identifiers", .object(identifiers.mapValues { .string($0) }))
        writer.member("data", .object(data))
        writer.endObject()
    }
}

/// Why a segment event was not sent. Invalid events are rejected here, since the service would refuse the whole
/// request.
public enum SegmentEventError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The datafile has no service for events.
    case noService
    /// A value in `data` is neither scalar nor null, or a number that JSON cannot represent. Carries its name.
    case invalidData(String)
    /// The event has no action.
    case noAction
    /// The event has no user: there is no identifier, or all are empty.
    case noIdentifier
    /// It could not be queued, because the queue is full or the store failed; see ``FlagClient/lostEvents``.
    case lost
    /// The event will be delivered if the process lives long enough, but the store could not make it durable. Sending
    /// it again would count it twice.
    case notDurable

    /// A description of the error.
    public var description: String {
        switch self {
        case .noService: "the segment event was not sent: the datafile names no data platform"
        case .invalidData(let name):
            "the segment event was not sent: its value for \"\(name)\" is not a string, finite number, Boolean or null"
        case .noAction: "the segment event was not sent: it has no action"
        case .noIdentifier: "the segment event was not sent: it has no identifier with a value"
        case .lost: "the segment event was given up: the queue is full, or its store failed; see FlagClient.lostEvents"
        case .notDurable:
            "the segment event could not be stored, and is kept in memory until it is delivered; do not send it again"
        }
    }
}

/// The data in every event about the program and its machine.
package struct SegmentEventOrigin: Sendable, Equatable {
    /// The name of the client.
    package var source: String
    /// The version of the client.
    package var sourceVersion: String
    /// The operating system, such as `Linux`.
    package var os: String
    package var osVersion: String
    /// `Phone`, `Tablet`, `Smart TV`, `Watch`, `PC` or `Other`.
    package var deviceType: String
    /// The model of the device; `N/A` where there is none.
    package var model: String

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

    /// This program on this machine.
    package static func here(source: String, sourceVersion: String) -> SegmentEventOrigin {
        #if os(macOS)
            let (os, deviceType) = ("macOS", "PC")
        #elseif os(iOS)
            let (os, deviceType) = ("iOS", "Phone")
        #elseif os(tvOS)
            let (os, deviceType) = ("tvOS", "Smart TV")
        #elseif os(watchOS)
            let (os, deviceType) = ("watchOS", "Watch")
        #elseif os(Linux)
            let (os, deviceType) = ("Linux", "Other")
        #else
            let (os, deviceType) = ("Other", "Other")
        #endif
        return SegmentEventOrigin(
            source: source, sourceVersion: sourceVersion, os: os, osVersion: OperatingSystem.version,
            deviceType: deviceType)
    }

    /// Adds the common data to an event's own, which takes precedence. The service detects duplicates by the id.
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
