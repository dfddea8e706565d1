import TurnoutClient
import TurnoutFlags
import TurnoutReports

/// The parts of pages about flags.
extension HTML {
    /// A time, which a script shows in the reader's time zone.
    static func time(_ milliseconds: Int64) -> HTML {
        let text = Timestamp.text(milliseconds)
        return .element("time", ["datetime": text], HTML("\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"))
    }

    static func code(_ text: String) -> HTML { .element("code", .name(text)) }

    /// What a flag does in an environment: a word, and a bar for the share of users.
    static func state(_ state: FlagState?) -> HTML {
        guard let state else { return .element("span", ["class": "state off"], "not there") }
        let word = HTML.element(
            "span", ["class": state.kind == .off ? "state off" : "state on"], HTML(state.kind.rawValue))
        guard state.kind == .some || state.kind == .test else { return word }
        let bar = HTML.element(
            "svg",
            ["class": "traffic", "viewBox": "0 0 10000 1000", "preserveAspectRatio": "none", "aria-hidden": "true"],
            .element("rect", ["width": "\(state.traffic.buckets)", "height": "1000"], ""))
        return word + .element("br", [:]) + bar + HTML(state.traffic.percent)
    }

    /// A choice among texts, of which the first may stand for all.
    static func select(_ name: String, _ choices: [(value: String, text: String)], _ selected: String?) -> HTML {
        .element(
            "select", ["name": name],
            HTML(
                choices.map { value, text in
                    .element("option", ["value": value, "selected": value == selected ? "" : nil], HTML(text))
                }))
    }

    /// A table in a box that scrolls where a page is too narrow.
    static func table(_ titles: [HTML], _ rows: [[HTML]]) -> HTML {
        let head = HTML.element("tr", HTML(titles.map { .element("th", ["scope": "col"], $0) }))
        let body = rows.map { row in
            HTML.element(
                "tr",
                HTML(row.enumerated().map { $0 == 0 ? .element("th", ["scope": "row"], $1) : .element("td", $1) }))
        }
        return .element(
            "div", ["class": "scroll", "tabindex": "0"],
            .element("table", .element("thead", head) + .element("tbody", HTML(body))))
    }

    static func list(_ items: [HTML], class name: String? = nil) -> HTML {
        .element("ul", ["class": name], HTML(items.map { .element("li", $0) }))
    }
}

extension FlagPage {
    static func path(_ flag: String) -> String { Console.path + "flags/" + flag.percentEncoded }
}
