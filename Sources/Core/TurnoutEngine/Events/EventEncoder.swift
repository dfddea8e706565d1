/// Writes the payloads that a project's events are sent as.
///
/// An encoder is made once per project. Everything that is the same in all events is prepared, so that an impression
/// costs little more than copying its bytes.
public struct EventEncoder: Sendable {
    private let project: Project
    /// Everything before the list of visitors.
    private let head: String

    /// Creates an encoder for a project.
    ///
    /// - Parameters:
    ///   - project: The project whose identity the events carry.
    ///   - clientName: The name that the receiver knows the client by.
    ///   - clientVersion: The client's version.
    public init(project: Project, clientName: String, clientVersion: String) {
        self.project = project
        var writer = JSONWriter()
        writer.beginObject()
        for (key, text) in [
            ("account_id", project.accountID), ("project_id", project.projectID), ("revision", project.revision),
            ("client_name", clientName), ("client_version", clientVersion), ("region", project.region.rawValue),
        ] {
            writer.key(key)
            writer.string(text)
        }
        writer.key("anonymize_ip")
        writer.bool(project.anonymizesIP)
        writer.key("enrich_decisions")
        writer.bool(true)
        writer.key("visitors")
        writer.beginArray()
        head = writer.text
    }

    /// Writes a payload with one impression.
    ///
    /// Attributes that the project does not know are left out, as are lists, dictionaries and values that JSON cannot
    /// hold; those whose names start with `$opt_` are always sent.
    ///
    /// - Complexity: O(n) in the length of the payload. Allocates nothing if the writer has room.
    public func write(
        _ impression: Impression, of user: User, stamp: EventStamp, to writer: inout JSONWriter
    ) {
        writer.raw(head)
        writer.append("{\"visitor_id\":")
        writer.appendQuoted(user.id)
        writer.append(",\"attributes\":[")
        writeAttributes(of: user, to: &writer)
        writer.append("],\"snapshots\":[{\"decisions\":[")
        writer.append(impression)
        writer.append("],\"events\":[{\"entity_id\":")
        writer.appendQuoted(impression.campaignID)
        writer.append(",\"key\":\"campaign_activated\",\"timestamp\":")
        writer.append(stamp.timestamp)
        writer.append(",\"uuid\":\"")
        writer.append(stamp.uuid)
        writer.append("\",\"tags\":{}}]}]}]}")
    }

    // MARK: Attributes

    private static let botFilteringName = "$opt_bot_filtering"

    private func writeAttributes(of user: User, to writer: inout JSONWriter) {
        var isFirst = true
        user.attributes.forEachEntry { name, value in
            guard value.isSent, name != Self.botFilteringName || project.botFiltering == nil,
                let id = project.attributeID(of: name)
            else { return }
            writeAttribute(id, name, isFirst: &isFirst, to: &writer)
            writer.appendScalar(value)
            writer.append("}")
        }
        guard let filters = project.botFiltering else { return }
        writeAttribute(Self.botFilteringName, Self.botFilteringName, isFirst: &isFirst, to: &writer)
        writer.append(filters ? "true}" : "false}")
    }

    private func writeAttribute(_ id: String, _ name: String, isFirst: inout Bool, to writer: inout JSONWriter) {
        writer.append(isFirst ? "{\"entity_id\":" : ",{\"entity_id\":")
        isFirst = false
        writer.appendQuoted(id)
        writer.append(",\"key\":")
        writer.appendQuoted(name)
        writer.append(",\"type\":\"custom\",\"value\":")
    }
}

extension Project {
    /// The id under which an attribute is sent, or nil: it is not.
    fileprivate func attributeID(of name: String) -> String? {
        if let row = tables.symbols.find(name).flatMap({ tables.attributesByKey[$0] }) {
            return text(tables.attributes[row].id)
        }
        return name.hasPrefix("$opt_") ? name : nil
    }
}

extension AttributeValue {
    /// Whether events carry the value: texts, truth values and numbers that JSON can hold.
    fileprivate var isSent: Bool {
        switch self {
        case .string, .integer, .bool: true
        case .double(let value): value.isFinite
        case .float(let value): value.isFinite
        case .array, .object, .null, .opaque: false
        }
    }
}

extension JSONWriter {
    /// Appends a value that events carry.
    fileprivate mutating func appendScalar(_ value: AttributeValue) {
        switch value {
        case .string(let value): appendQuoted(value)
        case .integer(let value): append(value)
        case .bool(let value): append(value ? "true" : "false")
        default: append((value.number ?? 0).description)
        }
    }
}
