extension User {
    /// Reads a user from a JSON object, as in files with one user per line:
    ///
    /// ```json
    /// {"user": "ada", "attributes": {"country": "US", "age": 36}, "segments": ["vip"],
    ///  "forcedDecisions": [{"flag": "checkout", "rule": "checkout_test", "variation": "control"}]}
    /// ```
    ///
    /// All members except `user` may be missing or null, and so may `rule`. Of duplicate members the first counts;
    /// others are ignored.
    ///
    /// - Throws: `JSONError` with the path, line and column.
    public init(parsing text: [UInt8]) throws(JSONError) {
        self = try text.withBytes { (bytes) throws(JSONError) in try User(parsing: bytes) }
    }

    /// Reads a user from the bytes of a JSON object.
    package init(parsing bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        self = try JSONReader.read(bytes) { (reader) throws(JSONError) in try reader.readUser() }
    }
}

extension JSONReader {
    fileprivate mutating func readUser() throws(JSONError) -> User {
        var id: String?
        var attributes: Attributes?
        var segments: Set<String>?
        var forcedDecisions: ForcedDecisions?
        _ = peek()
        let start = cursor
        try readMembers { (reader, key) throws(JSONError) in
            // The length is compared first, because comparing strings takes quadratic time for runs of combining marks.
            switch key.utf8.count {
            case 4 where id == nil && key == "user": id = try reader.readString().string
            case 10 where attributes == nil && key == "attributes":
                attributes = try reader.skipNull() ? [:] : try reader.readAttributes()
            case 8 where segments == nil && key == "segments":
                segments = try reader.skipNull() ? [] : try reader.readSegments()
            case 15 where forcedDecisions == nil && key == "forcedDecisions":
                forcedDecisions = try reader.skipNull() ? [:] : try reader.readForcedDecisions()
            default: try reader.skipValue()
            }
        }
        guard let id else { throw error("the member \"user\" is missing", at: start) }
        var user = User(id, attributes: attributes ?? [:])
        user.segments = segments ?? []
        user.forcedDecisions = forcedDecisions ?? [:]
        return user
    }

    private mutating func readSegments() throws(JSONError) -> Set<String> {
        var segments: Set<String> = []
        try readElements { (reader) throws(JSONError) in segments.insert(try reader.readString().key) }
        return segments
    }

    private mutating func readForcedDecisions() throws(JSONError) -> ForcedDecisions {
        var forcedDecisions: ForcedDecisions = [:]
        try readElements { (reader) throws(JSONError) in
            let (context, variation) = try reader.readForcedDecision()
            forcedDecisions[context] = variation
        }
        return forcedDecisions
    }

    private mutating func readAttributes() throws(JSONError) -> Attributes {
        var attributes = Attributes()
        try readMembers { (reader, key) throws(JSONError) in
            let value = AttributeValue(try reader.readValue())
            if attributes[key] == nil { attributes[key] = value }
        }
        return attributes
    }

    private mutating func readForcedDecision() throws(JSONError) -> (DecisionContext, variation: String) {
        var flag: String?
        var rule: String?
        var variation: String?
        _ = peek()
        let start = cursor
        try readMembers { (reader, key) throws(JSONError) in
            switch key.utf8.count {
            case 4 where flag == nil && key == "flag": flag = try reader.readString().key
            case 4 where rule == nil && key == "rule": rule = try reader.skipNull() ? nil : try reader.readString().key
            case 9 where variation == nil && key == "variation": variation = try reader.readString().string
            default: try reader.skipValue()
            }
        }
        guard let flag, let variation else {
            throw error("a forced decision needs the members \"flag\" and \"variation\"", at: start)
        }
        return (DecisionContext(flag: flag, rule: rule), variation)
    }

    private mutating func readMembers(
        _ body: (inout JSONReader, String) throws(JSONError) -> Void
    ) throws(JSONError) {
        var isFirst = true
        try enterObject()
        while let key = try nextKey(isFirst: &isFirst)?.string {
            do throws(JSONError) { try body(&self, key) } catch { throw error.inside(.key(key)) }
        }
    }

    private mutating func readElements(
        _ body: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        var isFirst = true
        var index = 0
        try enterArray()
        while try nextElement(isFirst: &isFirst) {
            do throws(JSONError) { try body(&self) } catch { throw error.inside(.index(index)) }
            index += 1
        }
    }
}
