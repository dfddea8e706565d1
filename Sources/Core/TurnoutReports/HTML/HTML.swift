/// Markup that is safe whatever texts it contains: tags come from ``element(_:_:_:)`` only, and every text is escaped.
///
///     HTML.element("td", ["title": name], HTML(name) + " and others")
package struct HTML: Sendable, ExpressibleByStringInterpolation {
    package typealias StringInterpolation = Interpolation

    package let markup: String

    fileprivate static let entities: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;",
    ]

    private init(markup: String) { self.markup = markup }

    /// A text. What would control the page or its direction is replaced.
    package init(_ text: String) { markup = text.escaped }

    /// A text that a form sends back as it is, with what would control the page.
    package init(exactly text: String) { markup = text.escapedExactly }

    /// Words of the program, in which `…` is code.
    package init(stringLiteral text: String) { self.init(words: text) }

    /// Words of the program that are no literal, in which `…` is code.
    package init(words text: String) {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false).map { HTML(String($0)) }
        self.init(parts.enumerated().map { $0.isMultiple(of: 2) ? $1 : .element("code", $1) })
    }

    /// Words of the program around texts of others.
    package init(stringInterpolation parts: Interpolation) { self.init(parts.parts) }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var parts: [HTML] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ words: String) { parts.append(HTML(words: words)) }
        package mutating func appendInterpolation(_ text: some Any) { parts.append(HTML(String(describing: text))) }
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
            // References to characters from 128 to 159 would be read as those of Windows.
            HTML.entities[scalar] ?? (scalar.value < 32 ? "&#\(scalar.value);" : String(scalar))
        }.joined()
    }
}
