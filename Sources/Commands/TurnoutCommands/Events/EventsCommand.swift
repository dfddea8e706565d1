import TurnoutFlags

/// `turnout events`: exports, forwards or deletes the events of a server, or forgets a user.
package struct EventsCommand: Command {
    static let data = "--data"
    static let format = "--format"
    static let kind = "--kind"
    static let start = "--from"
    static let end = "--before"
    static let receiver = "--to"
    static let forgets = "--forget"
    static let days = "--days"
    static let user = "--user"
    private static let actions = ["export", "forward", "expire", "forget"]
    /// The options of each action, beside the folder. Another one would be taken for a limit of what is done.
    private static let options = [
        "export": [format, kind, start, end], "forward": [receiver, forgets], "expire": [days],
        "forget": [user, ManagedServer.server, ManagedServer.token],
    ]

    package static let syntax = CommandSyntax(
        name: "events", summary: "Exports, forwards or deletes the events of a server; forgets a user.",
        discussion: """
            export prints the exposures and conversions in the folder of `turnout serve`, also while the server runs: \
            one JSON object a line, or comma-separated values. They contain the ids of users. Times are milliseconds \
            since 1970, or dates such as 2026-01-31, at 00:00 UTC.

            forward sends the requests in the server's log to another intake, and ends when all were sent; requests \
            that differ only in their visitors are joined. Its offset is kept, so the next run continues. After an \
            interruption the receiver gets some requests twice, and drops the duplicates by the ids of the events. The \
            server can do the same continuously (`events.forward`).

            From the first run on, the server keeps in its log what was not sent yet, and refuses events when the log \
            is full. `forward --to URL --forget` ends that: nothing is kept for the address any more, and another run \
            starts with the oldest request in the log. When a server starts, it does the same for each address that \
            is not its `events.forward`.

            expire deletes events that were received more than a number of days ago, from the database and from the \
            log, which is deleted in pieces: while the server runs, requests of up to a day more may stay in the log.

            forget deletes everything about one user: the events in the database and in the log, also those that are \
            not processed or forwarded yet or are set aside, the assignments, the places in lists, the devices, and \
            what is known of the devices. With --server, a running server does that, for a management token with the \
            scope `users`. With --data, the server must be stopped; assignments that are not in `turnout.sqlite` of \
            that folder are left to `turnout profiles delete`. After a failure, run it again: it does the rest. \
            A copy of a forgotten event that arrives within 31 days does not count again; new events of the user do.
            """,
        operands: .init("ACTION", "export, forward, expire or forget.", count: 1...1),
        options: [
            .value(data, "DIR", "The folder of the server. Required, except to forget with --server."),
            .value(format, "FORMAT", "How export prints.").oneOf("ndjson", "csv").byDefault("ndjson"),
            .value(kind, "KIND", "Exports one kind only.").oneOf("exposure", "conversion"),
            .value(start, "TIME", "Exports events at this time or later."),
            .value(end, "TIME", "Exports events before this time."),
            .value(receiver, "URL", "Where forward sends."),
            .toggle(forgets, "Ends the forwarding to the address instead of sending."),
            .value(days, "NUMBER", "The days that expire keeps."),
            .value(user, "ID", "The user to forget.").short("u"),
            .value(ManagedServer.server, "URL", "The address of the running server that forgets the user."),
            .value(ManagedServer.token, "TOKEN", "The management token, instead of that in TURNOUT_TOKEN."),
        ],
        examples: [
            .init("turnout events export --data /var/lib/turnout --kind conversion --format csv", "A table."),
            .init(
                "turnout events forward --data /var/lib/turnout --to https://logx.optimizely.com/v1/events",
                "To the vendor."),
            .init(
                "turnout events forward --data /var/lib/turnout --to https://logx.optimizely.com/v1/events --forget",
                "Ends it."),
            .init("turnout events forget --server http://127.0.0.1:8080 --user ada", "Forgets a user."),
        ],
        json: [
            .init("kind", "exposure or conversion. An object lacks members that have no value."),
            .init(
                "time, timestamp, received",
                "When it happened, as text in UTC and in milliseconds since 1970; when the server received it."),
            .init("project_id, account_id, revision", "Of the datafile that the client had."),
            .init("visitor_id, uuid", "The ids of the user and of the event."),
            .init("campaign_id, experiment_id, variation_id", "Of an exposure: the ids of the decision."),
            .init("flag_key, rule_key, rule_type, variation_key, enabled", "Of an exposure: the decision."),
            .init("event_id, event_key, revenue, value, tags", "Of a conversion."),
            .init("attributes", "The user's attributes, as they were sent."),
            .init("client_name, client_version", "The program that sent it."),
            .init(
                "time_corrected",
                "Whether the time was missing or implausible, and the time of receipt replaces it."),
        ])

    private enum Action {
        case export(EventSelection)
        case forward(String)
        case endForwarding(String)
        case expire(Int)
        case forget(UserToForget)
    }

    private let action: Action
    /// The folder; empty to forget with a running server.
    private let directory: String

    package init(_ arguments: ParsedArguments) throws {
        directory = arguments.value(Self.data) ?? ""
        let days = try arguments.integer(Self.days, in: 1...36_500)
        let name = arguments.operands.first ?? ""
        guard name == "forget" || !Self.actions.contains(name) || arguments.has(Self.data) else {
            throw UsageError.missing(anyOf: [Self.data + " DIR"])
        }
        if let allowed = Self.options[name],
            let other = Self.options.values.joined().first(where: { arguments.has($0) && !allowed.contains($0) })
        {
            throw UsageError.conflicting(name, other)
        }
        switch name {
        case "export": action = .export(try EventSelection(arguments))
        case "forward":
            guard let address = arguments.value(Self.receiver) else { throw UsageError.missing(anyOf: [Self.receiver]) }
            action = arguments.has(Self.forgets) ? .endForwarding(address) : .forward(address)
        case "expire":
            guard let days else { throw UsageError.missing(anyOf: [Self.days]) }
            action = .expire(days)
        case "forget": action = .forget(try UserToForget(arguments))
        case let text:
            throw UsageError.invalidValue(
                option: "ACTION", value: text, expected: "export, forward, expire or forget",
                nearest: Spelling.nearest(to: text, among: Self.actions))
        }
    }

    func run() async throws -> Int32 {
        let events = EventFiles(directory: directory)
        switch action {
        case .export(let selection): try events.export(selection)
        case .forward(let address): try await events.forward(to: address)
        case .endForwarding(let address): try events.endForwarding(to: address)
        case .expire(let days): try events.expire(days: days)
        case .forget(let user): try await user.forget()
        }
        return 0
    }
}

/// Which events to export, and how.
struct EventSelection {
    /// Whether to print comma-separated values instead of JSON.
    let isTable: Bool
    /// The only kind of events; nil for all.
    let kind: String?
    /// The first time, in milliseconds since 1970.
    let start: Int64?
    /// The time after the last one, in milliseconds since 1970.
    let end: Int64?

    init(_ arguments: ParsedArguments) throws {
        isTable = arguments[EventsCommand.format] == "csv"
        kind = arguments.value(EventsCommand.kind)
        start = try Self.time(arguments, EventsCommand.start)
        end = try Self.time(arguments, EventsCommand.end)
    }

    private static func time(_ arguments: ParsedArguments, _ option: String) throws -> Int64? {
        guard let text = arguments.value(option) else { return nil }
        if let milliseconds = Int64(text) { return milliseconds }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
            (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else {
            throw UsageError.invalidValue(
                option: option, value: text, expected: "milliseconds since 1970, or a date such as 2026-01-31",
                nearest: nil)
        }
        return days(year, month, day) * 86_400_000
    }

    /// The days from 1970 to a date in the Gregorian calendar, computed with years that begin in March.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = (year / 400, year % 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
