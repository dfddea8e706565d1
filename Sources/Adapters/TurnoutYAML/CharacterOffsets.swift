#if YAML
    /// The byte offsets of the characters of a UTF-8 text. libyaml counts characters; source files count bytes.
    ///
    /// Offsets that are asked for in ascending order take linear time together.
    struct CharacterOffsets {
        private let bytes: UnsafeBufferPointer<UInt8>
        private let isASCII: Bool
        private var character = 0
        private var byte = 0

        /// Creates the offsets of a text.
        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            self.bytes = bytes
            isASCII = bytes.allSatisfy { $0 < 0x80 }
        }

        /// The offset of a character, counted from 0; at most the size of the text.
        mutating func offset(of wanted: Int) -> Int {
            if isASCII { return min(wanted, bytes.count) }
            while character < wanted, byte < bytes.count {
                byte += 1
                while byte < bytes.count, bytes[byte] & 0xC0 == 0x80 { byte += 1 }
                character += 1
            }
            while character > wanted, byte > 0 {
                byte -= 1
                while byte > 0, bytes[byte] & 0xC0 == 0x80 { byte -= 1 }
                character -= 1
            }
            return byte
        }
    }
#endif
