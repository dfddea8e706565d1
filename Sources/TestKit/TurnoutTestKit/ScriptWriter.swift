import TurnoutClient
import TurnoutEngine

/// Writes a script as a datafile.
struct ScriptWriter {
    private var json = JSONWriter()
    private var lastID = 1_000

    var bytes: [UInt8] { json.bytes }

    mutating func write(_ script: Script, _ flags: [ScriptedFlag], events: [String], attributes: [String]) {
        json.beginObject()
        json.member("version", "4")
        json.member("accountId", "scripted")
        json.member("projectId", script.projectID)
        json.member("revision", script.revision)
        json.member("region", script.region.rawValue)
        json.member("anonymizeIP", true)
        json.member("sendFlagDecisions", false)
        for key in ["groups", "rollouts", "audiences"] { list(key, [String]()) { _, _ in } }
        let experimentIDs = flags.map { _ in nextID() }
        let variableIDs = flags.map { $0.variables.map { _ in nextID() } }
        list("featureFlags", Array(flags.indices)) { writer, index in
            writer.write(flags[index], experimentIDs[index], variableIDs[index])
        }
        list("experiments", Array(flags.indices)) { writer, index in
            writer.writeExperiment(flags[index], experimentIDs[index], variableIDs[index])
        }
        list("attributes", attributes) { writer, name in writer.entity(name) }
        list("events", events) { writer, key in
            writer.entity(key)
            writer.list("experimentIds", [String]()) { _, _ in }
        }
        json.endObject()
    }

    private mutating func write(_ flag: ScriptedFlag, _ experimentID: String, _ variableIDs: [String]) {
        entity(flag.key)
        json.member("rolloutId", "")
        json.list("experimentIds", [experimentID]) { $0.string($1) }
        list("variables", Array(zip(flag.variables, variableIDs))) { writer, variable in
            let (name, type) = variable.0
            writer.json.member("id", variable.1)
            writer.json.member("key", name)
            writer.json.member("type", type.rawValue)
            writer.json.member("defaultValue", flag.defaults[name]?.datafileText ?? type.zero)
        }
    }

    private mutating func writeExperiment(
        _ flag: ScriptedFlag, _ experimentID: String, _ variableIDs: [String]
    ) {
        json.member("id", experimentID)
        json.member("key", flag.key)
        json.member("layerId", "")
        json.member("status", "Running")
        json.member("type", "ab")
        list("audienceIds", [String]()) { _, _ in }
        let ids = Dictionary(uniqueKeysWithValues: flag.variations.map { ($0.key, nextID()) })
        list("variations", flag.variations) { writer, variation in
            writer.json.member("id", ids[variation.key] ?? "")
            writer.json.member("key", variation.key)
            writer.json.member("featureEnabled", variation.isEnabled)
            let variables = zip(flag.variables, variableIDs).filter { variation.variables[$0.0.name] != nil }
            writer.list("variables", variables) { writer, variable in
                writer.json.member("id", variable.1)
                writer.json.member("value", variation.variables[variable.0.name]?.datafileText ?? "")
            }
        }
        list("trafficAllocation", Array(flag.shares.enumerated())) { writer, share in
            writer.json.member("entityId", ids[share.element] ?? "")
            writer.json.member("endOfRange", 10_000 * (share.offset + 1) / flag.shares.count)
        }
        json.object("forcedVariations") {
            for (user, variation) in flag.users.sorted(by: { $0.key < $1.key }) { $0.member(user, variation) }
        }
    }

    // MARK: Pieces

    private mutating func nextID() -> String {
        lastID += 1
        return String(lastID)
    }

    /// The id and the key of an entity.
    private mutating func entity(_ key: String) {
        json.member("id", nextID())
        json.member("key", key)
    }

    private mutating func list<Element>(
        _ key: String, _ elements: [Element], _ body: (inout ScriptWriter, Element) -> Void
    ) {
        json.key(key)
        json.beginArray()
        for element in elements {
            json.beginObject()
            body(&self, element)
            json.endObject()
        }
        json.endArray()
    }
}

extension AttributeValue {
    /// The value of a variable in a datafile.
    fileprivate var datafileText: String {
        switch self {
        case .string(let text): text
        case .object: (JSONValue(self) ?? .null).compactText
        default: description
        }
    }
}

/// The lines of a script about one flag, combined.
struct ScriptedFlag {
    struct Variation {
        let key: String
        var isEnabled: Bool
        var variables: [String: AttributeValue]
    }

    let key: String
    var variations: [Variation] = []
    /// The keys of the variations that users get in equal parts.
    var shares: [String] = []
    /// Variation keys by user id.
    var users: [String: String] = [:]
    var defaults: [String: AttributeValue] = [:]

    /// The names of the variables and the types of their values, sorted.
    var variables: [(name: String, type: VariableKind)] {
        var types: [String: VariableKind] = [:]
        for values in variations.map(\.variables) + [defaults] {
            for (name, value) in values { types[name] = types[name] ?? VariableKind(value) }
        }
        return types.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Collects the flags in the order of their first lines.
    static func flags(of lines: [ScriptLine]) -> (flags: [ScriptedFlag], problems: [String]) {
        var flags: [ScriptedFlag] = []
        for line in lines {
            guard let key = line.flag else { continue }
            let index = flags.firstIndex { $0.key == key } ?? flags.count
            if index == flags.count { flags.append(ScriptedFlag(key: key)) }
            flags[index].add(line)
        }
        return (flags, flags.flatMap(\.problems))
    }

    private mutating func add(_ line: ScriptLine) {
        switch line.content {
        case .variation(let line):
            add(Variation(key: line.key, isEnabled: line.isEnabled, variables: line.variables))
            // A flag that is off uses its variables' defaults.
            if !line.isEnabled { defaults.merge(line.variables) { $1 } }
            if let user = line.user { users[user] = line.key } else { shares = [line.key] }
        case .split(_, let keys):
            for key in keys { add(Variation(key: key, isEnabled: true, variables: [:])) }
            shares = keys
        case .defaults(_, let variables): defaults.merge(variables) { $1 }
        case .event, .attribute: break
        }
    }

    private mutating func add(_ variation: Variation) {
        guard let index = variations.firstIndex(where: { $0.key == variation.key }) else {
            return variations.append(variation)
        }
        variations[index].isEnabled = variation.isEnabled
        variations[index].variables.merge(variation.variables) { $1 }
    }

    private var problems: [String] {
        let types = Dictionary(uniqueKeysWithValues: variables.map { ($0.name, $0.type) })
        return (variations.map(\.variables) + [defaults]).flatMap { values in
            values.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
                guard let type = VariableKind(value) else {
                    return "\(key): the variable \(name) cannot be \(value)"
                }
                guard let known = types[name], known != type else { return nil }
                return "\(key): the variable \(name) is \(known.rawValue) and \(type.rawValue)"
            }
        }
    }
}

extension ScriptLine {
    fileprivate var flag: String? {
        switch content {
        case .variation(let variation): variation.flag
        case .split(let flag, _), .defaults(let flag, _): flag
        case .event, .attribute: nil
        }
    }
}

/// The types of variables in a datafile.
enum VariableKind: String {
    case string, integer, double, boolean, json

    /// The type of a value, or nil if a variable cannot have it.
    init?(_ value: AttributeValue) {
        switch value {
        case .string: self = .string
        case .integer: self = .integer
        case .double(let value) where value.isFinite: self = .double
        case .float(let value) where value.isFinite: self = .double
        case .bool: self = .boolean
        case .object: self = .json
        case .double, .float, .array, .null, .opaque: return nil
        }
    }

    /// The default value of the type, as text.
    var zero: String {
        switch self {
        case .string: ""
        case .integer: "0"
        case .double: "0.0"
        case .boolean: "false"
        case .json: "{}"
        }
    }
}
