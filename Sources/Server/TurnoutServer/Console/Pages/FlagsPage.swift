import TurnoutClient
import TurnoutFlags
import TurnoutReports

/// All flags in one table: what is on where, when it changed, and what can be removed.
struct FlagsPage: Sendable {
    private static let rowLimit = 100

    let source: ConsoleFlagSource
    let facts: FlagFacts

    /// A flag with what is known of it.
    private struct Row {
        let flag: ConsoleFlags.Flag
        /// When it was changed last.
        let changed: Int64?
        let staleness: String?
        /// When it was decided last.
        let decided: Int64?

        /// Whether the flag is what a filter asks for.
        func matches(_ query: QueryParameters, in environments: [ConsoleFlags.Environment]) -> Bool {
            let words = (query["q"] ?? "").lowercased()
            let text = "\(flag.key) \(flag.description ?? "")".lowercased()
            let place = environments.firstIndex { $0.name == query["environment"] }
            let states = place.map { [flag.states[$0]] } ?? flag.states
            let isThere = (query["environment"] ?? "").isEmpty || place != nil && states.contains { $0 != nil }
            let isInState =
                switch query["state"] ?? "" {
                case "": true
                case "stale": staleness != nil
                case let state: states.contains { $0?.kind.rawValue == state }
                }
            return isThere && isInState && words.split(separator: " ").allSatisfy(text.contains)
        }
    }

    func page(_ request: ConsoleRequest) -> ConsolePage {
        let flags = source.flags
        let (changes, decisions) = (facts.changes(in: source.file), facts.decisions())
        let rows = flags.flags.map { flag in
            Row(
                flag: flag, changed: changes[flag.key],
                staleness: facts.staleness(of: flag, changed: changes[flag.key], decisions),
                decided: decisions?.last(of: flag.key))
        }
        let matching = rows.filter { $0.matches(request.query, in: flags.environments) }
        return ConsolePage(
            "Flags", in: .flags,
            flags.problems.map { .paragraph(HTML($0), class: "caution") } + [
                .paragraph(summary(flags, rows), class: "lead")
            ]
                + (rows.isEmpty
                    ? [Self.firstSteps] : [filters(flags, request.query)] + table(flags, matching, request.query)))
    }

    private func summary(_ flags: ConsoleFlags, _ rows: [Row]) -> HTML {
        guard !rows.isEmpty else { return "There are no flags yet." }
        let tests = rows.count { $0.flag.states.contains { $0?.kind == .test } }
        let off = rows.count { $0.flag.states.allSatisfy { ($0?.kind ?? .off) == .off } }
        let stale = rows.count { $0.staleness != nil }
        let parts = [
            tests > 0 ? tests.grouped("test") + (tests == 1 ? " runs" : " run") : nil,
            off > 0 ? off.grouped + (off == 1 ? " is" : " are") + " off" : nil,
            stale > 0 ? stale.grouped + " can perhaps be removed" : nil,
        ].compactMap(\.self)
        let place = flags.file.map { " in \($0)" } ?? ""
        return HTML(
            rows.count.grouped("flag") + place + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")) + ".")
    }

    private static let firstSteps = HTML.paragraph(
        .code("turnout init") + " writes a project file, and " + .code("turnout add flag KEY") + " adds a flag to it.")

    private func filters(_ flags: ConsoleFlags, _ query: QueryParameters) -> HTML {
        let states =
            [("", "Any state")] + FlagState.Kind.allCases.map { ($0.rawValue, $0.rawValue) } + [("stale", "stale")]
        let search = HTML.element("input", ["type": "search", "name": "q", "value": query["q"] ?? ""])
        var fields: [HTML] = [
            .field("Search", search),
            .field("State", .select("state", states.map { (value: $0.0, text: $0.1) }, query["state"])),
        ]
        if flags.environments.count > 1 {
            let names =
                [(value: "", text: "Any environment")] + flags.environments.map { (value: $0.name, text: $0.name) }
            fields.append(.field("Environment", .select("environment", names, query["environment"])))
        }
        fields += [.button("Filter", class: "quiet"), .clearing(query, at: Console.path)]
        return .element("form", ["class": "filters", "action": Console.path], HTML(fields))
    }

    private func table(_ flags: ConsoleFlags, _ rows: [Row], _ query: QueryParameters) -> [HTML] {
        guard !rows.isEmpty else { return [.paragraph("No flag is like that: change the filter, or clear it.")] }
        let count = query["all"] == "1" ? rows.count : Self.rowLimit
        let pages = (rows.count + count - 1) / count
        let page = min(max(Int(query["page"] ?? "") ?? 1, 1), pages)
        let shown = rows.dropFirst((page - 1) * count).prefix(count)
        let hasChanges = rows.contains { $0.changed != nil }
        let hasDecisions = rows.contains { $0.decided != nil }
        let titles: [HTML] =
            ["Flag"] + flags.environments.map { .name($0.name, limit: 30) }
            + (hasChanges ? ["Changed"] : []) + (hasDecisions ? ["Decided last"] : [])
        let cells = shown.map { row in
            [name(of: row)] + row.flag.states.map(HTML.state)
                + (hasChanges ? [row.changed.map(HTML.time) ?? ""] : [])
                + (hasDecisions ? [row.decided.map(HTML.time) ?? ""] : [])
        }
        return [.table(titles, cells)] + (pages > 1 ? [self.pages(page, of: pages, rows.count, query)] : [])
    }

    private func name(of row: Row) -> HTML {
        let link = HTML.element("a", ["href": FlagPage.path(row.flag.key)], .name(row.flag.key))
        let badge = row.staleness.map { reason in
            " " + HTML.element("span", ["class": "badge stale", "title": reason], "stale")
        }
        let description = row.flag.description.map {
            HTML.element("br", [:]) + .element("small", .name($0, limit: 120))
        }
        return link + (badge ?? "") + (description ?? "")
    }

    private func pages(_ page: Int, of pages: Int, _ count: Int, _ query: QueryParameters) -> HTML {
        let kept = query.parameters.filter { !["page", "all"].contains($0.name) && !$0.value.isEmpty }
            .map { "\($0.name)=\($0.value.percentEncoded)&" }.joined()
        func link(_ text: HTML, _ rest: String) -> HTML { .link(text, to: "\(Console.path)?\(kept)\(rest)") }
        let links =
            (page > 1 ? [link("Previous", "page=\(page - 1)")] : [])
            + [.element("span", HTML("Page \(page) of \(pages)"))]
            + (page < pages ? [link("Next", "page=\(page + 1)")] : []) + [link(HTML("All \(count.grouped)"), "all=1")]
        return .element("nav", ["class": "pages", "aria-label": "Pages of flags"], HTML(links))
    }
}
