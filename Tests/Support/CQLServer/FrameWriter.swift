/// Appends messages and their values to bytes.
struct FrameWriter {
    private(set) var bytes: [UInt8] = []
    /// Where the message begins.
    private var start = 0

    init() {}

    /// Exchanges the bytes with those of a buffer, and removes the latter.
    mutating func exchange(_ buffer: inout [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        swap(&bytes, &buffer)
    }

    /// Removes the message, and returns it.
    mutating func cutMessage() -> [UInt8] {
        defer { bytes.removeSubrange(start...) }
        return Array(bytes[start...])
    }

    /// Appends a header; a message ends before the next begins.
    mutating func begin(_ opcode: Opcode, stream: Int16) {
        start = bytes.count
        byte(0x80 | FrameHeader.version)
        byte(0)
        short(Int(UInt16(bitPattern: stream)))
        byte(opcode.rawValue)
        int(0)
    }

    mutating func setOpcode(_ opcode: Opcode) { bytes[start + 4] = opcode.rawValue }

    /// Begins the body again.
    mutating func restart(_ opcode: Opcode) {
        bytes.removeSubrange((start + FrameHeader.size)...)
        setOpcode(opcode)
    }

    /// Sets the length of the message.
    mutating func end() { setInt(bytes.count - start - FrameHeader.size, at: start + 5) }

    private mutating func setInt(_ value: Int, at position: Int) {
        for offset in 0..<4 { bytes[position + offset] = UInt8(truncatingIfNeeded: value >> (24 - 8 * offset)) }
    }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    private mutating func append<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func short(_ value: Int) { append(UInt16(truncatingIfNeeded: value)) }
    mutating func int(_ value: Int) { append(Int32(truncatingIfNeeded: value)) }
    mutating func long(_ value: Int64) { append(value) }
    mutating func raw(_ value: [UInt8]) { bytes.append(contentsOf: value) }

    mutating func string(_ value: String) {
        short(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    mutating func shortBytes(_ value: [UInt8]) {
        short(value.count)
        raw(value)
    }

    mutating func longBytes(_ value: [UInt8]?) {
        guard let value else { return int(-1) }
        int(value.count)
        raw(value)
    }

    mutating func stringList(_ list: [String]) {
        short(list.count)
        for value in list { string(value) }
    }

    /// An IPv4 address with a port.
    mutating func inet(_ address: [UInt8], port: UInt16) {
        byte(UInt8(address.count))
        raw(address)
        int(Int(port))
    }
}

/// Messages about columns.
extension FrameWriter {
    private enum Flag {
        static let globalTable = 1
        static let hasMorePages = 2
        static let noMetadata = 4
    }

    /// The metadata of rows.
    mutating func columns(
        _ columns: [ColumnSpecification], of table: TableName, hasMetadata: Bool, pagingState: [UInt8]?
    ) {
        int((hasMetadata ? Flag.globalTable : Flag.noMetadata) | (pagingState == nil ? 0 : Flag.hasMorePages))
        int(columns.count)
        if let pagingState { longBytes(pagingState) }
        if hasMetadata { specifications(columns, of: table) }
    }

    mutating func specifications(_ columns: [ColumnSpecification], of table: TableName) {
        string(table.keyspace ?? "")
        string(table.table)
        for column in columns {
            string(column.name)
            column.type.write(to: &self)
        }
    }
}
