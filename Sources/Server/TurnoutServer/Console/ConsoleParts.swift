import TurnoutEngine
import TurnoutReports

/// What several pages consist of.
extension HTML {
    /// A time, which a script shows in the reader's time zone.
    static func time(_ milliseconds: Int64) -> HTML {
        let text = Timestamp.text(milliseconds)
        return .element("time", ["datetime": text], HTML(String(text.prefix(16)).replacing("T", with: " ") + " UTC"))
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

    /// A table in a box that scrolls where a page is too narrow. The first cell of a row is its name; columns of
    /// numbers are aligned on the right.
    static func table(_ titles: [HTML], _ rows: [[HTML]], numbers: Set<Int> = []) -> HTML {
        let head = titles.enumerated().map { column, title in
            HTML.element("th", ["scope": "col", "class": numbers.contains(column) ? "right" : nil], title)
        }
        let body = rows.map { row($0, numbers: numbers) }
        let table = HTML.element(
            "table", .element("thead", .element("tr", HTML(head))) + .element("tbody", HTML(body)))
        return .element("div", ["class": "scroll", "tabindex": "0"], table)
    }

    /// A row of a table.
    static func row(_ cells: [HTML], numbers: Set<Int> = []) -> HTML {
        let cells = cells.enumerated().map { column, cell in
            column == 0
                ? HTML.element("th", ["scope": "row"], cell)
                : .element("td", ["class": numbers.contains(column) ? "right" : nil], cell)
        }
        return .element("tr", HTML(cells))
    }

    /// A link that clears the filters of a page; empty if there are none.
    static func clearing(_ query: QueryParameters, at path: String) -> HTML {
        let isFiltered = query.parameters.contains { !$0.value.isEmpty && !["page", "all"].contains($0.name) }
        return isFiltered ? .element("a", ["class": "action quiet", "href": path], "Clear") : ""
    }

    /// A text with its lines.
    static func lines(_ text: String) -> HTML {
        .element("div", ["class": "lines"], HTML(text.trimmingBlanks))
    }

    static func list(_ items: [HTML], class name: String? = nil) -> HTML {
        .element("ul", ["class": name], HTML(items.map { .element("li", $0) }))
    }
}

extension Timestamp {
    /// How long something has been: `3 days`, `2 hours`, `5 minutes`.
    static func span(_ milliseconds: Int64) -> String {
        let minutes = Int(max(0, milliseconds) / 60_000)
        switch minutes {
        case ..<1: return "under a minute"
        case ..<120: return minutes.grouped("minute")
        case ..<2_880: return (minutes / 60).grouped("hour")
        default: return (minutes / 1_440).grouped("day")
        }
    }
}

extension String {
    /// The text with a capital letter and a full stop.
    var asSentence: String { prefix(1).uppercased() + dropFirst() + (hasSuffix(".") || hasSuffix("?") ? "" : ".") }
}
