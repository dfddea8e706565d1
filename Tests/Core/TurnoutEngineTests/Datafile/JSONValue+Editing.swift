extension JSONValue {
    /// The document with the value at a path such as `experiments.0.status` replaced, or removed if nil.
    func replacing(_ path: String, with value: JSONValue?) -> JSONValue {
        replacing(path.split(separator: ".")[...], with: value) ?? self
    }

    private func replacing(_ path: ArraySlice<Substring>, with value: JSONValue?) -> JSONValue? {
        guard let step = path.first else { return value }
        switch self {
        case .object(var members):
            members[String(step)] = (members[String(step)] ?? .null).replacing(path.dropFirst(), with: value)
            return .object(members)
        case .array(var elements):
            guard let index = Int(step), elements.indices.contains(index) else { return self }
            guard let element = elements[index].replacing(path.dropFirst(), with: value) else {
                elements.remove(at: index)
                return .array(elements)
            }
            elements[index] = element
            return .array(elements)
        default: return self
        }
    }

    /// The value at a path.
    func value(at path: String) -> JSONValue? {
        path.split(separator: ".").reduce(self) { value, step in
            switch value {
            case .object(let members)?: members[String(step)]
            case .array(let elements)?: Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            default: nil
            }
        }
    }

    /// The document with every object changed, bottom up, except `forcedVariations`: their members are users.
    func mappingObjects(_ change: ([String: JSONValue]) -> [String: JSONValue]) -> JSONValue {
        switch self {
        case .array(let elements): .array(elements.map { $0.mappingObjects(change) })
        case .object(let members):
            .object(
                change(
                    Dictionary(
                        uniqueKeysWithValues: members.map { key, value in
                            (key, key == "forcedVariations" ? value : value.mappingObjects(change))
                        })))
        default: self
        }
    }
}

/// Spells a document in one of its many equivalent ways.
struct RandomSpelling {
    var random: RepeatableRandom
    var hasTrailingCommas = false
    /// Whether letters of keys are escaped, as in `\u0061`.
    var escapesKeys = false
    /// What may be between tokens.
    var spaces = ["", "", " ", "\n", "\t", "\r\n"]

    /// The text of a document, with its members in random order.
    mutating func text(of value: JSONValue) -> String {
        switch value {
        case .array(let elements): "[" + list(elements.map { text(of: $0) }) + "]"
        case .object(let members):
            "{"
                + list(
                    members.sorted { $0.key < $1.key }.shuffled(using: &random).map { key, value in
                        escaped(key) + ":" + space() + text(of: value)
                    }) + "}"
        default: String(decoding: value.bytes, as: UTF8.self)
        }
    }

    private mutating func list(_ texts: [String]) -> String {
        let comma = hasTrailingCommas && !texts.isEmpty ? "," : ""
        return space() + texts.joined(separator: "," + space()) + comma + space()
    }

    private mutating func space() -> String { random.pick(spaces) }

    private mutating func escaped(_ key: String) -> String {
        guard escapesKeys else { return SmallDatafile.quoted(key) }
        let units = key.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return #"\u"# + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"" + units.joined() + "\""
    }
}
