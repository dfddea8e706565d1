import TurnoutEngine

/// A user in an application: an id and five attributes.
struct Person: Sendable {
    let id: String
    let names: [String]
    let values: [AttributeValue]

    /// Builds the engine's user, as an application does for each request.
    @inline(__always)
    var user: User {
        User(
            id,
            attributes: [
                names[0]: values[0], names[1]: values[1], names[2]: values[2], names[3]: values[3],
                names[4]: values[4],
            ])
    }
}

/// Generates users with five attributes that are relevant to audiences. Half of the values match the datafile's
/// conditions.
struct UserMixture {
    private let names: [String]
    private let asked: [String: [JSONValue]]
    private var random = RandomSource(seed: 8_192)

    /// Attributes that applications know for nearly all users.
    ///
    /// Half of the users have these if the datafile's conditions use them; the others have five of all attributes in
    /// conditions.
    private static let common = ["country", "browser", "plan", "age", "is_beta"]

    init(project: Project) {
        var asked: [String: [JSONValue]] = [:]
        for audience in project.audiences { Self.collect(audience.condition, into: &asked) }
        // Fills up to five attributes with some that no audience uses.
        for name in Self.common where asked.count < 5 && asked[name] == nil { asked[name] = [.string("other")] }
        self.asked = asked
        names = asked.keys.sorted()
    }

    private static func collect(_ condition: AudienceCondition, into asked: inout [String: [JSONValue]]) {
        switch condition {
        case .all(let parts), .any(let parts), .not(let parts):
            for part in parts { collect(part, into: &asked) }
        // Names with this prefix are reserved, and not set by applications.
        case .attribute(let name?, _, let text) where !name.hasPrefix("$opt_"):
            let value = text.flatMap { try? JSONValue(parsing: $0) }
            guard let value, value != .null else { break }
            asked[name, default: []].append(value)
        default: break
        }
    }

    mutating func makePerson(_ number: Int) -> Person {
        let usual = Self.common.filter { asked[$0] != nil }
        var chosen = number % 2 == 0 && usual.count == Self.common.count ? usual : []
        while chosen.count < 5 {
            let name = random.pick(names)
            if !chosen.contains(name) { chosen.append(name) }
        }
        return Person(id: "user_\(10_000 + number)", names: chosen, values: chosen.map { makeValue($0) })
    }

    private mutating func makeValue(_ name: String) -> AttributeValue {
        let value = random.pick(asked[name] ?? [.null])
        guard random.happens(50) else { return AttributeValue(value) }
        switch value {
        case .bool(let value): return .bool(!value)
        case .integer(let value): return .integer(value + 1)
        case .double(let value): return .double(value + 1)
        default: return "other"
        }
    }
}
