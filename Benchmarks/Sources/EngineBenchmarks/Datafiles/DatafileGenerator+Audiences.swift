import TurnoutEngine

extension DatafileGenerator {
    mutating func writeAudiences() {
        writer.array("audiences", CollectionOfOne("$opt_dummy_audience")) { writer, id in
            writer.object { writer in
                writer.members([
                    ("id", id), ("name", "Optimizely-Generated Audience for Backwards Compatibility"),
                    ("conditions", Self.impossible),
                ])
            }
        }
        writeArray("typedAudiences", audienceIDs.enumerated()) { generator, audience in
            generator.writer.beginObject()
            generator.writer.members([("id", audience.element), ("name", "audience_\(audience.offset)")])
            let conditions = generator.makeConditions()
            generator.writer.key("conditions")
            generator.writer.condition(conditions)
            generator.writer.endObject()
        }
    }

    /// The conditions in datafiles for clients without typed audiences.
    private static let impossible = """
        ["or", {"match": "exact", "name": "$opt_dummy_attribute", "type": "custom_attribute", \
        "value": "$opt_dummy_value"}]
        """

    /// Conditions of one of five shapes, from a single leaf to a tree of six.
    private mutating func makeConditions() -> Condition {
        switch random.pick(weights: [35, 24, 22, 11, 8]) {
        case 0: return .and([anyOf(1)])
        case 1: return .and([anyOf(2)])
        case 2: return .and([anyOf(1), anyOf(2)])
        case 3: return .and([anyOf(3), .not(anyOf(1))])
        default:
            return .or([
                .and([makeLeaf(), makeLeaf()]), .and([makeLeaf(), .not(makeLeaf())]),
                .or([makeLeaf(), makeLeaf()]),
            ])
        }
    }

    private mutating func anyOf(_ count: Int) -> Condition { .or([.or((0..<count).map { _ in makeLeaf() })]) }

    private mutating func makeLeaf() -> Condition {
        let entry = random.pick(AttributeCatalog.entries)
        if random.happens(10) { return .leaf(name: entry.name, match: "exists", value: nil) }
        switch entry.values {
        case .texts(let texts):
            let text = random.pick(texts)
            guard random.happens(35) else { return .leaf(name: entry.name, match: "exact", value: .string(text)) }
            let part = String(text.prefix(max(1, text.count / 2)))
            return .leaf(name: entry.name, match: "substring", value: .string(part))
        case .numbers(let numbers):
            let match = random.pick(["exact", "gt", "ge", "lt", "le"])
            return .leaf(name: entry.name, match: match, value: random.pick(numbers))
        case .versions(let versions):
            let match = random.pick(["semver_eq", "semver_gt", "semver_ge", "semver_lt", "semver_le"])
            return .leaf(name: entry.name, match: match, value: .string(random.pick(versions)))
        case .truth:
            return .leaf(name: entry.name, match: "exact", value: .bool(random.happens(50)))
        }
    }
}

/// A condition tree as in datafiles.
indirect enum Condition {
    case and([Condition])
    case or([Condition])
    case not(Condition)
    case audience(String)
    case leaf(name: String, match: String, value: JSONValue?)

    /// The ids of the referenced audiences, in order.
    var audienceIDs: [String] {
        switch self {
        case .and(let parts), .or(let parts): parts.flatMap(\.audienceIDs)
        case .not(let part): part.audienceIDs
        case .audience(let id): [id]
        case .leaf: []
        }
    }
}

extension JSONWriter {
    mutating func condition(_ condition: Condition) {
        switch condition {
        case .and(let parts): list("and", parts)
        case .or(let parts): list("or", parts)
        case .not(let part): list("not", [part])
        case .audience(let id): string(id)
        case .leaf(let name, let match, let value):
            object { writer in
                writer.members([("name", name), ("type", "custom_attribute"), ("match", match)])
                guard let value else { return }
                writer.key("value")
                writer.value(value)
            }
        }
    }

    private mutating func list(_ name: String, _ parts: [Condition]) {
        beginArray()
        string(name)
        for part in parts { condition(part) }
        endArray()
    }
}
