/// The text of a JSON string: bytes of valid UTF-8 with all escapes resolved.
///
/// The bytes belong to the reader and are gone with its next string.
struct JSONText {
    let bytes: UnsafeBufferPointer<UInt8>
    let isASCII: Bool

    var string: String { String(decoding: bytes, as: UTF8.self) }
}
