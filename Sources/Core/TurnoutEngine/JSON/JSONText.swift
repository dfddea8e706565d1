/// The text of a JSON string: bytes of valid UTF-8 with all escapes resolved.
///
/// The bytes belong to the reader and are valid until it reads the next string.
package struct JSONText {
    package let bytes: UnsafeBufferPointer<UInt8>
    let isASCII: Bool

    package var string: String { String(decoding: bytes, as: UTF8.self) }

    /// The string as a dictionary key. Swift takes quadratic time to hash long runs of combining marks, except in
    /// canonical order, so they are put in that order, which keeps the key equal to the original.
    package var key: String { isASCII || bytes.count <= 64 ? string : string.inCanonicalOrder }

    static func == (text: JSONText, word: String) -> Bool { word.hasBytes(text.bytes) }
}

extension String {
    /// The string with long runs of combining marks sorted by their classes. Unicode's Stream-Safe Text Format allows
    /// 30 marks after a letter.
    fileprivate var inCanonicalOrder: String {
        var result = UnicodeScalarView()
        var marks: [(order: UInt8, scalar: Unicode.Scalar)] = []
        func endRun() {
            if marks.count > 31 { marks.sort { $0.order < $1.order } }
            for mark in marks { result.append(mark.scalar) }
            marks.removeAll(keepingCapacity: true)
        }
        for scalar in unicodeScalars {
            let order = scalar.properties.canonicalCombiningClass.rawValue
            if order == 0 { endRun() }
            marks.append((order, scalar))
        }
        endRun()
        return String(result)
    }
}
