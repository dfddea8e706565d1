/// The target of a request line: a path and a query, in an address or alone. (RFC 9112, section 3.2)
struct RequestTarget: Sendable {
    /// The path with its percent-escapes, or `*`.
    private(set) var path = ""
    /// The parameters of the query.
    private(set) var query = QueryParameters()
    /// The host and the port of a complete address, which must be those of the `Host` header.
    private(set) var authority: String?

    init() {}

    /// Reads a target.
    ///
    /// UTF-8 that is not percent-encoded is accepted, because some clients send it.
    init(_ bytes: UnsafeRawBufferPointer) throws(RequestRefusal) {
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") }),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw RequestRefusal(400, "the address has an invalid character") }
        if text == "*" {
            path = text
            return
        }
        var rest = text[...]
        if rest.utf8.first != UInt8(ascii: "/") { authority = try Self.readAuthority(&rest) }
        let end = rest.utf8.firstIndex(of: UInt8(ascii: "?"))
        path = String(rest[..<(end ?? rest.endIndex)])
        if path.isEmpty { path = "/" }
        if let end { query = QueryParameters(parsing: rest[rest.utf8.index(after: end)...]) }
        try checkSegments()
    }

    /// Takes `http://host:port` from the beginning.
    private static func readAuthority(_ rest: inout Substring) throws(RequestRefusal) -> String {
        for scheme in ["http://", "https://"] where String(rest.prefix(scheme.count)).equalsIgnoringCase(scheme) {
            rest = rest.dropFirst(scheme.count)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            defer { rest = rest[end...] }
            return String(rest[..<end])
        }
        throw RequestRefusal(400, "the address is neither a path nor a complete one")
    }

    /// Refuses the segments `.` and `..`, including percent-encoded ones.
    private func checkSegments() throws(RequestRefusal) {
        // Most paths have no point at the beginning of a segment, and are not split.
        var previous: UInt8 = 0
        let hasPoint = path.utf8.contains { byte in
            defer { previous = byte }
            return previous == UInt8(ascii: "/") && (byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%"))
        }
        guard hasPoint else { return }
        // By bytes, as routes divide it: a combining mark after a slash would make both one character.
        for segment in path.utf8.split(separator: UInt8(ascii: "/")) {
            guard ![".", ".."].contains(Substring(segment).percentDecoded()) else {
                throw RequestRefusal(400, "the path has a segment of points")
            }
        }
    }
}
