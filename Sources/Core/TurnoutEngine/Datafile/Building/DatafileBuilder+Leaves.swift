extension DatafileBuilder {
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
        guard let match = MatchName(name: tables.symbols.optionalText(row.match) ?? "exact") else {
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

    init?(name: String) { self.init(rawValue: name) }
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
