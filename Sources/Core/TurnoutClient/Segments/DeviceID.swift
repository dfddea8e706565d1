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
