import FoundationXML

/// The elements of a page, as a parser of XML finds them.
final class Page: NSObject, XMLParserDelegate {
    struct Element {
        let name: String
        let attributes: [String: String]
        let parent: String
    }

    private(set) var elements: [Element] = []
    private(set) var text = ""
    private(set) var problem: String?
    private var open: [String] = []

    init(_ markup: String) {
        super.init()
        let parser = XMLParser(data: Data(markup.utf8))
        parser.delegate = self
        if !parser.parse() { problem = parser.parserError.map { "\($0), line \(parser.lineNumber)" } ?? "unknown" }
    }

    /// The elements with a name.
    func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

    func parser(
        _: XMLParser, didStartElement name: String, namespaceURI _: String?, qualifiedName _: String?,
        attributes: [String: String]
    ) {
        elements.append(Element(name: name, attributes: attributes, parent: open.last ?? ""))
        open.append(name)
    }

    func parser(_: XMLParser, didEndElement _: String, namespaceURI _: String?, qualifiedName _: String?) {
        open.removeLast()
    }

    func parser(_: XMLParser, foundCharacters text: String) { if open.last != "style" { self.text += text } }
}
