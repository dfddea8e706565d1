/// The code of a lint finding that is not reported, and where it is written.
package struct IgnoredFinding: Sendable, Equatable, ExpressibleByStringLiteral {
    package var code: String
    package var origin = SourceOrigin()

    package init(_ code: String, origin: SourceOrigin = SourceOrigin()) {
        self.code = code
        self.origin = origin
    }

    /// Creates the code of a literal.
    package init(stringLiteral code: String) { self.init(code) }
}

extension [IgnoredFinding] {
    /// Whether findings with a code are not reported.
    func contains(_ code: String) -> Bool { contains { $0.code == code } }
}
