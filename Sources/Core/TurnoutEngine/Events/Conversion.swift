/// What a user did that a project counts: one of its events, with what the caller adds.
public struct Conversion: Sendable, Equatable {
    /// The id of the event.
    public let eventID: String
    /// The key of the event.
    public let eventKey: String
    /// What the caller adds, without what cannot be sent.
    public let tags: [String: AttributeValue]
    /// The names of the tags that cannot be sent, nested ones with their path; sorted.
    public let rejectedTags: [String]

    /// Creates a conversion.
    ///
    /// Texts, truth values, finite numbers, and lists and dictionaries of these can be sent, up to 32 inside each
    /// other. Everything else is left out and named in ``rejectedTags``.
    public init(_ event: Event, tags: [String: AttributeValue] = [:]) {
        eventID = event.id
        eventKey = event.key
        var rejected: [String] = []
        self.tags = Self.sendable(tags, path: "", depth: 0, &rejected)
        rejectedTags = rejected.sorted()
    }

    /// The money it brought, in cents: the tag `revenue` if that is a number, without its fraction. Nil if it does not
    /// fit 64 bits.
    public var revenue: Int64? {
        switch tags["revenue"] {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value.rounded(.towardZero))
        case .float(let value): Int64(exactly: Double(value).rounded(.towardZero))
        default: nil
        }
    }

    /// What it is worth: the tag `value` if that is a number.
    public var value: Double? { tags["value"]?.number }

    // MARK: What can be sent

    /// Deeper values could exhaust the stack of the thread that writes them.
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
    /// The number as JSON has it.
    fileprivate var numberText: String {
        if case .integer(let value) = self { value.description } else { (number ?? 0).description }
    }
}

extension JSONWriter {
    /// Appends a value that can be sent, without commas around it.
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
