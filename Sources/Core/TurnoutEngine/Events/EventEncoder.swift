/// Writes the payloads that carry a project's events.
///
/// An encoder is created once per project. Everything that all events share is prepared in advance, so an impression
/// costs little more than copying its bytes.
public struct EventEncoder: Sendable {
    private let project: Project
    /// Everything before the list of visitors.
    private let head: String
    private let attributes: AttributeFragments

    /// Creates an encoder for a project.
    ///
    /// - Parameters:
    ///   - project: The project whose identity the events carry.
    ///   - clientName: The name that identifies the client to the server.
    ///   - clientVersion: The client's version.
    public init(project: Project, clientName: String, clientVersion: String) {
        self.project = project
        var writer = JSONWriter()
        writer.beginObject()
        for (key, text) in [
            ("account_id", project.accountID), ("project_id", project.projectID), ("revision", project.revision),
            ("client_name", clientName), ("client_version", clientVersion), ("region", project.region.rawValue),
        ] {
            writer.member(key, text)
        }
        writer.member("anonymize_ip", project.anonymizesIP)
        writer.member("enrich_decisions", true)
        writer.key("visitors")
        writer.beginArray()
        head = writer.text
        attributes = AttributeFragments(project.declaredAttributes)
    }

    /// Everything before the list of visitors: `{"account_id":"12001",…,"visitors":[`. Payloads with the same envelope
    /// can be merged into one; `]}` ends a payload.
    public var envelope: String { head }

    /// Writes a payload with one impression.
    ///
    /// Attributes that are not in the project are left out, as are arrays, dictionaries and values that JSON cannot
    /// represent. Those whose names start with `$opt_` are always sent.
    ///
    /// - Complexity: O(n) in the length of the payload. Does not allocate if the writer has room.
    public func write(
        _ impression: Impression, of user: User, stamp: EventStamp, to writer: inout JSONWriter
    ) {
        writer.raw(head)
        writeVisitor(impression, of: user, stamp: stamp, to: &writer)
        writer.append(room: 2) { $0.append("]}" as StaticString) }
    }

    /// Writes an impression's entry in `visitors`; see ``write(_:of:stamp:to:)-(Impression,_,_,_)``.
    public func writeVisitor(
        _ impression: Impression, of user: User, stamp: EventStamp, to writer: inout JSONWriter
    ) {
        let visitor = ByteCursor.roomForQuoted(user.id) + 2 * ByteCursor.roomForQuoted(impression.campaignID)
        writer.append(room: visitor + impression.room + room(forAttributesOf: user) + 256) { cursor in
            appendStart(of: user, to: &cursor)
            cursor.append("\"decisions\":[" as StaticString)
            cursor.append(impression)
            cursor.append("],\"events\":[{\"entity_id\":" as StaticString)
            cursor.appendQuoted(impression.campaignID)
            cursor.append(",\"key\":\"campaign_activated\"" as StaticString)
            cursor.append(stamp)
            cursor.append(",\"tags\":{}}]}]}" as StaticString)
        }
    }

    /// Writes a payload with one conversion. The user's attributes are treated as in an impression.
    public func write(
        _ conversion: Conversion, of user: User, stamp: EventStamp, to writer: inout JSONWriter
    ) {
        writer.raw(head)
        writeVisitor(conversion, of: user, stamp: stamp, to: &writer)
        writer.append(room: 2) { $0.append("]}" as StaticString) }
    }

    /// Writes a conversion's entry in `visitors`.
    public func writeVisitor(
        _ conversion: Conversion, of user: User, stamp: EventStamp, to writer: inout JSONWriter
    ) {
        let texts = ByteCursor.roomForQuoted(conversion.eventID) + ByteCursor.roomForQuoted(conversion.eventKey)
        writer.append(room: ByteCursor.roomForQuoted(user.id) + texts + room(forAttributesOf: user) + 256) { cursor in
            appendStart(of: user, to: &cursor)
            cursor.append("\"events\":[{\"entity_id\":" as StaticString)
            cursor.appendQuoted(conversion.eventID)
            cursor.append(",\"key\":" as StaticString)
            cursor.appendQuoted(conversion.eventKey)
            cursor.append(stamp)
        }
        conversion.writeTags(to: &writer)
        writer.append("}]}]}")
    }

    /// `{"visitor_id":"ada","attributes":[…],"snapshots":[{`
    @inline(__always)
    private func appendStart(of user: User, to cursor: inout ByteCursor) {
        cursor.append("{\"visitor_id\":" as StaticString)
        cursor.appendQuoted(user.id)
        cursor.append(",\"attributes\":[" as StaticString)
        append(attributesOf: user, to: &cursor)
        cursor.append("],\"snapshots\":[{" as StaticString)
    }

    // MARK: Attributes

    private static let botFilteringName = "$opt_bot_filtering"
    private static let botFiltering = AttributeFragments.fragment(id: botFilteringName, name: botFilteringName)

    /// An upper bound for the bytes of the attributes, sent or not.
    private func room(forAttributesOf user: User) -> Int {
        var room = Self.botFiltering.utf8.count + 8
        user.attributes.forEachEntry { name, value, _ in
            // A number needs at most 32 bytes; names of unknown attributes are written twice.
            room += attributes.longest + 2 * ByteCursor.roomForQuoted(name) + 96
            if case .string(let text) = value { room += ByteCursor.roomForQuoted(text) }
        }
        return room
    }

    private func append(attributesOf user: User, to cursor: inout ByteCursor) {
        var isFirst = true
        user.attributes.forEachEntry { name, value, hash in
            guard value.isSent else { return }
            let number = attributes.number(of: name, hash: hash)
            guard number != nil || name.hasPrefix("$opt_") else { return }
            if !isFirst { cursor.append(UInt8(ascii: ",")) }
            isFirst = false
            if let number {
                attributes.append(number, to: &cursor)
            } else {
                cursor.append(AttributeFragments.fragment(id: name, name: name))
            }
            cursor.append(value)
            cursor.append(UInt8(ascii: "}"))
        }
        guard let filters = project.botFiltering else { return }
        if !isFirst { cursor.append(UInt8(ascii: ",")) }
        cursor.append(Self.botFiltering)
        cursor.append(filters ? "true}" : "false}" as StaticString)
    }
}

extension Attributes {
    /// The names of attributes whose values events cannot carry; null is not counted.
    package var unsendableNames: [String] {
        var names: [String] = []
        forEachEntry { name, value, _ in
            if !value.isSent, !value.isNull { names.append(name) }
        }
        return names
    }
}

extension AttributeValue {
    fileprivate var isNull: Bool {
        switch self {
        case .null, .opaque(_, isNull: true): true
        default: false
        }
    }

    /// Whether events carry the value: strings, Booleans, and numbers that JSON can represent.
    fileprivate var isSent: Bool {
        switch self {
        case .string, .integer, .bool: true
        case .double(let value): value.isFinite
        case .float(let value): value.isFinite
        case .array, .object, .null, .opaque: false
        }
    }
}

extension ByteCursor {
    /// `,"timestamp":1767225600123,"uuid":"0C5E8B8A-…"`
    @inline(__always)
    fileprivate mutating func append(_ stamp: EventStamp) {
        append(",\"timestamp\":" as StaticString)
        append(stamp.timestamp)
        append(",\"uuid\":\"" as StaticString)
        stamp.uuid.append(to: &self)
        append(UInt8(ascii: "\""))
    }

    /// Appends a value for which ``AttributeValue/isSent`` is true.
    @inline(__always)
    fileprivate mutating func append(_ value: AttributeValue) {
        switch value {
        case .string(let value): appendQuoted(value)
        case .integer(let value): append(value)
        case .bool(let value): append(value ? "true" : "false" as StaticString)
        default: append((value.number ?? 0).description)
        }
    }
}

/// The entries of a project's attributes in payloads, each written up to its value.
///
/// A lookup uses the hash that the user's attribute already has. All fragments share one block of memory, so appending
/// one counts no references.
struct AttributeFragments: Sendable {
    private var bytes: [UInt8] = []
    private var fragments: [Fragment] = []
    /// Open addressing: the index of a fragment plus one, or 0 for an empty slot. The size is a power of two, at most
    /// half full.
    private var slots: [UInt32]
    /// The length of the longest fragment.
    private(set) var longest = 0

    private struct Fragment {
        var name: String
        var hash: UInt32
        var range: Range<Int>
    }

    /// Writes the fragments of some attributes. Of several with the same name the last one counts.
    init(_ attributes: [(id: String, key: String)]) {
        var capacity = 8
        while capacity < attributes.count * 2 { capacity *= 2 }
        slots = Array(repeating: 0, count: capacity)
        for (id, key) in attributes {
            let start = bytes.count
            bytes += Self.fragment(id: id, name: key).utf8
            let fragment = Fragment(name: key, hash: Attributes.hash(of: key), range: start..<bytes.count)
            longest = max(longest, bytes.count - start)
            fragments.append(fragment)
            slots[slot(of: key, hash: fragment.hash)] = UInt32(fragments.count)
        }
    }

    /// `{"entity_id":"7001","key":"plan","type":"custom","value":`
    static func fragment(id: String, name: String) -> String {
        var writer = JSONWriter()
        writer.append("{\"entity_id\":")
        writer.appendQuoted(id)
        writer.append(",\"key\":")
        writer.appendQuoted(name)
        writer.append(",\"type\":\"custom\",\"value\":")
        return writer.text
    }

    /// The number of an attribute's fragment, or nil if the project has no such attribute.
    @inline(__always)
    func number(of name: String, hash: UInt32) -> Int? {
        let number = slots[slot(of: name, hash: hash)]
        return number == 0 ? nil : Int(number) - 1
    }

    /// Appends the fragment with a number.
    @inline(__always)
    func append(_ number: Int, to cursor: inout ByteCursor) {
        bytes.withBytes { cursor.append(UnsafeBufferPointer(rebasing: $0[fragments[number].range])) }
    }

    /// The slot of a name, or the empty one where it belongs.
    @inline(__always)
    private func slot(of name: String, hash: UInt32) -> Int {
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if fragments[number].hash == hash, fragments[number].name.hasSameBytes(as: name) { return slot }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }
}
