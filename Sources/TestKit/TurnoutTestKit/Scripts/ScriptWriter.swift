import TurnoutClient
import TurnoutEngine

/// Writes a script as a datafile.
struct ScriptWriter {
    private var json = JSONWriter()
    private var lastID = 1_000

    var bytes: [UInt8] { json.bytes }

    mutating func write(_ script: Script, _ flags: [ScriptedFlag], events: [String], attributes: [String]) {
        json.beginObject()
        text("version", "4")
        text("accountId", "scripted")
        text("projectId", script.projectID)
        text("revision", script.revision)
        text("region", script.region.rawValue)
        for key in ["anonymizeIP", "sendFlagDecisions"] {
            json.key(key)
            json.bool(key == "anonymizeIP")
        }
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
        text("rolloutId", "")
        json.key("experimentIds")
        json.beginArray()
        json.string(experimentID)
        json.endArray()
        list("variables", Array(zip(flag.variables, variableIDs))) { writer, variable in
            let (name, type) = variable.0
            writer.text("id", variable.1)
            writer.text("key", name)
            writer.text("type", type.rawValue)
            writer.text("defaultValue", flag.defaults[name]?.datafileText ?? type.zero)
        }
    }

    private mutating func writeExperiment(
        _ flag: ScriptedFlag, _ experimentID: String, _ variableIDs: [String]
    ) {
        text("id", experimentID)
        text("key", flag.key)
        text("layerId", "")
        text("status", "Running")
        text("type", "ab")
        list("audienceIds", [String]()) { _, _ in }
        let ids = Dictionary(uniqueKeysWithValues: flag.variations.map { ($0.key, nextID()) })
        list("variations", flag.variations) { writer, variation in
            writer.text("id", ids[variation.key] ?? "")
            writer.text("key", variation.key)
            writer.json.key("featureEnabled")
            writer.json.bool(variation.isEnabled)
            let variables = zip(flag.variables, variableIDs).filter { variation.variables[$0.0.name] != nil }
            writer.list("variables", variables) { writer, variable in
                writer.text("id", variable.1)
                writer.text("value", variation.variables[variable.0.name]?.datafileText ?? "")
            }
        }
        list("trafficAllocation", Array(flag.shares.enumerated())) { writer, share in
            writer.text("entityId", ids[share.element] ?? "")
            writer.json.key("endOfRange")
            writer.json.integer(Int64(10_000 * (share.offset + 1) / flag.shares.count))
        }
        json.key("forcedVariations")
        json.beginObject()
        for (user, variation) in flag.users.sorted(by: { $0.key < $1.key }) { text(user, variation) }
        json.endObject()
    }

    // MARK: Pieces

    private mutating func nextID() -> String {
        lastID += 1
        return String(lastID)
    }

    /// The id and the key of an entity.
    private mutating func entity(_ key: String) {
        text("id", nextID())
        text("key", key)
    }

    private mutating func text(_ key: String, _ value: String) {
        json.key(key)
        json.string(value)
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
        case .string(let text): return text
        case .object:
            var writer = JSONWriter()
            writer.value(JSONValue(self) ?? .null)
            return writer.text
        default: return description
        }
    }
}
