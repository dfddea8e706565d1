import TurnoutClient
import TurnoutFlags
import TurnoutReports

/// What a change would mean and who would move, to be confirmed.
struct ProposalPage: Sendable {
    let form: ChangeForm
    let edits: [FlagsFileEdit]
    let proposal: FlagEditing.Proposal
    let editing: FlagEditing
    let visitor: ConsoleVisitor
    /// The address of this server.
    let address: String
    /// Whether the file has changed since the form was shown.
    var isConflict = false
    /// What has changed; nil if this server does not know.
    var meanwhile: Report?
    var problem: String?

    private var file: String { editing.file.name }
    private var isEmpty: Bool { proposal.first.patch.isEmpty }
    private var path: String { ChangePage.path(of: form.flag.key) }

    var page: ConsolePage {
        let notices = problem.map { [ChangePage.notice($0)] } ?? []
        let meaning = isConflict ? conflict : [.heading("What it means"), self.meaning]
        let parts = [result, findings] + movers + [patch]
        return ConsolePage(
            "Change \(form.flag.key)?", in: .flags, status: isConflict ? 409 : problem != nil ? 422 : 200,
            notices + meaning + (isEmpty ? [] : parts + decision) + [back])
    }

    private var meaning: HTML {
        if isEmpty { return .paragraph("Nothing: \(file) says so already.", class: "caution") }
        let report = proposal.first.meaning
        return report.sections.isEmpty ? .paragraph("The file changes, and its meaning does not.") : .report(report)
    }

    private var conflict: [HTML] {
        let theirs: HTML =
            switch meanwhile {
            case nil: .paragraph("This server does not know what the file was. Compare it with what you expected.")
            case let report? where report.sections.isEmpty: .paragraph("Comments or layout only.")
            case let report?: .report(report)
            }
        let title = HTML("\(file) has changed since you opened the form. Nothing was written.")
        return [
            .element("p", ["class": "caution", "role": "alert"], title),
            .element(
                "div", ["class": "sides"],
                .element("section", .element("h3", "Changed meanwhile") + theirs)
                    + .element("section", .element("h3", "Your change, now") + self.meaning)),
        ]
    }

    /// Leads to what speaks for a winner.
    private var result: HTML {
        guard form.kind == .rollOut, let rule = form.fields["rule"] else { return "" }
        let path =
            "\(ResultsPage.path)/\(rule.percentEncoded)?environment=\(form.environment.percentEncoded)"
        return .paragraph("Look first at " + .link("what the experiment has shown", to: path) + ".")
    }

    private var findings: HTML {
        let found = proposal.first.findings
        guard !found.isEmpty else { return .paragraph("`turnout lint` finds no new problem.", class: "good") }
        let items = found.map { finding in
            HTML.element(
                "li",
                .element("strong", HTML("\(finding.severity): ")) + HTML(finding.message + ". ")
                    + HTML(finding.advice ?? ""))
        }
        return .heading("What turnout lint finds") + .element("ul", HTML(items))
    }

    // MARK: Who moves

    private var movers: [HTML] {
        let sections = zip(proposal.environments, proposal.inEnvironments).flatMap { environment, proposal -> [HTML] in
            let title = HTML.heading("Who moves in " + .name(environment))
            return [title] + (self.proposal.users == 0 ? [nobody] : Self.movers(proposal.impact))
        }
        return sections + (form.kind == .allowList ? [listed] : []) + (proposal.users == 0 ? [] : [population])
    }

    private var listed: HTML {
        .paragraph("Users who are added to a list move even if they are not among those counted.", class: "note")
    }

    /// How many move, and who crosses; the rest is for those who want to know.
    private static func movers(_ impact: Report) -> [HTML] {
        var (head, rest) = (impact, impact)
        (head.sections, rest.sections) = (Array(impact.sections.prefix(2)), Array(impact.sections.dropFirst(2)))
        let details = HTML.element("details", .element("summary", "From what to what") + .report(rest))
        return [.report(head)] + (rest.sections.isEmpty ? [] : [details])
    }

    private var nobody: HTML {
        guard proposal.knowsUsers else {
            return .paragraph(
                "Nobody can be counted, because the events cannot be read: the server's log says why. That does not "
                    + "mean that nobody moves.", class: "caution")
        }
        return .paragraph(
            "Nobody can be counted, because this server has no events of the last seven days. That does not mean "
                + "that nobody moves: `turnout impact` counts users that it makes up.", class: "caution")
    }

    /// Who was counted, and how to count others.
    private var population: HTML {
        let words =
            "Counted are the \(proposal.users.grouped) users of the latest events, at most 10,000, with their latest "
            + "attributes, and without segments and stored assignments. When the file is edited, these commands do "
            + "the same, and count other users as well:"
        let old = editing.file.isInGit ? "HEAD" : "BEFORE.yaml"
        let commands = """
            curl -H "Authorization: Bearer $TURNOUT_TOKEN" \((address + "/users/seen").inShell) > users.ndjson
            turnout impact \(old) \(file.inShell) --environment \(form.environment.inShell) --users users.ndjson
            """
        return .element(
            "details",
            .element("summary", "How this was counted") + .paragraph(HTML(words)) + .element("pre", HTML(commands)))
    }

    // MARK: Decision

    private var patch: HTML {
        let lines = proposal.first.patch.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let name: String? = line.hasPrefix("+") ? "added" : line.hasPrefix("-") ? "removed" : nil
            return HTML.element("span", ["class": name], HTML(line + "\n"))
        }
        let text = HTML.element("pre", ["class": "patch", "tabindex": "0"], HTML(lines))
        return .element("details", ["open": editing.mode == .patch ? "" : nil], .element("summary", "The patch") + text)
    }

    private var decision: [HTML] {
        guard editing.mode == .file else { return commands }
        let isProduction = proposal.environments.contains { $0.lowercased().hasPrefix("prod") }
        let names = HTML.name(proposal.environments.joined(separator: " and "))
        let input = HTML.element(
            "input", ["name": "message", "value": form.fields["message"] ?? "", "required": "", "autocomplete": "off"])
        return [
            .form(
                to: path, of: visitor, class: "panel",
                hidden(for: "confirm", without: ["message"]) + [
                    .field(
                        "Reason",
                        note: "Kept in the list of changes" + (visitor.name == nil ? "." : ", with your name."), input),
                    .button("Change " + names, class: isProduction ? "danger" : nil),
                ])
        ]
    }

    /// What to do where this server does not write the file.
    private var commands: [HTML] {
        let option = file == "flags.yaml" ? "" : " --project \(file.inShell)"
        let lines = edits.map { $0.command + option }.joined(separator: "\n")
        return [
            .heading("Make the change"),
            .paragraph(HTML("This server does not write \(file). In your checkout, beside the file:")),
            .element("pre", HTML(lines)),
            .paragraph("Or download the patch, and apply it. Then `turnout compile`, commit all files, and push."),
            .element("pre", "git apply change.patch"),
            .form(to: path, of: visitor, hidden(for: "patch") + [.button("Download change.patch", class: "quiet")]),
        ]
    }

    /// Leads back to the form with everything that was typed.
    private var back: HTML {
        .form(to: path, of: visitor, hidden(for: "edit") + [.button("Back to the form", class: "quiet")])
    }

    /// The fields that were sent, for the file as it is now.
    private func hidden(for step: String, without left: [String] = []) -> [HTML] {
        let own = ["step", "tag", ConsolePage.formTokenName] + left
        let kept = form.fields.parameters.filter { !own.contains($0.name) }.map { ($0.name, $0.value) }
        return (kept + [("step", step), ("tag", proposal.first.tag)]).map(HTML.hidden)
    }
}

extension FlagsFileEdit {
    /// The command that makes the edit.
    fileprivate var command: String {
        switch self {
        case .set(let path, let value): "turnout set \(path.inShell) \(value.inShell)"
        case .add(let path, let element, let rule):
            "turnout set \(path.inShell) \(("--add=" + element).inShell)"
                + (rule.map { " --after \($0.inShell)" } ?? "")
        case .remove(let path, let element): "turnout set \(path.inShell) \(("--remove=" + element).inShell)"
        }
    }
}

extension HTML {
    /// A report as a part of a page.
    static func report(_ report: Report) -> HTML { .element("div", ["class": "inset"], report.content) }
}

extension String {
    /// The text as one word of a shell.
    fileprivate var inShell: String {
        let isPlain = !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./%@:=".contains($0)) }
        return isPlain ? self : "'\(replacing("'", with: #"'\''"#))'"
    }
}
