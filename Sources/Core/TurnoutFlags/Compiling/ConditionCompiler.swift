import TurnoutEngine

/// Turns conditions into the form of datafiles.
///
/// The vendor's clients accept audience ids only in rules, and attributes only in audiences. The condition of an
/// audience therefore contains the conditions of the audiences that it names, and the condition of a rule that tests an
/// attribute becomes an audience of its own.
struct ConditionCompiler {
    /// A condition that cannot be compiled.
    struct Problem: Error {
        let kind: CompilingProblem
        let message: String
        var advice: String?
        var origin = SourceOrigin()
    }

    /// Deeper conditions overflow the stack of some of the vendor's clients.
    static let depthLimit = 100
    /// Audiences that name one another can multiply without limit.
    static let sizeLimit = 10_000

    static let depthAdvice =
        "Deeper conditions overflow the stack of some clients. Write a list of operands instead of conditions inside "
        + "of conditions; those of the audiences that it names count, too."
    static let sizeAdvice =
        "The conditions of the audiences that it names are written out, and clients download all of them. Name each "
        + "audience once, or test an attribute that says the same."

    private let audiences: [String: AuthoredAudience]
    private let ids: [String: String]

    init(_ audiences: [AuthoredAudience], ids: [String: String]) {
        self.audiences = Dictionary(audiences.map { ($0.key, $0) }) { first, _ in first }
        self.ids = ids
    }

    /// The condition of an audience.
    func audienceCondition(_ condition: AuthoredCondition) throws(Problem) -> JSONValue {
        var size = 0
        let value = try inlined(condition, inside: [], depth: 0, size: &size)
        // The vendor writes no bare attributes here.
        guard case .object = value else { return value }
        return .array([.string("or"), value])
    }

    private func inlined(
        _ condition: AuthoredCondition, inside names: [String], depth: Int, size: inout Int
    ) throws(Problem) -> JSONValue {
        size += 1
        try check(depth: depth, size: size)
        switch condition {
        case .all(let operands):
            return try inlined(operands, "and", inside: names, depth: depth, size: &size)
        case .any(let operands): return try inlined(operands, "or", inside: names, depth: depth, size: &size)
        case .not(let operand): return try inlined([operand], "not", inside: names, depth: depth, size: &size)
        case .segment(let segment, _): return Self.leaf("odp.audiences", "qualified", .string(segment), segment: true)
        case .attribute(let test): return Self.leaf(test.attribute, test.match.rawValue, test.value)
        case .verbatim(let value): return value
        case .audience(let key, let origin):
            guard !names.contains(key) else {
                let path = (names.drop { $0 != key } + [key]).joined(separator: " → ")
                throw Problem(
                    kind: .audienceCycle, message: "the audience \"\(key)\" contains itself: \(path)", origin: origin)
            }
            guard let audience = audiences[key] else { throw Self.unknownAudience(key, origin) }
            return try inlined(audience.condition, inside: names + [key], depth: depth + 1, size: &size)
        }
    }

    private func inlined(
        _ operands: [AuthoredCondition], _ name: String, inside names: [String], depth: Int, size: inout Int
    ) throws(Problem) -> JSONValue {
        var values: [JSONValue] = [.string(name)]
        for operand in operands {
            values.append(try inlined(operand, inside: names, depth: depth + 1, size: &size))
        }
        return .array(values)
    }

    private static func leaf(_ name: String, _ match: String, _ value: JSONValue?, segment: Bool = false) -> JSONValue {
        var members: [String: JSONValue] = [
            "type": .string(segment ? "third_party_dimension" : "custom_attribute"), "name": .string(name),
            "match": .string(match),
        ]
        members["value"] = value
        return .object(members)
    }

    /// The condition of a rule as a tree of audience ids, or nil if it tests anything else.
    func ruleCondition(_ condition: AuthoredCondition) throws(Problem) -> JSONValue? {
        if case .verbatim(let value) = condition { return value }
        guard let value = try references(condition, depth: 0) else { return nil }
        guard case .string = value else { return value }
        return .array([.string("or"), value])
    }

    private func references(_ condition: AuthoredCondition, depth: Int) throws(Problem) -> JSONValue? {
        try check(depth: depth, size: 0)
        switch condition {
        case .all(let operands): return try references(operands, "and", depth: depth)
        case .any(let operands): return try references(operands, "or", depth: depth)
        case .not(let operand): return try references([operand], "not", depth: depth)
        case .segment, .attribute: return nil
        case .verbatim(let value): return value.hasObjects ? nil : value
        case .audience(let key, let origin):
            guard let id = ids[key] else { throw Self.unknownAudience(key, origin) }
            return .string(id)
        }
    }

    private func references(
        _ operands: [AuthoredCondition], _ name: String, depth: Int
    ) throws(Problem) -> JSONValue? {
        var values: [JSONValue] = [.string(name)]
        for operand in operands {
            guard let value = try references(operand, depth: depth + 1) else { return nil }
            values.append(value)
        }
        return .array(values)
    }

    private func check(depth: Int, size: Int) throws(Problem) {
        guard depth <= Self.depthLimit else {
            throw Problem(
                kind: .conditionDepth, message: "the condition is nested deeper than \(Self.depthLimit) levels",
                advice: Self.depthAdvice)
        }
        guard size <= Self.sizeLimit else {
            throw Problem(
                kind: .conditionSize,
                message: "the condition has more than \(Self.sizeLimit) parts, with those of audiences that it names",
                advice: Self.sizeAdvice)
        }
    }

    private static func unknownAudience(_ key: String, _ origin: SourceOrigin) -> Problem {
        Problem(kind: .unknownAudience, message: "there is no audience \"\(key)\"", origin: origin)
    }
}

extension JSONValue {
    /// Whether the value is or contains an object.
    fileprivate var hasObjects: Bool {
        switch self {
        case .object: true
        case .array(let elements): elements.contains(where: \.hasObjects)
        default: false
        }
    }

    /// The audience ids in a condition, without repetition.
    var audienceIDs: [String] {
        var ids: [String] = []
        collectAudienceIDs(&ids)
        return ids
    }

    private func collectAudienceIDs(_ ids: inout [String]) {
        switch self {
        case .string(let id) where !["and", "or", "not"].contains(id): if !ids.contains(id) { ids.append(id) }
        case .array(let elements): for element in elements { element.collectAudienceIDs(&ids) }
        default: break
        }
    }
}

/// An audience in a datafile.
struct CompiledAudience {
    let id: String
    let name: String
    let condition: JSONValue
    var verbatim: [String: JSONValue] = [:]

    var node: Node {
        .object(["id": .string(id), "name": .string(name), "conditions": Node(condition)], verbatim: verbatim)
    }

    /// The entry for clients that know only audiences of equal strings. The vendor writes a condition that no user
    /// meets; newer clients prefer the entry in `typedAudiences`.
    var legacyNode: Node {
        .object(["id": .string(id), "name": .string(name), "conditions": .string(Self.dummyCondition)])
    }

    private static let dummyCondition = """
        ["or", {"match": "exact", "name": "$opt_dummy_attribute", "type": "custom_attribute", \
        "value": "$opt_dummy_value"}]
        """
}

/// The condition of a rule or a holdout in a datafile.
struct CompiledCondition {
    /// The audience ids, of which older clients ask for one.
    var ids: [String] = []
    /// The condition as a tree of audience ids; empty for everyone.
    var condition = JSONValue.array([])

    var idsNode: Node { .strings(ids) }
    var node: Node { Node(condition) }
}

extension DatafileCompiler {
    /// The named audiences, by key.
    mutating func namedAudiences() -> [CompiledAudience] {
        var audiences: [CompiledAudience] = []
        for audience in project.audiences {
            do throws(ConditionCompiler.Problem) {
                let condition = try conditions.audienceCondition(.audience(audience.key, audience.origin))
                audiences.append(
                    CompiledAudience(
                        id: compilation.audienceIDs[audience.key] ?? "", name: audience.key, condition: condition,
                        verbatim: audience.verbatim))
            } catch { compilation.report(error, at: audience.origin) }
        }
        return audiences
    }

    /// The condition of a rule or a holdout with these keys, which gets an audience of its own if the condition has no
    /// name. Such an audience is in the datafile if `isPresent`; it has its id in any case.
    mutating func compile(
        _ condition: AuthoredCondition?, of name: String, keys: [String], lockedKeys: [String]?,
        at origin: SourceOrigin,
        isPresent: Bool
    ) -> CompiledCondition {
        guard let condition else { return CompiledCondition() }
        do throws(ConditionCompiler.Problem) {
            if let tree = try conditions.ruleCondition(condition) {
                return CompiledCondition(ids: tree.audienceIDs, condition: tree)
            }
            let value = try conditions.audienceCondition(condition)
            let id = compilation.lock.id(
                EntityPath(.audience, keys), lockedAs: lockedKeys.map { EntityPath(.audience, $0) })
            if isPresent { ruleAudiences.append(CompiledAudience(id: id, name: name, condition: value)) }
            return CompiledCondition(ids: [id], condition: .array([.string("or"), .string(id)]))
        } catch {
            compilation.report(error, at: origin)
            return CompiledCondition()
        }
    }
}
