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

    /// Reads a condition on an attribute and precomputes everything that does not depend on the user.
    mutating func readLeaf(_ reader: inout JSONReader) throws(JSONError) -> Int32 {
        var row = LeafRow()
        try readObject(&reader, .leaf) {
            (builder, reader, field) throws(JSONError) in
            switch field {
            case .name: row.name = try builder.readSymbol(&reader)
            case .type: row.type = try builder.readSymbol(&reader)
            case .match: row.match = try builder.readSymbol(&reader)
            default: try builder.readValue(of: &row, &reader)
            }
        }
        if row.name != .none { row.nameHash = Attributes.hash(of: tables.symbols.text(row.name)) }
        row.test = test(for: row)
        if row.comparesVersions { prepareVersion(of: &row) }
        tables.leaves.append(row)
        return Int32(tables.leaves.count - 1)
    }

    private mutating func readValue(of row: inout LeafRow, _ reader: inout JSONReader) throws(JSONError) {
        switch reader.peek() {
        case UInt8(ascii: "\""):
            row.valueKind = .string
            row.text = tables.symbols.intern(try reader.readString())
        case UInt8(ascii: "t"), UInt8(ascii: "f"):
            row.valueKind = .bool
            row.bool = try reader.readBool()
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            row.valueKind = .composite
            row.composite = Int32(tables.composites.count)
            tables.composites.append(try reader.readConditionValue())
        default:
            let number = try reader.readNumber().double
            row.valueKind = number == nil ? .other : .number
            row.number = number ?? 0
        }
    }

    // MARK: Tests

    /// The checks of a condition that precede, or replace, the test of the user's value, in the reference's order.
    private func test(for row: LeafRow) -> LeafRow.Test {
        let type = tables.symbols.optionalText(row.type)
        guard type == "custom_attribute" || type == "third_party_dimension" else { return .unknownType }
        guard let match = MatchName(rawValue: tables.symbols.optionalText(row.match) ?? "exact") else {
            return .unknownMatch
        }
        guard row.name != .none else { return .missingName }
        guard match != .exists else { return .exists }
        guard row.valueKind != .absent else { return .nullValue }
        return test(for: match, row.valueKind)
    }

    private func test(for match: MatchName, _ kind: LeafRow.ValueKind) -> LeafRow.Test {
        switch match {
        case .exact:
            switch kind {
            case .string: .equalString
            case .number: .equalNumber
            case .bool: .equalBool
            case .composite: .equalComposite
            case .absent, .other: .unusableValue
            }
        case .exists: .exists
        case .qualified: kind == .string ? .qualified : .unusableSegment
        case .substring: kind == .string ? .substring : .unusableValue
        case .gt: kind == .number ? .greater : .unusableValue
        case .ge: kind == .number ? .greaterOrEqual : .unusableValue
        case .lt: kind == .number ? .less : .unusableValue
        case .le: kind == .number ? .lessOrEqual : .unusableValue
        case .semver_eq: .versionEqual
        case .semver_gt: .versionGreater
        case .semver_ge: .versionGreaterOrEqual
        case .semver_lt: .versionLess
        case .semver_le: .versionLessOrEqual
        }
    }

    private mutating func prepareVersion(of row: inout LeafRow) {
        // A number is compared as the string that Swift prints for it: the condition value 3 is the version "3.0".
        let text: String? =
            switch row.valueKind {
            case .string: tables.symbols.text(row.text)
            case .number: row.number.description
            default: nil
            }
        row.version = Int32(tables.versions.count)
        tables.versions.append(text.flatMap(SemanticVersion.init))
    }
}

/// The names of match types, spelled as in datafiles.
enum MatchName: String {
    case exact, exists, substring, gt, ge, lt, le, qualified
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case semver_eq, semver_gt, semver_ge, semver_lt, semver_le
}

extension LeafRow {
    var comparesVersions: Bool { test.rawValue >= Test.versionEqual.rawValue }
}

extension JSONReader {
    /// Reads a value inside a condition.
    fileprivate mutating func readConditionValue() throws(JSONError) -> ConditionValue {
        var isFirst = true
        switch peek() {
        case UInt8(ascii: "\""): return .string(try readString().string)
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool(try readBool())
        case UInt8(ascii: "n"):
            _ = try skipNull()
            return .other
        case UInt8(ascii: "["):
            var elements: [ConditionValue] = []
            try enterArray()
            while try nextElement(isFirst: &isFirst) { elements.append(try readConditionValue()) }
            return .array(elements)
        case UInt8(ascii: "{"):
            var members: [String: ConditionValue] = [:]
            try enterObject()
            while let key = try nextKey(isFirst: &isFirst)?.key {
                let value = try readConditionValue()
                if members[key] == nil { members[key] = value }
            }
            return .object(members)
        default:
            guard let number = try readNumber().double else { return .other }
            return .number(number)
        }
    }
}
