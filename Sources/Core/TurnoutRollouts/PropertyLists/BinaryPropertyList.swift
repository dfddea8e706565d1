import TurnoutEngine

/// Reads property lists in the binary form, `bplist00`.
///
/// Numbers in a file say where its objects are, so each of them may be wrong on purpose: lists may contain themselves,
/// and a small file may share its parts so often that it is a large one. Dates and bytes, which no configuration has,
/// come out as null.
struct BinaryPropertyList {
    static let signature = Array("bplist00".utf8)
    private static let trailerSize = 32
    private static let depthLimit = 64

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private var objectCount = 0
    private var offsetTable = 0
    /// What may still be built, in bytes. Names that all experiments share are good for some ten times the file.
    private var budget: Int

    static func read(_ bytes: [UInt8]) throws(RolloutConfigurationError) -> JSONValue {
        var list = try BinaryPropertyList(bytes)
        let top = try list.integer(at: bytes.count - 16, size: 8)
        return try list.object(top, depth: 0)
    }

    private init(_ bytes: [UInt8]) throws(RolloutConfigurationError) {
        guard bytes.count >= Self.signature.count + Self.trailerSize else {
            throw RolloutConfigurationError("the property list ends too early")
        }
        let trailer = bytes.suffix(Self.trailerSize)
        (offsetSize, referenceSize) = (Int(trailer[trailer.startIndex + 6]), Int(trailer[trailer.startIndex + 7]))
        self.bytes = bytes
        budget = max(64 * bytes.count, 1 << 20)
        objectCount = try integer(at: bytes.count - 24, size: 8)
        offsetTable = try integer(at: bytes.count - 8, size: 8)
        // So that no multiplication below can overflow.
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), objectCount <= bytes.count else {
            throw RolloutConfigurationError("the property list's trailer is damaged")
        }
    }

    // MARK: Objects

    private mutating func object(_ number: Int, depth: Int) throws(RolloutConfigurationError) -> JSONValue {
        guard number < objectCount else {
            throw RolloutConfigurationError("object \(number) is none of \(objectCount)")
        }
        guard depth < Self.depthLimit else { throw RolloutConfigurationError("the property list is nested too deeply") }
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
        default: throw RolloutConfigurationError("object \(number) is of no known kind")
        }
    }

    private mutating func elements(at start: Int, count: Int, depth: Int) throws(RolloutConfigurationError)
        -> [JSONValue]
    {
        try spend(count * referenceSize)
        var elements: [JSONValue] = []
        for index in 0..<count {
            let number = try integer(at: start + index * referenceSize, size: referenceSize)
            elements.append(try object(number, depth: depth + 1))
        }
        return elements
    }

    private mutating func members(
        at start: Int, count: Int, depth: Int
    ) throws(RolloutConfigurationError) -> [String: JSONValue] {
        let keys = try elements(at: start, count: count, depth: depth)
        let values = try elements(at: start + count * referenceSize, count: count, depth: depth)
        var members: [String: JSONValue] = [:]
        for (key, value) in zip(keys, values) {
            guard case .string(let key) = key else { throw RolloutConfigurationError("a key is no string") }
            if members[key] == nil { members[key] = value }
        }
        return members
    }

    private mutating func text(at start: Int, count: Int, isWide: Bool) throws(RolloutConfigurationError) -> String {
        let size = isWide ? 2 * count : count
        try spend(size)
        guard start <= bytes.count, size <= bytes.count - start else {
            throw RolloutConfigurationError("a string is cut off")
        }
        let part = bytes[start..<start + size]
        guard isWide else { return String(decoding: part, as: UTF8.self) }
        let units = stride(from: start, to: start + size, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return String(decoding: units, as: UTF16.self)
    }

    private mutating func spend(_ size: Int) throws(RolloutConfigurationError) {
        budget -= size + 16
        guard budget > 0 else { throw RolloutConfigurationError("the property list is larger than it looks") }
    }

    // MARK: Numbers

    /// How many parts an object has, and where they begin.
    private func count(_ low: Int, at place: Int) throws(RolloutConfigurationError) -> (count: Int, start: Int) {
        guard low == 0x0F else { return (low, place + 1) }
        let marker = try integer(at: place + 1, size: 1)
        guard marker >> 4 == 0x1 else { throw RolloutConfigurationError("a count is no number") }
        let size = 1 << (marker & 0x0F)
        let count = try integer(at: place + 2, size: size)
        guard count <= bytes.count else {
            throw RolloutConfigurationError("something is larger than the property list")
        }
        return (count, place + 2 + size)
    }

    /// Numbers of eight bytes have a sign; those of sixteen are such numbers with zeros before them.
    private func signed(at place: Int, size: Int) throws(RolloutConfigurationError) -> Int64 {
        Int64(bitPattern: try size == 16 ? bits(at: place + 8, size: 8) : bits(at: place, size: size))
    }

    private func real(at place: Int, size: Int) throws(RolloutConfigurationError) -> Double {
        let bits = try bits(at: place, size: size)
        return size == 4 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits)
    }

    private func integer(at place: Int, size: Int) throws(RolloutConfigurationError) -> Int {
        guard let number = Int(exactly: try bits(at: place, size: size)), number < 1 << 48 else {
            throw RolloutConfigurationError("a number is larger than any property list")
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
