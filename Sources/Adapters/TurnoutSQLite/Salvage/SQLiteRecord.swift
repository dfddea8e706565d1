#if SQLite
    /// The columns of a row or of an index's entry, in SQLite's record format.
    struct SQLiteRecord {
        enum Value: Equatable {
            case null
            case int(Int64)
            case text([UInt8])
            case blob([UInt8])
        }

        let values: [Value]

        /// Reads the content of a cell. Returns nil if its lengths do not add up, or it has a type that the tables do
        /// not use.
        init?(_ bytes: [UInt8]) {
            var place = 0
            guard let header = bytes.varint(at: &place, end: bytes.count), (1...64).contains(header),
                header <= bytes.count
            else { return nil }
            var values: [Value] = []
            var content = Int(header)
            while place < header {
                guard let type = bytes.varint(at: &place, end: Int(header)),
                    let value = Self.value(type, bytes, &content)
                else { return nil }
                values.append(value)
            }
            guard place == header, content == bytes.count else { return nil }
            self.values = values
        }

        private static let intSizes = [0, 1, 2, 3, 4, 6, 8]

        private static func value(_ type: Int64, _ bytes: [UInt8], _ place: inout Int) -> Value? {
            switch type {
            case 0: return .null
            case 8, 9: return .int(type - 8)
            case 1...6:
                let end = place + intSizes[Int(type)]
                guard end <= bytes.count else { return nil }
                var number = Int64(Int8(bitPattern: bytes[place]))
                for byte in bytes[(place + 1)..<end] { number = number << 8 | Int64(byte) }
                place = end
                return .int(number)
            case 12...Int64(Int32.max):
                let end = place + Int(type - 12) / 2
                guard end <= bytes.count else { return nil }
                defer { place = end }
                return type % 2 == 0 ? .blob(Array(bytes[place..<end])) : .text(Array(bytes[place..<end]))
            default: return nil
            }
        }

        subscript(column: Int) -> Value { values[column] }

        func int(_ column: Int) -> Int64? {
            guard case .int(let number) = values[column] else { return nil }
            return number
        }

        /// A column's text, or nil if it has none or that is not UTF-8.
        func text(_ column: Int) -> String? {
            guard case .text(let bytes) = values[column] else { return nil }
            return String(validating: bytes, as: UTF8.self)
        }

        func bytes(_ column: Int) -> [UInt8]? {
            guard case .blob(let bytes) = values[column] else { return nil }
            return bytes
        }

        func isNull(_ column: Int) -> Bool { values[column] == .null }

        /// The column types as letters, which identify the table of a row.
        var shape: String {
            String(
                values.map { value -> Character in
                    switch value {
                    case .null: "n"
                    case .int: "i"
                    case .text: "t"
                    case .blob: "b"
                    }
                })
        }
    }
#endif
