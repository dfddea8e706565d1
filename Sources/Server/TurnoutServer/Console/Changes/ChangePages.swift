import TurnoutClient
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// The pages that change flags, and that list what was changed.
struct ChangePages: Sendable {
    let editing: FlagEditing?
    let log: ChangeLog

    var all: [ConsolePages.Page] {
        [
            .init("GET", "flags/{key}/change", "changes a flag", .flags, in: .flags) { request in
                try answering(request) { try subject(of: request).page.page }
            },
            .init("POST", "flags/{key}/change", "shows what a change means, and makes it", .flags, in: .flags) {
                request in
                try answering(request) { try answer(request, try subject(of: request)) }
            },
            .init("GET", "changes", "who changed what, and why", .read, in: .changes) { request in
                var page = ChangesPage(
                    records: try log.records(), isTemporary: log.isTemporary, visitor: request.visitor,
                    address: request.address)
                do { page.commits = try editing?.file.history(of: nil, limit: 100) ?? [] } catch {
                    page.problem = "The commits cannot be listed: \(error)"
                }
                return page.page
            },
        ]
    }

    /// What a request is about.
    private struct Subject {
        let editing: FlagEditing
        let content: FlagsFileContent
        var page: ChangePage
    }

    /// The page that says why there is no form.
    private struct Refusal: Error {
        let page: ConsolePage
    }

    /// Shows why there is no form, with what was typed.
    private func answering(_ request: ConsoleRequest, _ body: () throws -> ConsolePage) throws -> ConsolePage {
        do { return try body() } catch let refusal as Refusal {
            let (page, typed) = (refusal.page, ChangePage.typed(request.form))
            return ConsolePage(page.title, in: page.part, status: page.status, [page.content] + typed)
        }
    }

    private func subject(of request: ConsoleRequest) throws -> Subject {
        guard let editing, editing.mode != .off else {
            let advice: HTML =
                editing == nil
                ? "This server has no project file: `turnout serve --flags flags.yaml` serves one."
                : "The setting console.editing is off. Change the project file, or set it to patch or file."
            throw Refusal(page: .problem(404, "Nothing can be changed here", in: .flags, advice))
        }
        let (file, content): (String, FlagsFileContent)
        do { (file, content) = (editing.file.name, try editing.read()) } catch let problem as FlagsFileProblem {
            throw Refusal(page: .problem(503, "The project file cannot be read", in: .flags, HTML(problem.description)))
        }
        let key = request.parameters[0]
        guard let flag = content.project.flags.first(where: { $0.key == key }) else {
            throw Refusal(page: .problem(404, "There is no such flag", in: .flags, HTML("\(file) has no flag \(key).")))
        }
        let environments = content.project.environments.map(\.key)
        let wanted = request.form["environment"] ?? request.query["environment"] ?? environments.first
        guard let wanted, environments.contains(wanted) else {
            throw Refusal(
                page: .problem(
                    404, "There is no such environment", in: .flags,
                    HTML("\(file) has \(environments.joined(separator: ", ")).")))
        }
        let page = ChangePage(
            content: content, flag: flag, environment: wanted, visitor: request.visitor,
            unwritten: editing.mode == .patch ? file : nil)
        return Subject(editing: editing, content: content, page: page)
    }

    private func answer(_ request: ConsoleRequest, _ subject: Subject) throws -> ConsolePage {
        var page = subject.page
        page.typed = request.form
        guard request.form["step"] != "edit",
            let form = ChangeForm(request.form, of: page.flag, in: page.environment)
        else { return page.page }
        do { return try proposal(form, request, subject) } catch let problem as FlagsFileProblem {
            page.problem = problem.description
            if let tag = form.fields["tag"], tag != subject.content.tag {
                page.problem = "\(subject.editing.file.name) has changed since you opened the form. \(problem)"
                (page.isConflict, page.meanwhile) = (true, subject.editing.changes(since: tag, in: subject.content))
            }
            return page.page
        }
    }

    /// Makes a change that was confirmed, or shows what it means.
    private func proposal(_ form: ChangeForm, _ request: ConsoleRequest, _ subject: Subject) throws -> ConsolePage {
        let editing = subject.editing
        let author = FlagEditing.Author(request.visitor.name, request.visitor.scopes, request.head)
        let edits = try form.edits()
        let proposal = try editing.proposal(edits, in: form.environment, for: author)
        var page = ProposalPage(
            form: form, edits: edits, proposal: proposal, editing: editing, visitor: request.visitor,
            address: request.address)
        let message = (form.fields["message"] ?? "").trimmingBlanks
        let (tag, isConfirmed) = (form.fields["tag"], form.fields["step"] == "confirm")
        if tag != proposal.first.tag, tag != nil || isConfirmed {
            (page.isConflict, page.meanwhile) = (true, editing.changes(since: tag ?? "", in: subject.content))
        } else if form.fields["step"] == "patch" {
            return .file(.text(200, proposal.first.patch), "change.patch")
        } else if isConfirmed, editing.mode == .file {
            guard 1...FlagEditing.maximumMessage ~= message.utf8.count else {
                page.problem = "Say why, in at most 1,000 bytes, for those who look at the list of changes later."
                return page.page
            }
            do {
                try editing.write(proposal, by: author, because: message)
                return done(form, proposal)
            } catch let problem as FlagsFileProblem {
                (page.problem, page.isConflict) = (problem.description, problem.isConflict)
                let now = problem.isConflict ? try? editing.read() : nil
                page.meanwhile = now.flatMap { editing.changes(since: tag ?? "", in: $0) }
            }
        }
        return page.page
    }

    private func done(_ form: ChangeForm, _ proposal: FlagEditing.Proposal) -> ConsolePage {
        let names = proposal.environments.joined(separator: " and ")
        let parts: [HTML] = [
            .paragraph(
                HTML("Changed in ") + .name(names) + ". The server reads the file again within a second.", class: "good"
            ),
            .report(proposal.first.meaning),
            .paragraph(
                "To undo it, change it back: the list of changes says what it was."
                    + (editing?.file.isInGit == true
                        ? " In a checkout, `turnout compile` brings the lock and the datafiles up to date, to be "
                            + "committed with the file." : "")),
            .element(
                "p", ["class": "actions"],
                .link("Back to the flag", to: FlagPage.path(form.flag.key))
                    + " " + .link("All changes", to: ConsolePage.Part.changes.path)),
        ]
        return ConsolePage("Changed \(form.flag.key)", in: .flags, parts)
    }
}

extension ConsoleRequest {
    /// The address of this server for the person's commands. A token is never sent over http to another machine.
    fileprivate var address: String {
        let host = head.headers["Host"] ?? "localhost:8080"
        return (AllowedHosts.isLoopback(AllowedHosts.withoutPort(host)) ? "http://" : "https://") + host
    }
}
