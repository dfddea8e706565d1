import TurnoutClient
import TurnoutFlags
import TurnoutReports

/// Whether the server works, in words: problems first, each with what to do.
struct HealthPage: Sendable {
    let state: ServerState
    let clients: DecisionClients
    let datafiles: DatafileDirectory
    let events: EventService
    /// The clients that have sent exposures since a time in milliseconds since 1970.
    let seenClients: @Sendable (_ start: Int64) throws -> [SeenClient]
    let wallClock: any WallClock

    /// Something that does not work, or looks wrong.
    private struct Problem {
        let title: HTML
        let text: HTML
        let advice: HTML
        var isSerious = true

        var html: HTML {
            .element(
                "section", ["class": isSerious ? "problem" : "caution"],
                .heading(title) + .paragraph(text) + .paragraph(advice))
        }
    }

    var page: ConsolePage {
        let now = wallClock.millisecondsSince1970()
        let failures = state.problems + state.impairments
        let seen = Result { try seenClients(now - 7 * 86_400_000) }
        let isUnreadable = (try? seen.get()) == nil
        let unreadable = Problem(
            title: "Events", text: "The stored events cannot be read.",
            advice: "The server's log says why. Check that its folder is there, and its disk.")
        let problems =
            failures.map(Self.problem) + (isUnreadable ? [unreadable] : []) + sourceProblems + doubts
        let lead = HTML.paragraph(summary(problems.count), class: "lead")
        return ConsolePage(
            "Health", in: .health,
            [lead] + problems.map(\.html) + [
                .heading("Datafiles"), datafilesTable(now), .heading("Clients of the last 7 days"),
                clientsTable((try? seen.get()) ?? [], now),
            ])
    }

    private func summary(_ count: Int) -> HTML {
        if !state.problems.isEmpty {
            return "The server is not ready: load balancers send no requests until the first problem below is solved."
        }
        let words = count == 0 ? "Everything works." : "The server works. To look at: \(count.grouped("thing")) below."
        return HTML("\(words) Version \(Server.version), running since ") + .time(clients.usage.since) + "."
    }

    // MARK: Problems

    /// The parts of the server, and what to do if one does not work.
    private static let parts: [String: (title: HTML, advice: HTML)] = [
        "server": ("The server", "It starts or stops: reload this page in a moment."),
        "datafiles": ("Datafiles", "Name a project file with `--flags`, or a folder with `--datafiles`."),
        "events": ("Events", "See the server's log. Received events wait on the disk until this is solved."),
        "segments": ("Lists of users", "Check the disk. Flags are decided without the lists meanwhile."),
        "profiles": ("Stored assignments", "Check the store. Users get no earlier variations meanwhile."),
    ]

    private static func problem(_ name: String, _ text: String) -> Problem {
        let (title, advice) = parts[name] ?? (.name(name), "See the server's log.")
        return Problem(title: title, text: HTML(text.asSentence), advice: advice)
    }

    /// The sources whose newest content is not used.
    private var sourceProblems: [Problem] {
        datafiles.problems.sorted { $0.key < $1.key }.map { source, problem in
            let places = problem.diagnostics.prefix(10).map { found in
                let place = found.position.map { "Line \($0.line): " } ?? ""
                return HTML((place + found.message).asSentence + (found.advice.map { " \($0.asSentence)" } ?? ""))
            }
            let text = problem.diagnostics.isEmpty ? HTML(problem.description.asSentence) : .list(places)
            return Problem(
                title: "The latest " + .name(source) + " is not in use", text: text,
                advice: HTML(
                    "The version before stays in use. "
                        + (problem.advice ?? "Correct the source: the server reads it again by itself").asSentence))
        }
    }

    /// What looks like a mistake somewhere.
    private var doubts: [Problem] {
        var doubts: [Problem] = []
        func add(_ count: Int, _ title: HTML, _ text: String, _ advice: HTML) {
            if count > 0 { doubts.append(Problem(title: title, text: HTML(text), advice: advice, isSerious: false)) }
        }
        let (unknown, counts, clientCounts) = (clients.unknownAttributes, events.counts, clients.counts)
        let names = unknown.counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(10)
            .map { "\($0.key) (\($0.value.grouped))" }.joined(separator: ", ")
        add(
            unknown.counts.count + unknown.others, "Unknown attributes",
            "Requests for decisions have attributes that no datafile knows: \(names).",
            "They are probably misspelt, and have no effect: correct the client, or add them to the audiences.")
        add(
            clientCounts.unknownKeys, "Unknown SDK keys",
            "\(clientCounts.unknownKeys.grouped("request")) had an SDK key that no datafile is for.",
            "Compare the key in the client with those below.")
        add(
            counts.rejected, "Events that cannot be processed",
            "Parts of requests that could not be processed since the server's start: \(counts.rejected.grouped).",
            .link("Live", to: LivePage.path) + " shows the last ones with their reasons.")
        add(
            counts.quarantined, "Events of unknown projects",
            "\(counts.quarantined.grouped("request")) with events named a project that no datafile has.",
            "They are kept for 30 days, and processed when a datafile of the project is served.")
        add(
            events.earlierEvents == nil ? 0 : 1, "Earlier events", events.earlierEvents?.asSentence ?? "",
            "Until then they are kept here as before. The command can be repeated: each event counts once.")
        return doubts
    }

    // MARK: Tables

    private func datafilesTable(_ now: Int64) -> HTML {
        let all = datafiles.sdkKeys.compactMap { datafiles[$0] }
        guard !all.isEmpty else { return .paragraph("There are none. `turnout serve --flags flags.yaml` serves some.") }
        return .table(
            ["SDK key", "Environment", "Revision", "Unchanged for", "Flags"],
            all.map { datafile in
                [
                    .element("code", HTML(datafile.sdkKey.keyLabel)), .name(datafile.project.environmentKey ?? "–"),
                    .name(datafile.project.revision),
                    HTML(Timestamp.span(now - datafile.lastModified * 1_000)),
                    HTML(datafile.project.flags.count.grouped),
                ]
            }, numbers: [4])
    }

    private func clientsTable(_ all: [SeenClient], _ now: Int64) -> HTML {
        guard !all.isEmpty else {
            return .paragraph("No client has reported a visitor. Clients send events to `/v1/events` of this server.")
        }
        return .table(
            ["Client", "Version", "Last seen", "Exposures *"],
            all.map { client in
                [
                    .name(client.name.isEmpty ? "without a name" : client.name), .name(client.version),
                    HTML(Timestamp.span(now - client.lastSeen) + " ago"), HTML(client.exposures.grouped),
                ]
            }, numbers: [3]) + .paragraph("* Among the latest 100,000 exposures of these days.", class: "note")
    }
}
