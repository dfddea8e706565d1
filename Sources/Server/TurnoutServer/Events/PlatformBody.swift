/// The bodies in the log of events that the server made of events for its data platform.
///
/// They are processed like others, but not forwarded: another intake did not ask for them.
enum PlatformBody {
    /// How they begin, unlike all bodies of clients.
    static let opening = "{\"type\":\"platform\","

    /// Whether a body is one of them.
    static func matches(_ body: [UInt8]) -> Bool { body.starts(with: opening.utf8) }
}
