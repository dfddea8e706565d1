import TurnoutEngine

/// A comparison as one JSON object. `ImpactCommand` explains its members.
package struct ImpactJSON {
    private let summary: ImpactSummary
    private var writer = JSONWriter()

    package init(_ summary: ImpactSummary) {
        self.summary = summary
        writer.beginObject()
        write("old", summary.old)
        write("new", summary.new)
        write("source", summary.source)
        write("users", summary.users)
        write("isSample", summary.isSample)
        writeShare("moved", summary.movedUsers)
        for (name, kind) in ChangeKinds.named { writeShare(name, summary.users(kind)) }
        write("flagsAdded", summary.addedFlags)
        write("flagsRemoved", summary.removedFlags)
        write("notCompared", summary.notCompared)
        list("flags", summary.flags) { $0.write($1) }
        list("examples", summary.examples) { $0.write($1) }
        writer.endObject()
    }

    package var text: String { writer.text + "\n" }

    private mutating func write(_ key: String, _ datafile: ImpactSummary.Datafile) {
        writer.key(key)
        writer.beginObject()
        write("file", datafile.name)
        write("revision", datafile.revision)
        writer.endObject()
    }

    private mutating func write(_ flag: ImpactSummary.FlagImpact) {
        write("flag", flag.key)
        writeShare("moved", flag.movedUsers)
        list("matrix", flag.cells) { json, cell in
            json.write("from", cell.old)
            json.write("to", cell.new)
            json.writeUsers(cell.users)
        }
        list("changes", flag.changes) { json, change in
            json.write("kinds", change.change.kinds.names)
            json.write(change.change)
            json.writeUsers(change.users)
            json.write("examples", change.examples)
        }
    }

    private mutating func write(_ example: ImpactSummary.Example) {
        write("user", example.userID)
        list("changes", example.changes) { json, change in
            json.write("flag", change.flagKey)
            json.write("kinds", change.change.kinds.names)
            json.write(change.change)
        }
    }

    private mutating func write(_ change: FlagChange) {
        for (key, state) in [("from", change.old), ("to", change.new)] {
            writer.key(key)
            writer.beginObject()
            write("variation", state.variation)
            write("variationID", state.variationID)
            write("enabled", state.isEnabled)
            write("rule", state.rule)
            write("ruleID", state.ruleID)
            writer.endObject()
        }
        list("variables", change.variables) { json, variable in
            json.write("variable", variable.key)
            // Values are JSON already; a missing one is null.
            json.writer.key("from")
            json.writer.value(variable.old.flatMap { try? JSONValue(parsing: $0) } ?? .null)
            json.writer.key("to")
            json.writer.value(variable.new.flatMap { try? JSONValue(parsing: $0) } ?? .null)
        }
    }

    // MARK: Pieces

    private mutating func writeShare(_ key: String, _ users: Int) {
        writer.key(key)
        writer.beginObject()
        writeUsers(users)
        writer.endObject()
    }

    private mutating func writeUsers(_ users: Int) {
        write("users", users)
        writer.key("share")
        writer.double(summary.share(users))
        guard let interval = summary.interval(users) else { return }
        writer.key("interval")
        writer.beginArray()
        writer.double(interval.lowerBound)
        writer.double(interval.upperBound)
        writer.endArray()
    }

    private mutating func write(_ key: String, _ state: VariationState) {
        writer.key(key)
        writer.beginObject()
        write("variation", state.variation)
        write("enabled", state.isEnabled)
        writer.endObject()
    }

    private mutating func list<Element>(
        _ key: String, _ elements: [Element], _ body: (inout ImpactJSON, Element) -> Void
    ) {
        writer.key(key)
        writer.beginArray()
        for element in elements {
            writer.beginObject()
            body(&self, element)
            writer.endObject()
        }
        writer.endArray()
    }

    private mutating func write(_ key: String, _ values: [String]) {
        writer.key(key)
        writer.beginArray()
        for value in values { writer.string(value) }
        writer.endArray()
    }

    private mutating func write(_ key: String, _ value: String?) {
        writer.key(key)
        writer.string(value)
    }

    private mutating func write(_ key: String, _ value: Int) {
        writer.key(key)
        writer.integer(Int64(value))
    }

    private mutating func write(_ key: String, _ value: Bool) {
        writer.key(key)
        writer.bool(value)
    }
}
