/// A hash function over blocks of 64 bytes with a state of 32-bit words, most significant byte first. (FIPS 180-4)
protocol HashFunction {
    /// The words before the first block.
    static var initialState: [UInt32] { get }
    /// The number of words that a block is expanded to.
    static var scheduleSize: Int { get }
    /// Adds a block, whose 16 words are at the beginning of `schedule`, to the state.
    static func add(_ schedule: UnsafeMutableBufferPointer<UInt32>, to state: inout [UInt32])
}

extension HashFunction {
    /// The hash of a message.
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state = initialState
        let message = padded(message)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: scheduleSize) { schedule in
            message.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: 64) {
                    for word in 0..<16 {
                        let value = bytes.loadUnaligned(fromByteOffset: start + 4 * word, as: UInt32.self)
                        schedule[word] = UInt32(bigEndian: value)
                    }
                    add(schedule, to: &state)
                }
            }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    /// The authentication code of a message. (RFC 2104)
    static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var key = key.count > 64 ? hash(key) : key
        key.append(contentsOf: repeatElement(0, count: 64 - key.count))
        return hash(key.map { $0 ^ 0x5C } + hash(key.map { $0 ^ 0x36 } + message))
    }

    /// The message, a one bit, zeros, and the message's number of bits, in whole blocks.
    private static func padded(_ message: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(message.count + 72)
        bytes += message
        bytes.append(0x80)
        bytes.append(contentsOf: repeatElement(0, count: (56 - bytes.count % 64 + 64) % 64))
        let bitCount = UInt64(message.count) &* 8
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: bitCount >> shift))
        }
        return bytes
    }
}

extension UInt32 {
    /// The bits, rotated to the left.
    func rotated(by count: UInt32) -> UInt32 { self &<< count | self &>> (32 &- count) }
}
