import TurnoutClient

extension JSONValue {
    /// The value as JSON, with sorted keys.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    /// The bytes as text.
    package var json: String { String(decoding: bytes, as: UTF8.self) }
}
