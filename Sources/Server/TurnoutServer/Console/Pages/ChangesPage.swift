import TurnoutReports

/// Who changed what, when and why: on these pages, and with commits. The latest day first.
struct ChangesPage: Sendable {
    private typealias Entry = (time: Int64, content: HTML)

    /// The most changes on these pages that are shown.
    private static let limit = 200

    let records: [ChangeRecord]
    /// Whether the list is lost when the server ends.
    let isTemporary: Bool
    let visitor: ConsoleVisitor
    /// Where the person sees this server.
    let address: String
    var commits: [FlagsFileCommit] = []
    /// Why there are no commits.
    var problem: String?

    var page: ConsolePage {
        let entries = (records.prefix(Self.limit).map(entry) + commits.map(entry)).sorted { $0.time > $1.time }
        var parts = problem.map { [ChangePage.notice($0)] } ?? []
        if isTemporary {
            parts.append(
                .paragraph(
                    "Changes on these pages are forgotten when the server ends; `turnout serve --data FOLDER` keeps "
                        + "them.", class: "caution"))
        }
        if entries.isEmpty {
            parts.append(
                .paragraph(
                    "No change yet. Changes are made on the page of a flag, with `turnout set`, or in an editor. If "
                        + "the project file is in git, its commits are listed here."))
        }
        var day: Int64?
        for entry in entries {
            let entryDay = entry.time / 86_400_000
            if entryDay != day { parts.append(.heading(HTML(Self.title(of: entryDay)))) }
            day = entryDay
            parts.append(entry.content)
        }
        let rest = records.count - Self.limit
        if rest > 0 || commits.count == 100 {
            parts.append(
                .paragraph(
                    HTML("These are the latest \(Self.limit) changes on pages, and the latest 100 commits. ")
                        + "Earlier ones: `GET /changes`, and `git log`.", class: "note"))
        }
        let command = "curl -H \"Authorization: Bearer $TURNOUT_TOKEN\" '\(address)/changes'"
        parts.append(
            .element(
                "details",
                .element("summary", "The changes on these pages as JSON")
                    + (visitor.name != nil
                        ? .element("pre", HTML(command)) : .paragraph(.link("/changes", to: "/changes")))))
        return ConsolePage("Changes", in: .changes, parts)
    }

    /// `Tuesday, 2026-11-24 (UTC)`
    private static func title(of day: Int64) -> String {
        let names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
        return "\(names[Int(day % 7)]), \(Timestamp.dateText(day)) (UTC)"
    }

    private func entry(_ record: ChangeRecord) -> Entry {
        let place = visitor.scopes.contains(.users) ? ", from \(record.address)" : ""
        let outcome = record.failure.map { [ChangePage.notice("Nothing was changed: \($0)")] } ?? []
        return entry(
            record.time, record.user ?? ChangeRecord.someone,
            "On these pages, in \(record.environments.joined(separator: ", "))\(place)", record.message, record.flags,
            outcome + [.lines(record.meaning)])
    }

    private func entry(_ commit: FlagsFileCommit) -> Entry {
        entry(
            commit.time, commit.author, "In commit \(commit.id)", commit.subject, commit.flags.sorted(),
            [.report(commit.meaning)])
    }

    private func entry(
        _ time: Int64, _ who: String, _ place: String, _ why: String, _ flags: [String], _ what: [HTML]
    ) -> Entry {
        let links = flags.prefix(10).map { " " + HTML.link(.name($0, limit: 60), to: FlagPage.path($0)) }
        let pages = links.isEmpty ? "" : HTML.paragraph("See" + HTML(links) + (flags.count > 10 ? " …" : ""))
        // The day above is one of UTC, so a script leaves the time as it is.
        let clock = HTML(String(Timestamp.text(time).dropFirst(11).prefix(5)) + " UTC ")
        let head = HTML.paragraph(
            .element("span", ["class": "dim"], clock) + .element("strong", .name(who)) + ": " + .name(why, limit: 500))
        let origin = HTML.paragraph(.name(place), class: "note")
        return (time, .element("article", ["class": "entry"], HTML([head] + what + [origin, pages])))
    }
}
