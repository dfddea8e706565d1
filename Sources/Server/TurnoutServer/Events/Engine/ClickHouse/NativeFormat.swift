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

extension EngineResult {
    /// Reads blocks in ClickHouse's format Native; nil if they are damaged, or have other columns.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    init?(native bytes: [UInt8], _ kinds: [Kind]) {
        self.init()
        let isWhole = bytes.withUnsafeBytes { bytes in
            var reader = NativeReader(bytes: bytes)
            while reader.rest > 0 {
                guard let (columns, count) = reader.readBlock(kinds) else { return false }
                append(columns, count: count)
            }
            return true
        }
        if !isWhole { return nil }
    }
}

private struct NativeReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var rest: Int { bytes.count - offset }

    mutating func readBlock(_ kinds: [EngineResult.Kind]) -> (columns: [EngineResult.Column], count: Int)? {
        guard readCount() == kinds.count, let count = readCount() else { return nil }
        var columns: [EngineResult.Column] = []
        for kind in kinds {
            guard readText() != nil, let type = readText().map({ String(decoding: $0, as: UTF8.self) }),
                let column = readColumn(type, kind, count: count)
            else { return nil }
            columns.append(column)
        }
        return (columns, count)
    }

    private mutating func readCount() -> Int? {
        var (value, shift) = (0, 0)
        while shift < 63, rest > 0 {
            let byte = bytes[offset]
            offset += 1
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    private mutating func readText() -> UnsafeRawBufferPointer? {
        guard let count = readCount(), count <= rest else { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    private mutating func readColumn(
        _ type: String, _ kind: EngineResult.Kind, count: Int
    ) -> EngineResult.Column? {
        switch (type, kind) {
        case ("UInt8", .integer): readNumbers(UInt8.self, count).map { .init(integers: $0.map(Int64.init)) }
        case ("UInt64", .integer), ("Int64", .integer): readNumbers(Int64.self, count).map { .init(integers: $0) }
        case ("Float64", .double):
            readNumbers(UInt64.self, count).map { .init(doubles: $0.map(Double.init(bitPattern:))) }
        case ("String", .text): readTexts(count).map { .init(texts: $0) }
        default: nil
        }
    }

    private mutating func readNumbers<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type, _ count: Int
    ) -> [Number]? {
        let (width, start) = (Number.bitWidth / 8, offset)
        guard count <= rest / width else { return nil }
        offset += count * width
        return (0..<count).map {
            Number(littleEndian: bytes.loadUnaligned(fromByteOffset: start + $0 * width, as: type))
        }
    }

    private mutating func readTexts(_ count: Int) -> EngineTexts? {
        var texts = EngineTexts()
        for _ in 0..<count {
            guard let text = readText() else { return nil }
            texts.append(text)
        }
        return texts
    }
}
