extension DatafileBuilder {
    mutating func readAudiences(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = tables.audiences.count
        try readArray(&reader) { (builder, reader) throws(JSONError) in
            var row = AudienceRow()
            try builder.readObject(&reader, .audience) {
                (builder, reader, field) throws(JSONError) in
                switch field {
                case .id: row.id = try builder.readSymbol(&reader)
                case .name: row.name = try builder.readSymbol(&reader)
                default: try builder.readConditions(of: &row, &reader)
                }
            }
            builder.tables.audiences.append(row)
        }
        return Rows(from: start, to: tables.audiences.count)
    }

    /// Reads an audience's conditions: a condition, or a string that contains one as JSON.
    private mutating func readConditions(of row: inout AudienceRow, _ reader: inout JSONReader) throws(JSONError) {
        guard reader.peek() == UInt8(ascii: "\"") else {
            row.condition = try readCondition(&reader)
            return
        }
        let place = reader.cursor
        let text = try reader.readString()
        row.conditionsText = tables.symbols.intern(text)
        do throws(JSONError) {
            row.condition = try JSONReader.read(text.bytes) { (inner) throws(JSONError) in try readCondition(&inner) }
        } catch {
            throw reader.error("in the JSON text of this string: \(error)", at: place)
        }
    }

    /// Reads the `audienceConditions` of a rule. Returns -1 for everyone: an empty list, or only an operator.
    mutating func readAudienceConditions(_ reader: inout JSONReader) throws(JSONError) -> Int32 {
        let row = try readCondition(&reader)
        let kind = tables.conditions[Int(row)].kind
        return kind == .emptyList || kind == .strayOperator ? -1 : row
    }

    /// The condition `["or", id, id, …]`, or -1 for everyone if there are no ids.
    mutating func appendCondition(anyOf audienceIDs: Rows) -> Int32 {
        guard !audienceIDs.isEmpty else { return -1 }
        let parent = appendCondition(.or)
        for index in audienceIDs.range { appendCondition(.audience, tables.symbolLists[index]) }
        tables.conditions[parent].end = Int32(tables.conditions.count)
        return Int32(parent)
    }

    // MARK: Trees

    /// Reads one condition and everything below it, and returns its row.
    private mutating func readCondition(_ reader: inout JSONReader) throws(JSONError) -> Int32 {
        guard reader.peek() == UInt8(ascii: "[") else { return try readSingle(&reader) }
        return try readList(&reader)
    }

    /// Reads a condition that is not a list. Out of line to keep the recursive function's stack frame small.
    @inline(never)
    private mutating func readSingle(_ reader: inout JSONReader) throws(JSONError) -> Int32 {
        switch reader.peek() {
        case UInt8(ascii: "\""):
            let text = try reader.readString()
            let kind: ConditionRow.Kind = Self.operatorKind(text) == nil ? .audience : .strayOperator
            return Int32(appendCondition(kind, tables.symbols.intern(text)))
        case UInt8(ascii: "{"):
            let row = appendCondition(.leaf)
            tables.conditions[row].operand = try readLeaf(&reader)
            return Int32(row)
        default: throw reader.unexpected("a condition (a string, an object or an array)")
        }
    }

    /// Reads a list. Its first item determines its kind.
    private mutating func readList(_ reader: inout JSONReader) throws(JSONError) -> Int32 {
        let row = appendCondition(.emptyList)
        var isFirst = true
        try readArray(&reader) { (builder, reader) throws(JSONError) in
            if isFirst {
                (builder.tables.conditions[row].kind, builder.tables.conditions[row].isImplied) =
                    try builder.readFirstItem(&reader)
            } else {
                _ = try builder.readCondition(&reader)
            }
            isFirst = false
        }
        tables.conditions[row].end = Int32(tables.conditions.count)
        return Int32(row)
    }

    /// Reads the first item of a list and returns the kind of the list: an operator applies to the items that follow; a
    /// condition is the first of several of which one must be met.
    private mutating func readFirstItem(
        _ reader: inout JSONReader
    ) throws(JSONError) -> (kind: ConditionRow.Kind, isImplied: Bool) {
        guard reader.peek() == UInt8(ascii: "\"") else {
            let isList = reader.peek() == UInt8(ascii: "[")
            _ = try readCondition(&reader)
            return (isList ? .nestedFirst : .or, true)
        }
        return try readFirstWord(&reader)
    }

    @inline(never)
    private mutating func readFirstWord(
        _ reader: inout JSONReader
    ) throws(JSONError) -> (kind: ConditionRow.Kind, isImplied: Bool) {
        let text = try reader.readString()
        if let kind = Self.operatorKind(text) { return (kind, false) }
        appendCondition(.audience, tables.symbols.intern(text))
        return (.or, true)
    }

    private static func operatorKind(_ text: JSONText) -> ConditionRow.Kind? {
        // Most texts are ids, which are longer.
        guard text.bytes.count <= 3 else { return nil }
        if text == "and" { return .and }
        if text == "or" { return .or }
        return text == "not" ? .not : nil
    }

    @discardableResult
    private mutating func appendCondition(_ kind: ConditionRow.Kind, _ symbol: Symbol = .empty) -> Int {
        tables.conditions.append(
            ConditionRow(kind: kind, end: Int32(tables.conditions.count + 1), operand: Int32(bitPattern: symbol.index)))
        return tables.conditions.count - 1
    }
}
