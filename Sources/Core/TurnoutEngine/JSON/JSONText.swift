/// The text of a JSON string: bytes of valid UTF-8 with all escapes resolved.
///
/// The bytes belong to the reader and are valid until it reads the next string.
package struct JSONText {
    package let bytes: UnsafeBufferPointer<UInt8>
    let isASCII: Bool

    package var string: String { String(decoding: bytes, as: UTF8.self) }

    /// The string as a dictionary key. Long runs of combining marks are put in canonical order, which keeps the key
    /// equal to the original: Swift takes quadratic time to hash them in any other order.
    package var key: String {
        guard !isASCII, bytes.count > 64, bytes.hasLongRun else { return string }
        var scalars = CanonicalScalars(bytes)
        var key = String.UnicodeScalarView()
        while let scalar = scalars.next() { key.append(Unicode.Scalar(scalar) ?? "\u{FFFD}") }
        return String(key)
    }

    static func == (text: JSONText, word: String) -> Bool { word.hasBytes(text.bytes) }
}
