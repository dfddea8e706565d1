#if Redis
    /// Computes the cluster slot of a key.
    package enum HashSlot {
        /// The number of slots in a cluster.
        package static let count = 16_384

        /// The slot of a key: the CRC-16 of its hash tag, or of the whole key if it has none.
        package static func of(_ key: String) -> Int {
            var key = key
            return key.withUTF8 { Int(checksum(tag(in: $0))) % count }
        }

        private static func tag(in key: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>> {
            guard let open = key.firstIndex(of: UInt8(ascii: "{")) else { return key[...] }
            let rest = key[(open + 1)...]
            guard let close = rest.firstIndex(of: UInt8(ascii: "}")), close > open + 1 else { return key[...] }
            return rest[..<close]
        }

        /// CRC-16/XMODEM.
        private static func checksum(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UInt16 {
            bytes.reduce(0) { ($0 << 8) ^ table[Int($0 >> 8 ^ UInt16($1))] }
        }

        private static let table: [UInt16] = (0..<256).map { byte in
            (0..<8).reduce(UInt16(byte) << 8) { sum, _ in sum << 1 ^ (sum & 0x8000 == 0 ? 0 : 0x1021) }
        }
    }
#endif
