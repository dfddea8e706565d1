import TurnoutEngine

/// The members of an object in a log, in any spelling: `flagKey`, `flag_key` and `FlagKey` are the same.
struct LogFields {
    private let members: [String: JSONValue]

    init?(_ value: JSONValue?) {
        guard case .object(let members)? = value else { return nil }
        var normalized: [String: JSONValue] = [:]
        for (key, value) in members { normalized[Self.normalized(key)] = value }
        self.members = normalized
    }

    private static func normalized(_ key: String) -> String {
        String(decoding: key.utf8.filter { $0 != UInt8(ascii: "_") }.map(lowercased), as: UTF8.self)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// The first member with one of these names, in lower case without underscores.
    subscript(names: String...) -> JSONValue? { names.lazy.compactMap { members[$0] }.first }

    /// The text of the first member with one of these names.
    func string(_ names: String...) -> String? {
        for name in names { if case .string(let text)? = members[name] { return text } }
        return nil
    }
}

extension Attributes {
    /// The attributes of an object; nil if there is none. Null stands for no attributes.
    init?(logged value: JSONValue?) {
        switch value {
        case .object(let members): self.init(members.mapValues { AttributeValue($0) })
        case .null: self.init()
        default: return nil
        }
    }
}
