import TurnoutClient
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// One flag: its rules in sentences and buckets, in all environments side by side; its values; what is known of it.
struct FlagPage: Sendable {
    private static let commitLimit = 20

    let source: ConsoleFlagSource
    let facts: FlagFacts
    /// Whether pages may propose changes of the project file.
    let isEditable: Bool

    func page(_ request: ConsoleRequest) -> ConsolePage {
        let flags = source.flags
        guard let flag = flags[request.parameters[0]] else {
            return .problem(
                404, "No such flag", in: .flags, HTML("No environment has a flag \(request.parameters[0])."))
        }
        let history = Result { try source.file?.history(of: flag.key, limit: Self.commitLimit) ?? [] }
        let decisions = facts.decisions()
        let records = facts.records(of: flag.key)
        let changed = facts.changes(in: source.file)[flag.key]
        let staleness = facts.staleness(of: flag, changed: changed, decisions)
        let isEditable = self.isEditable && flags.file != nil && request.visitor.scopes.contains(.flags)
        return ConsolePage(
            flag.key, in: .flags,
            [
                flag.description.map { .paragraph(.name($0, limit: 1_000), class: "lead") } ?? "",
                staleness.map { .paragraph("Can perhaps be removed: " + .name($0, limit: 200) + ".", class: "caution") }
                    ?? "",
                rules(of: flag, in: flags, isEditable), values(of: flag, in: flags),
                self.decisions(decisions, of: flag, in: flags),
                findings(of: flag), self.history(history, records, in: flags),
            ])
    }

    // MARK: Rules

    private func rules(of flag: ConsoleFlags.Flag, in flags: ConsoleFlags, _ isEditable: Bool) -> HTML {
        let first = flag.sides.firstIndex { $0 != nil } ?? 0
        let places = flag.places
        let sections = zip(flags.environments, flag.sides).enumerated().map { index, side in
            let (environment, authored) = side
            let title = HTML.element("h3", .name(environment.name) + ": " + .state(flag.states[index]))
            guard let authored else { return HTML.element("section", title) }
            let isServed =
                environment.served == nil ? HTML.paragraph("This server has no datafile for it.", class: "note") : ""
            var parts = [title, isServed, FlagRules(authored, environment.served, places: places).html]
            let differences = index == first ? [] : flag.sides[first].map(authored.differences) ?? []
            if !differences.isEmpty {
                let base = HTML.paragraph("Unlike in " + .name(flags.environments[first].name) + ":")
                let items = differences.map { HTML.name($0.sentence, limit: 500) }
                parts.append(.element("div", ["class": "differs"], base + .list(items)))
            }
            if isEditable {
                let address = Self.path(flag.key) + "/change?environment=" + environment.name.percentEncoded
                let link = HTML.element(
                    "a", ["class": "action quiet", "href": address], "Change " + .name(environment.name))
                parts.append(.element("p", ["class": "actions"], link))
            }
            return .element("section", HTML(parts))
        }
        let question = HTML.link(
            "What does one user get, and why?", to: UsersPage.path + "?flag=" + flag.key.percentEncoded)
        let limits = flag.limits.isEmpty ? "" : HTML.list(flag.limits.map { .name($0, limit: 500) + "." })
        return .heading("Rules") + limits + .element("div", ["class": "sides"], HTML(sections)) + .paragraph(question)
    }

    // MARK: Values

    /// The variations with their values; of each environment where they differ.
    private func values(of flag: ConsoleFlags.Flag, in flags: ConsoleFlags) -> HTML {
        var tables: [(names: [String], flag: AuthoredFlag)] = []
        for (environment, side) in zip(flags.environments, flag.sides) {
            guard let side else { continue }
            let same = tables.firstIndex {
                $0.flag.variations == side.variations && $0.flag.variables == side.variables
            }
            if let same {
                tables[same].names.append(environment.name)
            } else {
                tables.append(([environment.name], side))
            }
        }
        return .heading("Variations")
            + HTML(
                tables.map { names, side in
                    let title = tables.count > 1 ? HTML.element("h3", .name(names.joined(separator: ", "))) : ""
                    return title + Self.values(of: side, flag.places)
                })
    }

    private static func values(of flag: AuthoredFlag, _ places: [String: Int]) -> HTML {
        let titles: [HTML] = ["Variation", "Flag"] + flag.variables.map { .name($0.key, limit: 40) }
        let rows = flag.variations.map { variation in
            [HTML.arm(variation.key, places[variation.key]), variation.isEnabled == false ? "off" : "on"]
                + flag.variables.map { variable in
                    let value = variation.overrides.first { $0.variable == variable.key }?.value
                    return value.map { HTML.name($0, limit: 200) }
                        ?? .element("span", ["class": "dim"], .name(variable.defaultValue, limit: 200))
                }
        }
        guard !rows.isEmpty else { return .paragraph("Everyone gets " + .code(AuthoredVariation.offKey) + ".") }
        let note = flag.variables.isEmpty ? "" : HTML.paragraph("Pale values are the defaults.", class: "note")
        return .table(titles, rows) + note
    }

    // MARK: What is known

    private func decisions(
        _ decisions: FlagDecisions?, of flag: ConsoleFlags.Flag, in flags: ConsoleFlags
    ) -> HTML {
        guard let decisions else { return "" }
        let title = HTML.heading("Decisions")
        guard let last = decisions.last(of: flag.key), let counts = decisions.counts[flag.key] else {
            let note: HTML = ". Programs that decide by themselves are not counted."
            return title + .paragraph("None by this server since " + .time(decisions.since) + note)
        }
        let places = flag.places
        let rows = counts.sorted { ($0.sdkKey, $0.variation ?? "") < ($1.sdkKey, $1.variation ?? "") }.map { count in
            let environment = flags.environments.first { $0.served?.sdkKey == count.sdkKey }?.name
            return [
                count.variation.map { HTML.arm($0, places[$0]) } ?? "no variation",
                .name(environment ?? count.sdkKey.keyLabel), HTML(count.count.grouped),
            ]
        }
        return title + .paragraph("The last one was counted on " + .time(last) + ".")
            + .table(["Variation", "Environment", "In the last 24 hours"], rows, numbers: [2])
    }

    private func findings(of flag: ConsoleFlags.Flag) -> HTML {
        guard !flag.findings.isEmpty else { return "" }
        let items = flag.findings.map { finding in
            HTML("\(finding.severity.rawValue): ") + .name(finding.message, limit: 500)
                + HTML(finding.advice.map { ". \($0)" } ?? "") + " " + .code(finding.code)
        }
        return .heading("Findings") + .list(items)
    }

    /// The commits that changed the flag, and the changes on pages.
    private func history(
        _ history: Result<[FlagsFileCommit], any Error>, _ records: [ChangeRecord], in flags: ConsoleFlags
    ) -> HTML {
        guard let file = flags.file else { return "" }
        let title = HTML.heading("History")
        let commits: [FlagsFileCommit]
        do { commits = try history.get() } catch { return title + .paragraph(HTML("\(error)"), class: "caution") }
        let rows =
            commits.map { ($0.time, $0.author, $0.subject, $0.meaning.content) }
            + records.map { record in
                (record.time, record.user ?? ChangeRecord.someone, record.message, .lines(record.meaning))
            }
        guard !rows.isEmpty else {
            return title
                + .paragraph(
                    "No change of this flag is known. Commit " + .code(file) + " to git, and its changes are here.")
        }
        let cells = rows.sorted { $0.0 > $1.0 }.map { time, author, message, meaning in
            [HTML.time(time), .name(author, limit: 60), .name(message, limit: 200), meaning]
        }
        return title + .table(["When", "Who", "Message", "What it means"], cells)
            + .paragraph(
                "Changes on these pages, and the latest 100 commits of " + .code(file)
                    + ", as far as 2 seconds suffice to read them; " + .code("turnout diff COMMIT")
                    + " compares with any other.", class: "note")
    }
}

extension ConsoleFlags.Flag {
    /// The places of its variations, in all environments.
    fileprivate var places: [String: Int] { sides.lazy.compactMap(\.self).first.map(FlagRules.places) ?? [:] }
}
