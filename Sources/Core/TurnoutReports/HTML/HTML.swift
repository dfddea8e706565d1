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
        var parts = Interpolation(literalCapacity: 0, interpolationCount: 0)
        parts.appendLiteral(text)
        self.init(stringInterpolation: parts)
    }

    /// Words of the program around texts of others.
    package init(stringInterpolation words: Interpolation) { self.init(words.parts) }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var parts: [HTML] { code.map { finished + [.element("code", HTML($0))] } ?? finished }
        private var finished: [HTML] = []
        /// The parts of code that has begun; nil outside of code.
        private var code: [HTML]?

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ words: String) {
            for (index, part) in words.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
                if index > 0 {
                    if let code { finished.append(.element("code", HTML(code))) }
                    code = code == nil ? [] : nil
                }
                append(HTML(String(part)))
            }
        }

        package mutating func appendInterpolation(_ part: HTML) { append(part) }
        package mutating func appendInterpolation(_ text: some Any) { append(HTML(String(describing: text))) }

        private mutating func append(_ part: HTML) {
            if code == nil { finished.append(part) } else { code?.append(part) }
        }
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
