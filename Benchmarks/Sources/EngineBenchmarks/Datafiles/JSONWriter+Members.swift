import TurnoutEngine

extension JSONWriter {
    /// Writes members with string values.
    mutating func members(_ members: [(String, String)]) {
        for (name, value) in members {
            key(name)
            string(value)
        }
    }

    /// Writes an object.
    mutating func object(_ write: (inout JSONWriter) -> Void) {
        beginObject()
        write(&self)
        endObject()
    }

    /// Writes a member that is an array.
    mutating func array<Elements: Sequence>(
        _ name: String, _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) -> Void
    ) {
        key(name)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }

    /// Writes `trafficAllocation`: equal shares of the buckets below `end`.
    mutating func traffic(_ ids: [String], end: Int) {
        array("trafficAllocation", ids.enumerated()) { writer, share in
            writer.object { writer in
                writer.members([("entityId", share.element)])
                writer.key("endOfRange")
                writer.integer(Int64(end * (share.offset + 1) / ids.count))
            }
        }
    }
}
