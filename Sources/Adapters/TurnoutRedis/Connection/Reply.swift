import TurnoutClient

/// A server's reply to a command.
package enum Reply: Sendable, Equatable {
    /// No value, such as for a missing key.
    case null
    case integer(Int64)
    /// A text, or a short word such as `OK`.
    case text(String)
    /// Bytes that are not UTF-8.
    case bytes([UInt8])
    case array([Reply])
    /// The command failed; the first word is the error code.
    case error(String)

    /// The reply of most commands that change data.
    static let ok = Reply.text("OK")

    /// Creates a text if the bytes are UTF-8.
    init(_ bytes: ArraySlice<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self) {
            self = .text(text)
        } else {
            self = .bytes(Array(bytes))
        }
    }

    /// The text, if it is one.
    var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The number, if it is one.
    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    /// The elements, if it is an array.
    var elements: [Reply]? { if case .array(let elements) = self { elements } else { nil } }

    /// The error that this is, or the first within it.
    var error: ProfileServerError? {
        switch self {
        case .error(let text): ProfileServerError(reply: text)
        case .array(let elements): elements.lazy.compactMap(\.error).first
        default: nil
        }
    }
}
