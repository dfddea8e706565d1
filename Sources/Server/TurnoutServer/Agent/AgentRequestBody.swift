import TurnoutEngine

/// Reads the JSON object in a request as Go's decoder does: names regardless of case, `null` as nothing, the last of
/// duplicate members, and no unknown ones. An empty body is an empty object. What is no JSON but has a replacement is
/// replaced (`repairedJSON`).
enum AgentRequestBody {
    /// Calls `read` for each member with one of the names.
    ///
    /// - Returns: Whether the body is such an object.
    static func read(
        _ body: [UInt8], _ names: [String],
        _ read: (inout JSONReader, _ name: String) throws(JSONError) -> Void
    ) -> Bool {
        if body.isEmpty || readOnce(body, names, read) { return true }
        guard let repaired = body.repairedJSON else { return false }
        return readOnce(repaired, names, read)
    }

    private static func readOnce(
        _ body: [UInt8], _ names: [String],
        _ read: (inout JSONReader, _ name: String) throws(JSONError) -> Void
    ) -> Bool {
        do throws(JSONError) {
            try body.withBytes { (bytes) throws(JSONError) in
                try JSONReader.read(bytes) { (reader) throws(JSONError) in
                    guard try !reader.skipNull() else { return }
                    try reader.members { (reader, key) throws(JSONError) in
                        guard let name = names.first(where: { $0 == key || $0.equalsIgnoringCase(key) }) else {
                            return try reader.skipValue()
                        }
                        if try !reader.skipNull() { try read(&reader, name) }
                    }
                }
            }
            return true
        } catch { return false }
    }
}

extension JSONReader {
    /// Calls `body` with the key of each member of an object; the reader is then at its value.
    mutating func members(_ body: (inout JSONReader, String) throws(JSONError) -> Void) throws(JSONError) {
        var isFirst = true
        try enterObject()
        while let key = try nextKeyWithRange(isFirst: &isFirst)?.text { try body(&self, key) }
    }

    /// Calls `body` for each element of an array.
    mutating func elements(_ body: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        var isFirst = true
        try enterArray()
        while try nextElement(isFirst: &isFirst) { try body(&self) }
    }

    /// Reads an object as attributes.
    mutating func attributes() throws(JSONError) -> Attributes {
        var attributes = Attributes()
        try members { (reader, key) throws(JSONError) in attributes[key] = AttributeValue(try reader.readValue()) }
        return attributes
    }

    /// Reads an object as tags.
    mutating func tags() throws(JSONError) -> [String: AttributeValue] {
        var tags: [String: AttributeValue] = [:]
        try members { (reader, key) throws(JSONError) in tags[key] = AttributeValue(try reader.readValue()) }
        return tags
    }

    /// Reads an array of strings.
    mutating func strings() throws(JSONError) -> [String] {
        var strings: [String] = []
        try elements { (reader) throws(JSONError) in
            if try !reader.skipNull() { strings.append(try reader.readString().string) } else { strings.append("") }
        }
        return strings
    }
}

/// The user of a request: the members `userId` and `userAttributes`.
struct AgentUserBody {
    var userID = ""
    var attributes = Attributes()

    /// Reads a body; nil if it is malformed.
    init?(_ body: [UInt8]) {
        var (userID, attributes) = ("", Attributes())
        let isValid = AgentRequestBody.read(body, ["userId", "userAttributes"]) { (reader, name) throws(JSONError) in
            if name == "userId" {
                userID = try reader.readString().string
            } else {
                attributes = try reader.attributes()
            }
        }
        guard isValid else { return nil }
        (self.userID, self.attributes) = (userID, attributes)
    }

    var user: User { User(userID, attributes: attributes) }
}

extension ServerResponse {
    /// The body is not the JSON object that the route expects.
    static let unreadable = ServerResponse.agentError(400, "error parsing request body")
    /// The body names no user.
    static let missingUser = ServerResponse.agentError(400, "missing \"userId\" in request payload")
}
