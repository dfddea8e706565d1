extension Project {
    /// A condition as compact JSON with sorted keys, as in reasons.
    func canonicalText(leaf row: Int) -> String {
        let leaf = tables.leaves[row]
        var writer = JSONWriter(style: .foundation)
        writer.beginObject()
        for (key, symbol) in [("match", leaf.match), ("name", leaf.name), ("type", leaf.type)] where symbol != .none {
            writer.member(key, text(symbol))
        }
        if leaf.valueKind != .absent {
            writer.key("value")
            writer.conditionValue(value(of: leaf))
        }
        writer.endObject()
        return writer.text
    }

    /// The value of a condition.
    func value(of leaf: LeafRow) -> ConditionValue {
        switch leaf.valueKind {
        case .string: .string(text(leaf.text))
        case .number: .number(leaf.number)
        case .bool: .bool(leaf.bool)
        case .composite: tables.composites[Int(leaf.composite)]
        case .absent, .other: .other
        }
    }
}

extension JSONWriter {
    /// Writes the value of a condition; a value without JSON representation becomes an empty object, as in the
    /// reference.
    mutating func conditionValue(_ value: ConditionValue) {
        switch value {
        case .string(let value): string(value)
        case .number(let value): double(value)
        case .bool(let value): bool(value)
        case .array(let elements):
            beginArray()
            for element in elements { conditionValue(element) }
            endArray()
        case .object(let members):
            beginObject()
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                self.key(key)
                conditionValue(member)
            }
            endObject()
        case .other:
            beginObject()
            endObject()
        }
    }
}
