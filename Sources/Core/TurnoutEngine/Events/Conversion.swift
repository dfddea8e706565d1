/// A conversion: an event of the project, with the caller's tags.
public struct Conversion: Sendable, Equatable {
    /// The id of the event.
    public let eventID: String
    /// The key of the event.
    public let eventKey: String
    /// The caller's tags, except those that cannot be sent.
    public let tags: [String: AttributeValue]
    /// The names of the tags that cannot be sent, sorted; nested ones have their path.
    public let rejectedTags: [String]

    /// Creates a conversion.
    ///
    /// Strings, Booleans, finite numbers, and arrays and dictionaries of these can be sent, nested up to 32 levels
    /// deep. Everything else is left out and listed in ``rejectedTags``.
    public init(_ event: Event, tags: [String: AttributeValue] = [:]) {
        eventID = event.id
        eventKey = event.key
        var rejected: [String] = []
        self.tags = Self.sendable(tags, path: "", depth: 0, &rejected)
        rejectedTags = rejected.sorted()
    }

    /// The revenue in cents: the tag `revenue` if it is a number, without its fraction. Nil if it does not fit 64 bits.
    public var revenue: Int64? {
        switch tags["revenue"] {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value.rounded(.towardZero))
        case .float(let value): Int64(exactly: Double(value).rounded(.towardZero))
        default: nil
        }
    }

    /// The conversion's value: the tag `value` if it is a number.
    public var value: Double? { tags["value"]?.number }

    // MARK: Sendable values

    /// Deeper values could overflow the stack of the thread that writes them.
    private static let depthLimit = 32

    private static func sendable(
        _ members: [String: AttributeValue], path: String, depth: Int, _ rejected: inout [String]
    ) -> [String: AttributeValue] {
        var result: [String: AttributeValue] = [:]
        for (name, value) in members {
            if let value = sendable(value, path: path + name, depth: depth, &rejected) { result[name] = value }
        }
        return result
    }

    private static func sendable(
        _ value: AttributeValue, path: String, depth: Int, _ rejected: inout [String]
    ) -> AttributeValue? {
        switch value {
        case .string, .integer, .bool: return value
        case .double, .float:
            if value.number?.isFinite == true { return value }
        case .array(let elements) where depth < depthLimit:
            var kept: [AttributeValue] = []
            for (index, element) in elements.enumerated() {
                let path = "\(path)[\(index)]"
                if let element = sendable(element, path: path, depth: depth + 1, &rejected) { kept.append(element) }
            }
            return .array(kept)
        case .object(let members) where depth < depthLimit:
            return .object(sendable(members, path: path + ".", depth: depth + 1, &rejected))
        case .array, .object, .null, .opaque: break
        }
        rejected.append(path)
        return nil
    }

    /// `,"revenue":4250,"value":3.5,"tags":{…}`, with the tags sorted by name.
    func writeTags(to writer: inout JSONWriter) {
        if let revenue { writer.append(",\"revenue\":\(revenue)") }
        if let value = tags["value"], value.number != nil { writer.append(",\"value\":\(value.numberText)") }
        writer.append(",\"tags\":")
        writer.append(AttributeValue.object(tags))
    }
}

extension AttributeValue {
    /// The number as JSON spells it.
    fileprivate var numberText: String {
        if case .integer(let value) = self { value.description } else { (number ?? 0).description }
    }
}

extension JSONWriter {
    /// Appends a sendable value, without surrounding commas.
    fileprivate mutating func append(_ value: AttributeValue) {
        switch value {
        case .string(let text): appendQuoted(text)
        case .bool(let value): append(value ? "true" : "false")
        case .integer, .double, .float: append(value.numberText)
        case .array(let elements):
            append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { append(",") }
                append(element)
            }
            append("]")
        case .object(let members):
            append("{")
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { append(",") }
                appendQuoted(member.key)
                append(":")
                append(member.value)
            }
            append("}")
        case .null, .opaque: append("null")
        }
    }
}
