/// The service that manages users' segments: Optimizely's data platform.
///
/// Address and key are one value, so that the key of one datafile cannot be combined with the address of another.
public struct OdpService: Sendable, Hashable {
    /// The address, with its scheme and without a path: `https://api.zaius.com`.
    public let host: String
    /// The project's public key for the service.
    public let key: String

    /// Creates a service.
    public init(host: String, key: String) {
        self.host = host
        self.key = key
    }

    /// The service in a datafile, or nil if the datafile does not name both its address and its key.
    public init?(of project: Project) {
        let integration = project.integrations.first { $0.key == "odp" }
        guard let host = integration?.host, let key = integration?.publicKey, !host.isEmpty, !key.isEmpty else {
            return nil
        }
        self.init(host: host, key: key)
    }

    /// An event for the service, which takes lists of events.
    package func outgoing(_ event: SegmentEvent) -> OutgoingEvent {
        var writer = JSONWriter()
        event.write(to: &writer)
        return OutgoingEvent(group: group, visitor: writer.bytes)
    }

    /// The common data of events for the service.
    var group: OutgoingEvent.Group {
        OutgoingEvent.Group(region: .us, envelope: "[", closing: "]", address: host + "/v3/events", key: key)
    }

    /// A request with a JSON body to one of the service's paths.
    func request(_ path: String, body: [UInt8], deadline: Duration) -> HTTPRequest {
        HTTPRequest(
            .post, host + path, headers: ["Content-Type": "application/json", "x-api-key": key], body: body,
            deadline: deadline)
    }
}

/// The service's names for user identifiers.
package enum OdpUserKey: String, Sendable {
    /// The id that the program uses for the user.
    case userID = "fs_user_id"
    /// The generated id of a device: a visitor's id.
    case vuid

    /// The identifier for an id: ids that start with `vuid_`, in upper or lower case, are visitors'.
    package init(for id: String) { self = Self.isVUID(id) ? .vuid : .userID }

    /// Whether an id is a visitor's.
    package static func isVUID(_ id: String) -> Bool { id.prefix(5).lowercased() == "vuid_" }

    /// A new visitor's id: `vuid_` and 27 hexadecimal digits, 32 characters in all.
    package static func newVUID(random: any RandomSource) -> String {
        "vuid_" + String(random.eventID().description.lowercased().filter { $0 != "-" }.prefix(27))
    }

    /// The cache key for a user's segments.
    package static func cacheKey(for id: String) -> String { "\(Self(for: id).rawValue)-$-\(id)" }
}

/// The id of a device, which identifies an anonymous visitor on the data platform, where it is called `vuid`.
///
/// ```swift
/// configuration.deviceID = try storage.settings.deviceID()
/// ```
///
/// Servers do not need one. An app stores one, so that a visitor keeps the same id: `TurnoutSQLite` can store it, and
/// ``rawValue`` can be stored anywhere else.
public struct DeviceID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The id: `vuid_` and a unique suffix.
    public let rawValue: String

    /// Creates an id from a raw value, or returns nil if it does not begin with `vuid_` in upper or lower case.
    public init?(rawValue: String) {
        guard OdpUserKey.isVUID(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// Creates a new id: `vuid_` and 27 hexadecimal digits.
    public static func new(random: some RandomSource = .system) -> DeviceID {
        DeviceID(unchecked: OdpUserKey.newVUID(random: random))
    }

    private init(unchecked rawValue: String) { self.rawValue = rawValue }

    /// The id.
    public var description: String { rawValue }
}
