/// The beginning of a request: everything before its body.
///
/// A listener creates it after it has refused requests that a proxy and a server could read differently; see
/// ``HTTPListener``.
package struct RequestHead: Sendable {
    /// The method in capital letters, such as `GET`.
    package var method: String
    /// The path with its percent-escapes, without the query. It starts with `/`, and has no segments `.` and `..`. In
    /// `OPTIONS *` it is `*`.
    package var path: String
    /// The parameters of the query, decoded, in their order.
    package var query: QueryParameters
    package var headers: HeaderFields
    /// The address of the connection's other end, such as `127.0.0.1`. Used for limits, and not logged.
    package var remoteAddress: String

    package init(
        _ method: String, _ path: String, query: QueryParameters = QueryParameters(),
        headers: HeaderFields = HeaderFields(), remoteAddress: String = "127.0.0.1"
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.remoteAddress = remoteAddress
    }
}

package struct ServerRequest: Sendable {
    package var head: RequestHead
    /// The body, of at most the size that ``RequestHandler/bodyLimit(for:)`` allows; empty without one.
    package var body: [UInt8]
    /// The values of the placeholders in the route's pattern, decoded; see ``Route``.
    package var parameters: [String] = []

    package init(_ head: RequestHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}

/// The headers of a request or a response, in their order. Names are compared without regard to case.
package struct HeaderFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// A name and its value.
    package struct Field: Sendable, Equatable {
        /// The name as it was sent.
        package var name: String
        /// The value without surrounding blanks.
        package var value: String
    }

    package private(set) var fields: [Field] = []

    package init() {}

    /// Creates a list of names and values.
    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of a name, or nil. Setting replaces all values of the name; nil removes them.
    package subscript(name: String) -> String? {
        get { fields.first { $0.name.equalsIgnoringCase(name) }?.value }
        set {
            fields.removeAll { $0.name.equalsIgnoringCase(name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// All values of a name.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }

    package mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }
}

extension String {
    /// Whether two names of headers are equal: letters of ASCII regardless of case, everything else byte by byte.
    package func equalsIgnoringCase(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Each request compares its headers' names: iterators of strings would take several times as long.
        let areEqual = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                bytes.indices.allSatisfy { bytes[$0].asciiLowercase == others[$0].asciiLowercase }
            }
        }
        if let areEqual = areEqual ?? nil { return areEqual }
        return zip(utf8, other.utf8).allSatisfy { $0.asciiLowercase == $1.asciiLowercase }
    }
}

extension UInt8 {
    fileprivate var asciiLowercase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
