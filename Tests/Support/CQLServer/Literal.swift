/// A constant in the text of a statement.
enum Literal: Sendable, Equatable {
    case string(String)
    case number(String)
    case blob([UInt8])
    case uuid([UInt8])
    case boolean(Bool)
    case null

    /// The bytes as a value of a type; nil for null.
    func bytes(as type: ColumnType) throws(CQLError) -> [UInt8]? {
        let bytes: [UInt8]? =
            switch (self, type) {
            case (.null, _): nil
            case (.string(let text), .text), (.string(let text), .ascii): Array(text.utf8)
            case (.string(let text), .inet): Self.address(text)
            case (.number(let text), .int): Int32(text).map(Self.bigEndian)
            case (.number(let text), .bigint), (.number(let text), .timestamp): Int64(text).map(Self.bigEndian)
            case (.number(let text), .double): Double(text).map { Self.bigEndian($0.bitPattern) }
            case (.blob(let bytes), .blob): bytes
            case (.uuid(let bytes), .uuid), (.uuid(let bytes), .timeuuid): bytes
            case (.boolean(let isTrue), .boolean): [isTrue ? 1 : 0]
            default: nil
            }
        if bytes == nil, self != .null { throw .invalid("a constant is not a value of the type \(type.name)") }
        return bytes
    }

    static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func address(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        let bytes = parts.compactMap(\.self)
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }
}

/// What stands for a value in a statement.
enum Term: Sendable, Equatable {
    case literal(Literal)
    /// The marker with this index.
    case marker(Int)
}
