/// The id of a device, by which the data platform knows a visitor who did not sign in; there it is called `vuid`.
///
/// ```swift
/// configuration.deviceID = try storage.settings.deviceID()
/// ```
///
/// A server has no use for it. An app keeps one, so that a visitor stays the same: `TurnoutSQLite` has a place for it,
/// and ``rawValue`` can be kept anywhere else.
public struct DeviceID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The id: `vuid_` and what makes it unique.
    public let rawValue: String

    /// Takes over an id; nil: it does not begin with `vuid_`, in whatever case.
    public init?(rawValue: String) {
        guard OdpUserKey.isVUID(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// A new id: `vuid_` and 27 hexadecimal digits.
    public static func new(random: some RandomSource = .system) -> DeviceID {
        DeviceID(unchecked: OdpUserKey.newVUID(random: random))
    }

    private init(unchecked rawValue: String) { self.rawValue = rawValue }

    /// The id.
    public var description: String { rawValue }
}
