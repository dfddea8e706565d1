import TurnoutEngine

/// Reads property lists in the binary form, `bplist00`.
///
/// The file is untrusted: any offset or reference in it may be invalid, lists may contain themselves, and shared
/// objects may expand a small file enormously. Dates and data, which no configuration contains, are read as null.
struct BinaryPropertyList {
    static let signature = Array("bplist00".utf8)
    private static let trailerSize = 32
    private static let depthLimit = 64

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private var objectCount = 0
    private var offsetTable = 0
    /// The remaining memory budget for values, in bytes.
    private var budget: Int

    static func read(_ bytes: [UInt8]) throws(RolloutConfigurationError) -> JSONValue {
        var list = try BinaryPropertyList(bytes)
        let top = try list.integer(at: bytes.count - 16, size: 8)
        return try list.object(top, depth: 0)
    }

    private init(_ bytes: [UInt8]) throws(RolloutConfigurationError) {
        guard bytes.count >= Self.signature.count + Self.trailerSize else {
            throw RolloutConfigurationError("the property list is cut off")
        }
        let trailer = bytes.suffix(Self.trailerSize)
        (offsetSize, referenceSize) = (Int(trailer[trailer.startIndex + 6]), Int(trailer[trailer.startIndex + 7]))
        self.bytes = bytes
        budget = Self.budget(for: bytes.count)
        objectCount = try integer(at: bytes.count - 24, size: 8)
        offsetTable = try integer(at: bytes.count - 8, size: 8)
        // Keeps the multiplications below from overflowing.
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), objectCount <= bytes.count else {
            throw RolloutConfigurationError("the last 32 bytes of the property list, its trailer, are damaged")
        }
    }

    // MARK: Objects

    private mutating func object(_ number: Int, depth: Int) throws(RolloutConfigurationError) -> JSONValue {
        guard number < objectCount else {
            throw RolloutConfigurationError("object \(number) does not exist; there are \(objectCount)")
        }
        guard depth < Self.depthLimit else {
            throw RolloutConfigurationError("nested deeper than \(Self.depthLimit) levels")
        }
        let place = try integer(at: offsetTable + number * offsetSize, size: offsetSize)
        let marker = try integer(at: place, size: 1)
        let low = marker & 0x0F
        switch marker >> 4 {
        case 0x0: return marker == 0x08 ? .bool(false) : marker == 0x09 ? .bool(true) : .null
        case 0x1: return .integer(try signed(at: place + 1, size: 1 << low))
        case 0x2: return .double(try real(at: place + 1, size: 1 << low))
        case 0x3, 0x4, 0x8: return .null
        case 0x5, 0x6:
            let (count, start) = try count(low, at: place)
            return .string(try text(at: start, count: count, isWide: marker >> 4 == 0x6))
        case 0xA, 0xC:
            let (count, start) = try count(low, at: place)
            return .array(try elements(at: start, count: count, depth: depth))
        case 0xD:
            let (count, start) = try count(low, at: place)
            return .object(try members(at: start, count: count, depth: depth))
        default: throw RolloutConfigurationError("object \(number) has an unknown type")
        }
    }

    private mutating func elements(
        at start: Int, count: Int, depth: Int
    ) throws(RolloutConfigurationError) -> [JSONValue] {
        try spend(count * MemoryLayout<JSONValue>.stride)
        var elements: [JSONValue] = []
        elements.reserveCapacity(count)
        for index in 0..<count { elements.append(try part(index, at: start, depth: depth)) }
        return elements
    }

    /// The object for the reference at `index` in the list at `start`.
    private mutating func part(
        _ index: Int, at start: Int, depth: Int
    ) throws(RolloutConfigurationError) -> JSONValue {
        try object(try integer(at: start + index * referenceSize, size: referenceSize), depth: depth + 1)
    }

    private mutating func members(
        at start: Int, count: Int, depth: Int
    ) throws(RolloutConfigurationError) -> [String: JSONValue] {
        // A dictionary allocates up to three slots per member.
        try spend(count * 3 * MemoryLayout<(String, JSONValue)>.stride)
        var members: [String: JSONValue] = [:]
        for index in 0..<count {
            guard case .string(let key) = try part(index, at: start, depth: depth) else {
                throw RolloutConfigurationError("a key of a dictionary is not a string")
            }
            let value = try part(index, at: start + count * referenceSize, depth: depth)
            if members[key] == nil { members[key] = value }
        }
        return members
    }

    private mutating func text(at start: Int, count: Int, isWide: Bool) throws(RolloutConfigurationError) -> String {
        let size = isWide ? 2 * count : count
        // An invalid byte, or most UTF-16 code units, take three bytes in UTF-8.
        try spend(3 * count)
        guard start <= bytes.count, size <= bytes.count - start else {
            throw RolloutConfigurationError("a string is cut off")
        }
        let part = bytes[start..<start + size]
        guard isWide else { return String(decoding: part, as: UTF8.self) }
        let units = stride(from: start, to: start + size, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return String(decoding: units, as: UTF16.self)
    }

    /// Charges the budget for a value before it is built: its contents, and the overhead of an allocation.
    private mutating func spend(_ size: Int) throws(RolloutConfigurationError) {
        budget -= size + 48
        guard budget > 0 else {
            let limit = Self.budget(for: bytes.count) >> 20
            throw RolloutConfigurationError("the property list's values take more than \(limit) MiB of memory")
        }
    }

    /// The memory budget for a file of `count` bytes. Shared objects can expand a small file many times.
    private static func budget(for count: Int) -> Int { max(min(256 * max(count, 1 << 14), 64 << 20), 16 * count) }

    // MARK: Numbers

    /// The number of elements of an object, and where they begin.
    private func count(_ low: Int, at place: Int) throws(RolloutConfigurationError) -> (count: Int, start: Int) {
        guard low == 0x0F else { return (low, place + 1) }
        let marker = try integer(at: place + 1, size: 1)
        guard marker >> 4 == 0x1 else { throw RolloutConfigurationError("the length of an object is not an integer") }
        let size = 1 << (marker & 0x0F)
        let count = try integer(at: place + 2, size: size)
        guard count <= bytes.count else {
            throw RolloutConfigurationError("the length of an object is more than that of the file")
        }
        return (count, place + 2 + size)
    }

    /// Eight-byte integers are signed; sixteen-byte ones are such integers with a zero upper half.
    private func signed(at place: Int, size: Int) throws(RolloutConfigurationError) -> Int64 {
        Int64(bitPattern: try size == 16 ? bits(at: place + 8, size: 8) : bits(at: place, size: size))
    }

    private func real(at place: Int, size: Int) throws(RolloutConfigurationError) -> Double {
        let bits = try bits(at: place, size: size)
        return size == 4 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits)
    }

    private func integer(at place: Int, size: Int) throws(RolloutConfigurationError) -> Int {
        guard let number = Int(exactly: try bits(at: place, size: size)), number < 1 << 48 else {
            throw RolloutConfigurationError("an offset, reference or length is out of range")
        }
        return number
    }

    private func bits(at place: Int, size: Int) throws(RolloutConfigurationError) -> UInt64 {
        guard size <= 8, place >= 0, place <= bytes.count - size else {
            throw RolloutConfigurationError("the property list is cut off")
        }
        return bytes[place..<place + size].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
