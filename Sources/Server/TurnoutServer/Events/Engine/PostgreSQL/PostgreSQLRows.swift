#if PostgreSQL
    /// Encodes rows in the binary format of PostgreSQL's COPY.
    struct PostgreSQLRows {
        private(set) var bytes: [UInt8] = []

        /// Encodes the rows of a batch.
        ///
        /// - Complexity: O(*n*) in the length of the rows' texts.
        init(_ batch: EngineBatch, node: String) {
            bytes.reserveCapacity(batch.count * 384)
            bytes += "PGCOPY\n\u{FF}\r\n\0".unicodeScalars.map { UInt8($0.value) } + [UInt8](repeating: 0, count: 8)
            let columns = EngineTable.columns.map(\.content)
            for row in batch.rows {
                let body = batch.bodies[row.body]
                append(Int16(columns.count))
                for content in columns { append(content, row, body, node) }
            }
            append(Int16(-1))
        }

        private mutating func append(
            _ content: EngineTable.Column.Content, _ row: EngineRow, _ body: EventRows, _ node: String
        ) {
            switch content {
            case .text(let text): body.withBytes(of: text(row, body)) { append($0) }
            case .byte(let byte): append(field: Int16(byte(row)))
            case .integer(let number): append(field: number(row, body))
            case .hash(let hash): append(field: hash(row))
            case .double(let number): append(field: number(row).bitPattern)
            case .node: append(field: node.utf8)
            }
        }

        private mutating func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }

        private mutating func append(field number: some FixedWidthInteger) {
            append(Int32(number.bitWidth / 8))
            append(number)
        }

        private mutating func append(field text: some Collection<UInt8>) {
            append(Int32(text.count))
            bytes.append(contentsOf: text)
        }

        /// Appends a text. PostgreSQL refuses NUL and damaged UTF-8, which become U+FFFD.
        private mutating func append(_ text: UnsafeBufferPointer<UInt8>?) {
            guard let text else { return append(Int32(0)) }
            // Most texts are ASCII.
            guard !text.allSatisfy({ $0 &- 1 < 0x7F }) else { return append(field: text) }
            append(field: PostgreSQLSchema.valid(String(decoding: text, as: UTF8.self)).utf8)
        }
    }

    /// Reads rows in the binary format of PostgreSQL's COPY.
    struct PostgreSQLReader {
        private static let headerSize = 19
        // About as many as ClickHouse has in one. A text is kept once in each.
        private static let blockSize = 65_536

        private let kinds: [EngineResult.Kind]
        private var found = EngineResult()
        /// The rows of the last block.
        private var columns: [EngineResult.Column]
        private var (count, isStarted, isDamaged) = (0, false, false)

        /// Creates a reader of rows with columns of the types `bigint`, `double precision` and `text`.
        init(_ kinds: [EngineResult.Kind]) {
            (self.kinds, columns) = (kinds, Array(repeating: .init(), count: kinds.count))
        }

        /// The rows; nil if they are damaged.
        var result: EngineResult? {
            guard !isDamaged else { return nil }
            var result = found
            result.append(columns, count: count)
            return result
        }

        /// Adds the row of a message. The header comes with the first one.
        mutating func append(_ message: UnsafeRawBufferPointer) {
            var offset = isStarted ? 0 : Self.headerSize
            isStarted = true
            guard let width = message.number(Int16.self, at: &offset) else { return isDamaged = true }
            // The end.
            guard width != -1 else { return }
            guard width == kinds.count else { return isDamaged = true }
            for (index, kind) in kinds.enumerated() {
                let size = message.number(Int32.self, at: &offset).map(Int.init) ?? -1
                guard size >= 0, offset + size <= message.count, kind == .text || size == 8 else {
                    return isDamaged = true
                }
                switch kind {
                case .integer: columns[index].integers.append(message.number(Int64.self, at: &offset) ?? 0)
                case .double:
                    columns[index].doubles.append(Double(bitPattern: message.number(UInt64.self, at: &offset) ?? 0))
                case .text:
                    columns[index].texts.append(UnsafeRawBufferPointer(rebasing: message[offset..<offset + size]))
                    offset += size
                }
            }
            count += 1
            guard count == Self.blockSize else { return }
            found.append(columns, count: count)
            (columns, count) = (Array(repeating: .init(), count: kinds.count), 0)
        }
    }

    extension UnsafeRawBufferPointer {
        fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(
            _ type: Number.Type, at offset: inout Int
        ) -> Number? {
            guard offset + MemoryLayout<Number>.size <= count else { return nil }
            defer { offset += MemoryLayout<Number>.size }
            return Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
        }
    }
#endif
