/// The kind of a message.
enum Opcode: UInt8 {
    case error = 0x00
    case startup = 0x01
    case ready = 0x02
    case authenticate = 0x03
    case options = 0x05
    case supported = 0x06
    case query = 0x07
    case result = 0x08
    case prepare = 0x09
    case execute = 0x0A
    case register = 0x0B
    case event = 0x0C
    case batch = 0x0D
    case authChallenge = 0x0E
    case authResponse = 0x0F
    case authSuccess = 0x10
}

/// The nine bytes before the body of a message.
struct FrameHeader {
    static let size = 9
    /// The version that this server speaks.
    static let version: UInt8 = 4
    /// The longest body, as Cassandra's default.
    static let maximumLength = 256 << 20

    let version: UInt8
    let flags: UInt8
    let stream: Int16
    let opcode: UInt8
    let length: Int

    /// Reads a header; nil if there are too few bytes.
    init?(_ bytes: [UInt8], at offset: Int) {
        guard bytes.count - offset >= Self.size else { return nil }
        version = bytes[offset] & 0x7F
        flags = bytes[offset + 1]
        stream = Int16(bitPattern: UInt16(bytes[offset + 2]) << 8 | UInt16(bytes[offset + 3]))
        opcode = bytes[offset + 4]
        length = bytes[(offset + 5)..<(offset + 9)].reduce(0) { $0 << 8 | Int($1) }
    }
}

/// How many replicas must answer.
enum Consistency: UInt16 {
    case any = 0x0000
    case one = 0x0001
    case two = 0x0002
    case three = 0x0003
    case quorum = 0x0004
    case all = 0x0005
    case localQuorum = 0x0006
    case eachQuorum = 0x0007
    case serial = 0x0008
    case localSerial = 0x0009
    case localOne = 0x000A

    /// Whether only replicas in the data center of the node count.
    var isLocal: Bool { self == .localOne || self == .localQuorum || self == .localSerial }
}
