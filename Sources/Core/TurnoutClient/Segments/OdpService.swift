/// The service that knows which segments users belong to, as a datafile names it: Optimizely's data platform.
///
/// Address and key stay together in one value, so that nobody can combine the key of one datafile with the address of
/// another.
public struct OdpService: Sendable, Hashable {
    /// The address, with its scheme and without a path: `https://api.zaius.com`.
    public let host: String
    /// The key that the service knows the project by.
    public let key: String

    /// Names a service.
    public init(host: String, key: String) {
        self.host = host
        self.key = key
    }

    /// The service that a datafile names, or nil: none, or not its address and its key both.
    public init?(of project: Project) {
        let integration = project.integrations.first { $0.key == "odp" }
        guard let host = integration?.host, let key = integration?.publicKey, !host.isEmpty, !key.isEmpty else {
            return nil
        }
        self.init(host: host, key: key)
    }

    /// An event on its way to the service, which takes lists of them.
    package func outgoing(_ event: SegmentEvent) -> OutgoingEvent {
        var writer = JSONWriter()
        event.write(to: &writer)
        return OutgoingEvent(group: group, visitor: writer.bytes)
    }

    /// What events for the service have in common.
    var group: OutgoingEvent.Group {
        OutgoingEvent.Group(region: .us, envelope: "[", closing: "]", address: host + "/v3/events", key: key)
    }

    /// A request with a JSON text, for one of the service's paths.
    func request(_ path: String, body: [UInt8], deadline: Duration) -> HTTPRequest {
        HTTPRequest(
            .post, host + path, headers: ["Content-Type": "application/json", "x-api-key": key], body: body,
            deadline: deadline)
    }
}

/// Names that the service knows users by.
package enum OdpUserKey: String, Sendable {
    /// The id that the program gave the user.
    case userID = "fs_user_id"
    /// The id of a device, which the program made up: a visitor's id.
    case vuid

    /// The name that an id goes by: what starts with `vuid_`, in whatever case, is a visitor's.
    package init(for id: String) { self = Self.isVUID(id) ? .vuid : .userID }

    /// Whether an id is a visitor's.
    package static func isVUID(_ id: String) -> Bool { id.prefix(5).lowercased() == "vuid_" }

    /// A new visitor's id: `vuid_` and 27 hexadecimal digits, 32 characters in all.
    package static func newVUID(random: any RandomSource) -> String {
        "vuid_" + String(random.eventID().description.lowercased().filter { $0 != "-" }.prefix(27))
    }

    /// The key under which the segments of a user are kept.
    package static func cacheKey(for id: String) -> String { "\(Self(for: id).rawValue)-$-\(id)" }
}
