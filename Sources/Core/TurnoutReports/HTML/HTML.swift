/// Markup that is safe whatever texts it contains: tags come from ``element(_:_:_:)`` only, and every text is escaped.
///
///     HTML.element("td", ["title": name], HTML(name) + " and others")
package struct HTML: Sendable, ExpressibleByStringInterpolation {
    package let markup: String

    fileprivate static let entities: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;",
    ]

    private init(markup: String) { self.markup = markup }

    /// A text. What would control the page or its direction is replaced.
    package init(_ text: String) { markup = text.escaped }

    /// Words of the program, in which `…` is code.
    /// A text that a form sends back as it is, with what would control the page.
    package init(exactly text: String) { markup = text.escapedExactly }

    package init(stringLiteral text: String) {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).map { HTML(String($0)) }
        self.init(parts.enumerated().map { $0.isMultiple(of: 2) ? $1 : .element("code", $1) })
    }

    /// Several parts, one after the other.
    package init(_ parts: [HTML]) { markup = parts.map(\.markup).joined() }

    package static func + (first: HTML, second: HTML) -> HTML { HTML([first, second]) }

    /// An element. Attributes that are nil are left out; an element that never has content, such as `meta`, has nil.
    package static func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>, _ content: HTML? = nil
    ) -> HTML {
        let pairs = attributes.map { name, value in
            value.map { " \(name)=\"\("\(name)" == "value" ? $0.escapedExactly : $0.escaped)\"" } ?? ""
        }
        .joined()
        return HTML(markup: "<\(name)\(pairs)" + (content.map { ">\($0.markup)</\(name)>" } ?? "/>"))
    }

    package static func element(_ name: StaticString, _ content: HTML) -> HTML { element(name, [:], content) }
}

extension String {
    /// The text as the content of an element, and as an attribute's value in double quotes.
    fileprivate var escaped: String {
        unicodeScalars.map { scalar in
            HTML.entities[scalar] ?? String(scalar.isControl && scalar != "\n" ? scalar.picture : scalar)
        }.joined()
    }

    /// The same, with each control character as itself.
    fileprivate var escapedExactly: String {
        unicodeScalars.map { scalar in
            HTML.entities[scalar] ?? (scalar.isControl ? "&#\(scalar.value);" : String(scalar))
        }.joined()
    }
}
