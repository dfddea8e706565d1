extension Report {
    /// The report as a page of its own: one style sheet, no script, nothing that is loaded.
    ///
    /// - Parameters:
    ///   - title: Its title.
    ///   - note: What is said below the title, such as when the report was made.
    /// - Returns: The page, which is also well-formed XML.
    package func html(title: String, note: String = "") -> String {
        let head: [HTML] = [
            .element("meta", ["charset": "utf-8"]),
            .element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
            .element("meta", ["http-equiv": "Content-Security-Policy", "content": PageStyle.policy]),
            .element("title", HTML(title)), .element("style", HTML(PageStyle.text)),
        ]
        let below = note.isEmpty ? "" : HTML.element("p", ["class": "note"], HTML(note))
        let header = HTML.element("header", .element("h1", .name(title, limit: 200)) + below)
        let main = HTML.element("main", header + content)
        let page = HTML.element("html", ["lang": "en"], .element("head", HTML(head)) + .element("body", main))
        return "<!DOCTYPE html>\n\(page.markup)\n"
    }

    /// The sections, as a part of a page with the same style sheet.
    package var content: HTML { HTML(sections.map { $0.html(isList: isList) }) }
}

extension Report.Section {
    fileprivate func html(isList: Bool) -> HTML {
        var content = title.map { [HTML.element("h2", $0.heading.html)] } ?? []
        var items: [HTML] = []
        for block in blocks {
            if case .line(let line) = block, isList || line.depth > 0 {
                items.append(.element("li", ["class": line.depth > 1 ? "deep" : nil], line.html))
                continue
            }
            content += Self.list(items) + [block.html]
            items = []
        }
        return .element("section", HTML(content + Self.list(items)))
    }

    private static func list(_ items: [HTML]) -> [HTML] { items.isEmpty ? [] : [.element("ul", HTML(items))] }
}

extension Report.Block {
    fileprivate var html: HTML {
        switch self {
        case .line(let line): .element("p", line.html)
        case .list(let title, let texts):
            .element("p", "\(title): " + HTML(texts.enumerated().map { ($0 > 0 ? ", " : "") + $1.html }))
        case .table(let table): table.html
        case .matrix(let matrix): matrix.table.html
        case .tree(let lines, _): .element("pre", HTML(lines.joined(separator: "\n")))
        case .drawing(let plot): .element("figure", .element("figcaption", HTML(plot.title)) + plot.html)
        }
    }
}

extension Report.Line {
    fileprivate var html: HTML { HTML(texts.map(\.html)) }
}

extension Report.Text {
    fileprivate var html: HTML {
        if let (name, style) = arm { return .named(style.shape, .name(name)) }
        guard !text.isEmpty else { return "" }
        let words = isCode ? HTML.element("code", .name(text)) : .name(text, limit: 500)
        let detail = detail.isEmpty ? "" : HTML.element("small", HTML(" \(detail)"))
        return style.map { .element("span", ["class": "\($0)"], words + detail) } ?? words + detail
    }
}

extension HTML {
    /// A name that someone chose: not longer than the limit, and without effect on the direction of what is around it.
    package static func name(_ name: String, limit: Int = 80) -> HTML {
        let short = name.truncated(to: limit)
        let words = short.split(separator: " ", omittingEmptySubsequences: false).map(word)
        let content = HTML(words.enumerated().map { $0 > 0 ? " " + $1 : $1 })
        return .element("bdi", ["title": short == name ? nil : name.truncated(to: 1_000)], content)
    }

    /// A word. A long key may break after its separators, and others may not: `checkout_` `completed`.
    private static func word(_ word: Substring) -> HTML {
        guard word.count > 20 else { return HTML(String(word)) }
        var parts = [""]
        for character in word {
            parts[parts.count - 1].append(character)
            if "_./-".contains(character) { parts.append("") }
        }
        return HTML(parts.enumerated().map { $0 > 0 ? .element("wbr", [:]) + HTML($1) : HTML($1) })
    }

    /// A name after a symbol, which is drawn around the origin.
    package static func named(_ shape: HTML, _ name: HTML) -> HTML {
        let symbol = element(
            "svg", ["class": "symbol", "viewBox": "-7 -7 14 14", "width": "14", "height": "14", "aria-hidden": "true"],
            shape)
        return element("span", ["class": "named"], symbol + name)
    }
}

extension ReportTable {
    /// The table, in a box that scrolls where a page is too narrow.
    var html: HTML {
        let titles = columns.map { column in
            column.title.isEmpty ? cell("td", nil, column, "") : cell("th", "col", column, HTML(column.title))
        }
        let head = columns.allSatisfy(\.title.isEmpty) ? "" : HTML.element("thead", .element("tr", HTML(titles)))
        let body = rows.map { row in
            let cells = columns.indices.map { index in
                let content = index < row.count ? row[index].html : ""
                let isName = index == 0 && !content.markup.isEmpty
                return cell(isName ? "th" : "td", isName ? "row" : nil, columns[index], content)
            }
            return HTML.element("tr", HTML(cells))
        }
        let caption = caption.isEmpty ? "" : HTML.element("caption", HTML(caption))
        let table = HTML.element("table", caption + head + .element("tbody", HTML(body)))
        return .element("div", ["class": "scroll", "tabindex": "0"], table)
    }

    private func cell(_ name: StaticString, _ scope: String?, _ column: Column, _ content: HTML) -> HTML {
        .element(name, ["scope": scope, "class": column.alignment == .right ? "right" : nil], content)
    }
}

extension ReportMatrix {
    /// The matrix as one table, however wide.
    fileprivate var table: ReportTable {
        ReportTable(
            [.init(corner)] + columns.map { .init($0, .right) }, rows: zip(rows, cells).map { [.init($0)] + $1 })
    }
}
