import TurnoutClient
import TurnoutReports

/// The last events as they arrive, and the parts of requests that could not be processed.
struct LivePage: Sendable {
    static let path = Console.path + "live"
    /// Where a script gets new rows.
    static let streamPath = path + "/events"

    let events: RecentEvents
    let streams: EventStreamHub
    /// The start of the server, in milliseconds since 1970.
    let since: Int64
    /// The experiments, whose variations keep their marks.
    let experiments: @Sendable () throws -> [RecordedExperiment]

    func page(_ request: ConsoleRequest) -> ConsolePage {
        // A user is only ever in a form; links from other pages name a flag.
        let filter = RecentEventFilter(
            flag: request.form["flag"] ?? request.query["flag"], event: request.form["event"],
            user: request.form["user"])
        let (all, places) = (events.all, places)
        let found = all.filter(filter.matches)
        let table = HTML.table(
            ["Received", "What", "User", "Client"], found.map { Self.cells($0, places) })
        return ConsolePage(
            "Live", in: .live,
            [
                .paragraph(summary(found.count, of: all, isFiltered: filter != RecentEventFilter()), class: "lead"),
                form(filter, request.visitor),
                .element("div", ["id": "events"], table),
            ])
    }

    private func summary(_ count: Int, of all: [RecentEvent], isFiltered: Bool) -> HTML {
        guard !all.isEmpty else {
            return "No event has arrived since the server's start, " + .time(since) + ". `turnout simulate` sends some."
        }
        let start = all.count < RecentEvents.limit ? "All events since the server's start" : "The last events"
        let rejected = all.count { $0.kind == .rejected }
        let parts = rejected == 0 ? "" : ", of which \(rejected.grouped) could not be processed"
        let shown = isFiltered ? " \(count.grouped) of them match." : ""
        return HTML("\(start): \(all.count.grouped)\(parts).\(shown)")
    }

    private func form(_ filter: RecentEventFilter, _ visitor: ConsoleVisitor) -> HTML {
        let fields = [
            ("Flag", "flag", filter.flag, nil), ("User", "user", filter.user, nil),
            ("Event", "event", filter.event, "purchase, exposure, rejected …"),
        ].map { label, name, value, example in
            HTML.field(
                HTML(label),
                .element("input", ["name": name, "value": value, "placeholder": example, "autocomplete": "off"]))
        }
        let token = HTML.hidden(ConsolePage.formTokenName, visitor.formToken)
        return .element(
            "form",
            ["method": "post", "action": Self.path, "class": "filters", "id": "live", "data-stream": Self.streamPath],
            token + HTML(fields) + .button("Show the latest"))
    }

    // MARK: Rows

    private static func cells(_ event: RecentEvent, _ places: [String: Int]) -> [HTML] {
        let client = [event.client, event.version].compactMap(\.self).joined(separator: " ")
        return [.time(event.received), what(event, places), event.user.map { .name($0) } ?? "–", .name(client)]
    }

    private static func what(_ event: RecentEvent, _ places: [String: Int]) -> HTML {
        let waiting = HTML(
            event.isSetAside ? " (set aside: no datafile has the project \(event.project ?? "without a name"))" : "")
        switch event.kind {
        case .exposure:
            let flag = [event.flag, event.ruleKey, event.ruleID].compactMap(\.self).first { !$0.isEmpty } ?? "a flag"
            let variation = [event.variationKey, event.variationID].compactMap(\.self).first { !$0.isEmpty }
            let name = HTML.name(variation ?? "no variation")
            let place = places["\(event.ruleID ?? "")/\(event.variationID ?? "")"]
            return "saw " + .name(flag) + " as " + (place.map { .named(ArmStyle($0).shape, name) } ?? name) + waiting
        case .conversion:
            let revenue = event.revenue.map { ", revenue \(Int($0).grouped)" } ?? ""
            let value = event.value.map { ", value \($0)" } ?? ""
            return "did " + .name(event.event ?? "") + HTML(revenue + value) + waiting
        case .rejected:
            let reason = HTML.element("strong", ["class": "worse"], HTML("Not processed: \(event.reason?.words ?? "")"))
            return reason + .element("br", [:]) + .element("code", .name(event.content ?? "", limit: 300))
        }
    }

    /// The places of variations among those of their experiments.
    private var places: [String: Int] {
        // Without the database of events, the page is needed more than its marks are.
        let pairs = ((try? experiments()) ?? []).flatMap { experiment in
            experiment.variations.enumerated().map { ("\(experiment.id)/\($1.id)", $0) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    // MARK: The stream

    /// A stream of rows: first all that match, then those of new events.
    ///
    /// - Parameters:
    ///   - filter: What to send.
    ///   - mayRead: Whether the reader still may; asked before each event.
    /// - Returns: The response.
    func stream(_ filter: RecentEventFilter, mayRead: @escaping @Sendable () -> Bool) -> ServerResponse {
        // Room for several times the rows of a page.
        guard let stream = streams.open(Self.path, bufferSize: 1 << 20) else { return .error(503, "too many streams") }
        let places = places
        let event = { @Sendable (name: String?, events: [RecentEvent]) in
            let rows = events.filter(filter.matches).map { HTML.row(Self.cells($0, places)) }
            return ServerSentEvent(name: name, data: HTML(rows).markup)
        }
        events.follow({ stream.send(event("all", $0).bytes) }) { [weak stream] news in
            guard let stream, mayRead() else {
                stream?.end()
                return false
            }
            return !news.contains(where: filter.matches) || stream.send(event(nil, news).bytes)
        }
        var response = ServerResponse.events(stream)
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}

extension RejectedPart.Reason {
    /// The reason, for people.
    fileprivate var words: String {
        switch self {
        case .syntax: "the request, or the visitor, is not JSON"
        case .noVisitors: "the request has no list of visitors"
        case .noVisitorID: "the visitor has no id"
        case .noEventKey: "the event has no key"
        case .noEvent: "the decision comes without an event, so without a time"
        case .tooLong: "an id or a key is longer than 1,024 bytes"
        case .tooMany: "the snapshot has too many pairs of a decision and an event"
        case .wrongType: "a list has an element of another type"
        }
    }
}
