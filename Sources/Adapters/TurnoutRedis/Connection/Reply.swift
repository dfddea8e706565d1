#if Redis
    /// What a server answers to a command.
    enum Reply: Sendable, Equatable {
        /// Nothing, such as for a key that does not exist.
        case null
        /// A number.
        case integer(Int64)
        /// A text, or a short word such as `OK`.
        case text(String)
        /// Bytes that are no text.
        case bytes([UInt8])
        /// Several answers.
        case array([Reply])
        /// The command was not carried out; the first word says why.
        case error(String)

        /// What most commands answer that change something.
        static let ok = Reply.text("OK")

        /// Bytes: a text if they are UTF-8.
        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            if let text = String(validating: bytes, as: UTF8.self) {
                self = .text(text)
            } else {
                self = .bytes(Array(bytes))
            }
        }

        /// A text, if it is one.
        var text: String? { if case .text(let text) = self { text } else { nil } }
        /// A number, if it is one.
        var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
        /// Several answers, if they are.
        var elements: [Reply]? { if case .array(let elements) = self { elements } else { nil } }

        /// The error that this is, or the first within it.
        var error: RedisError? {
            switch self {
            case .error(let text): RedisError(answer: text)
            case .array(let elements): elements.lazy.compactMap(\.error).first
            default: nil
            }
        }
    }
#endif
