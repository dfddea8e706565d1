/// The type of a column or of a bound value.
indirect enum ColumnType: Hashable, Sendable {
    case ascii, bigint, blob, boolean, double, int, timestamp, uuid, text, timeuuid, inet
    case list(ColumnType)
    case set(ColumnType)
    case map(ColumnType, ColumnType)

    /// The types that a table of a user may have.
    private static let names: [String: ColumnType] = [
        "ascii": .ascii, "bigint": .bigint, "blob": .blob, "boolean": .boolean, "double": .double, "int": .int,
        "timestamp": .timestamp, "uuid": .uuid, "text": .text, "varchar": .text, "timeuuid": .timeuuid, "inet": .inet,
    ]

    init?(named name: String) {
        guard let type = Self.names[name] else { return nil }
        self = type
    }

    /// The name in CQL.
    var name: String {
        switch self {
        case .list(let element): "list<\(element.name)>"
        case .set(let element): "set<\(element.name)>"
        case .map(let key, let value): "map<\(key.name), \(value.name)>"
        case .ascii: "ascii"
        case .bigint: "bigint"
        case .blob: "blob"
        case .boolean: "boolean"
        case .double: "double"
        case .int: "int"
        case .timestamp: "timestamp"
        case .uuid: "uuid"
        case .text: "text"
        case .timeuuid: "timeuuid"
        case .inet: "inet"
        }
    }

    private var code: Int {
        switch self {
        case .ascii: 0x0001
        case .bigint: 0x0002
        case .blob: 0x0003
        case .boolean: 0x0004
        case .double: 0x0007
        case .int: 0x0009
        case .timestamp: 0x000B
        case .uuid: 0x000C
        case .text: 0x000D
        case .timeuuid: 0x000F
        case .inet: 0x0010
        case .list: 0x0020
        case .map: 0x0021
        case .set: 0x0022
        }
    }

    func write(to writer: inout FrameWriter) {
        writer.short(code)
        switch self {
        case .list(let element), .set(let element): element.write(to: &writer)
        case .map(let key, let value):
            key.write(to: &writer)
            value.write(to: &writer)
        default: break
        }
    }

    /// Refuses bytes that are no value of the type.
    func check(_ bytes: [UInt8]) throws(CQLError) {
        let isValid =
            switch self {
            case .bigint, .timestamp, .double: bytes.count == 8
            case .int: bytes.count == 4
            case .boolean: bytes.count == 1
            case .uuid, .timeuuid: bytes.count == 16
            case .inet: bytes.count == 4 || bytes.count == 16
            case .text: String(validating: bytes, as: UTF8.self) != nil
            case .ascii: bytes.allSatisfy { $0 < 0x80 }
            case .blob, .list, .set, .map: true
            }
        guard isValid else { throw .invalid("\(bytes.count) bytes are not a value of the type \(name)") }
    }

    /// The order of clustering columns.
    func isLess(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        switch self {
        // The sign bit is the greatest in memory and the least in the order.
        case .bigint, .int, .timestamp:
            guard let first = left.first, let other = right.first else { return left.count < right.count }
            guard (first ^ other) & 0x80 == 0 else { return first & 0x80 != 0 }
            return left.lexicographicallyPrecedes(right)
        case .double: return Self.double(left) < Self.double(right)
        default: return left.lexicographicallyPrecedes(right)
        }
    }

    private static func double(_ bytes: [UInt8]) -> Double {
        Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
}
