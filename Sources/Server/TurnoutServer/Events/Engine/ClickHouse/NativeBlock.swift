/// Encodes rows in ClickHouse's format Native: one block, column by column, which states the number of its rows first.
/// ClickHouse refuses a block that was cut off; of other formats, old versions store a part.
struct NativeBlock {
    private(set) var bytes: [UInt8] = []

    /// Encodes the rows of a batch.
    ///
    /// - Complexity: O(*n*) in the length of the rows' texts.
    init(_ batch: EngineBatch, node: String) {
        bytes.reserveCapacity(batch.count * 256)
        append(UInt64(EngineTable.columns.count))
        append(UInt64(batch.count))
        for column in EngineTable.columns {
            append(column.name)
            append(column.content.clickHouseType)
            append(column.content, batch, node)
        }
    }

    private mutating func append(_ content: EngineTable.Column.Content, _ batch: EngineBatch, _ node: String) {
        switch content {
        case .text(let text):
            for row in batch.rows {
                let body = batch.bodies[row.body]
                body.withBytes(of: text(row, body)) { append($0) }
            }
        case .byte(let byte): for row in batch.rows { bytes.append(byte(row)) }
        case .integer(let number): for row in batch.rows { append(word: number(row, batch.bodies[row.body])) }
        case .hash(let hash): for row in batch.rows { append(word: hash(row)) }
        case .double(let number):
            for row in batch.rows { append(word: Int64(bitPattern: number(row).bitPattern)) }
        case .node: for _ in batch.rows { append(node) }
        }
    }

    private mutating func append(word: Int64) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>?) {
        guard let text else { return bytes.append(0) }
        append(UInt64(text.count))
        bytes.append(contentsOf: text)
    }

    private mutating func append(_ text: String) {
        append(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    /// Appends a number of seven bits a byte.
    private mutating func append(_ number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

extension EngineTable.Column.Content {
    /// The type of the column in ClickHouse.
    var clickHouseType: String {
        switch self {
        case .text, .node: "String"
        case .byte: "UInt8"
        case .integer: "Int64"
        case .hash: "UInt64"
        case .double: "Float64"
        }
    }
}
