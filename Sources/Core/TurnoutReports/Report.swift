/// What people are told: sections with sentences, lists, tables, trees and plots.
///
/// It is rendered as text for terminals, files and pipes, as Markdown for comments, or as an HTML page.
package struct Report: Sendable {
    package var sections: [Section] = []
    /// Whether the sections are items of one list, with nothing between them.
    let isList: Bool

    package init(isList: Bool = false, _ blocks: [Block] = []) {
        self.isList = isList
        if !blocks.isEmpty { sections = [Section(nil, blocks)] }
    }

    /// A text in one style.
    package struct Text: Sendable, ExpressibleByStringInterpolation {
        var text: String
        let style: TextStyle?
        /// Whether it is a key or an id, and not words.
        private(set) var isCode = false
        /// What is added where there is room for it: not in terminals.
        package var detail = ""
        /// The arm of an experiment that the text names, with its whole name.
        private(set) var arm: (name: String, style: ArmStyle)?

        package init(_ text: String, _ style: TextStyle? = nil) {
            self.text = text.printable
            self.style = style
        }

        package init(stringLiteral text: String) { self.init(text) }

        package static func code(_ text: String, _ style: TextStyle? = nil) -> Text {
            var code = Text(text, style)
            code.isCode = true
            return code
        }

        /// The name of an arm, with its mark. Its place is that among the arms of the experiment.
        package static func arm(_ name: String, _ place: Int) -> Text {
            let style = ArmStyle(place)
            var text = Text("\(style.character) \(name.printable.truncated(to: 40))")
            text.arm = (name, style)
            return text
        }
    }

    /// A sentence, or what takes its place.
    package struct Line: Sendable {
        let texts: [Text]
        /// How deep the line is in a list; 0 for one that is in none.
        let depth: Int
        /// The additional margin of its continuation, in columns.
        let hang: Int

        package init(texts: [Text], depth: Int = 0, hang: Int = 4) {
            (self.texts, self.depth, self.hang) = (texts, depth, hang)
        }

        /// The line as a heading, which ends without a colon or a full stop.
        var heading: Line {
            guard var last = texts.last, !last.isCode, last.text.hasSuffix(":") || last.text.hasSuffix(".") else {
                return self
            }
            last.text.removeLast()
            return Line(texts: texts.dropLast() + [last])
        }
    }

    package enum Block: Sendable {
        case line(Line)
        /// A title with several texts after it.
        case list(String, [Text])
        case table(ReportTable)
        case matrix(ReportMatrix)
        /// The lines of a tree, with its branches.
        case tree([String], depth: Int)
        case drawing(any Plot)

        package static func plot(_ plot: any Plot) -> Block {
            plot.isEmpty ? .sentence("\(plot.title): no data yet.", .dim) : .drawing(plot)
        }

        package static func sentence(
            _ text: String, _ style: TextStyle? = nil, depth: Int = 0, hang: Int = 4
        ) -> Block {
            .line(Line(texts: [Text(text, style)], depth: depth, hang: hang))
        }
    }

    package struct Section: Sendable {
        package var title: Line?
        package var blocks: [Block]
        /// What to say of sections for which there is no room. Those with the same words are said at once: their counts
        /// take the place of `#`, and their names follow.
        package var omission: (words: String, count: Int, name: Text?) = ("", 1, nil)

        package init(_ title: Line? = nil, _ blocks: [Block] = []) { (self.title, self.blocks) = (title, blocks) }

        package init(_ title: String, _ style: TextStyle? = .bold, hang: Int = 4, _ blocks: [Block] = []) {
            self.init(Line(texts: [Text(title, style)], hang: hang), blocks)
        }
    }
}

/// Numbers by two properties of what they count.
package struct ReportMatrix: Sendable {
    let corner: String
    let rows: [String]
    let columns: [String]
    /// A list of texts for each row.
    let cells: [[Report.Text]]
    /// What the rows and the columns are: `variations before the change`.
    let names: (rows: String, columns: String)
    /// The numbers as a list, for which there is always room.
    let list: ReportTable

    package init(
        corner: String, rows: [String], columns: [String], cells: [[Report.Text]],
        names: (rows: String, columns: String), list: ReportTable
    ) {
        (self.corner, self.rows, self.columns) = (corner, rows, columns)
        (self.cells, self.names, self.list) = (cells, names, list)
    }
}
