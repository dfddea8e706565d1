import TurnoutClient
import TurnoutCommandIO

/// `turnout events`: exports, forwards or deletes the events of a server, or forgets a user.
enum EventsCommand: Command {
    static let data = "--data"
    static let format = "--format"
    static let kind = "--kind"
    static let start = "--from"
    static let end = "--before"
    static let receiver = "--to"
    static let follows = "--follow"
    static let forgets = "--forget"
    static let days = "--days"
    static let user = "--user"
    private static let actions = ["export", "forward", "expire", "forget"]
    /// The options of each action, beside the folder. Another one would be taken for a limit of what is done.
    private static let options = [
        "export": [format, kind, start, end, receiver, follows, forgets], "forward": [receiver, forgets],
        "expire": [days], "forget": [user, ManagedServer.server, ManagedServer.token],
    ]

    static let syntax = CommandSyntax(
        name: "events", summary: "Exports, forwards or deletes the events of a server; forgets a user.",
        discussion: """
            export prints the exposures and conversions in the folder of `turnout serve`, also while the server runs: \
            one JSON object a line, or comma-separated values. They contain the ids of users. Times are milliseconds \
            since 1970, or dates such as 2026-01-31, at 00:00 UTC. Each event is there once, when the server has \
            processed it: use this to look at events, or for an analysis now and then.

            export --to FOLDER is for a warehouse, which reads new files again and again. It writes the events in the \
            server's log, also while the server runs, as compressed lines of JSON by kind and UTC day of the event: \
            FOLDER/exposures/2026-11-28/PART.ndjson.gz and FOLDER/conversions/…, where PART is an offset in the log. A \
            part ends at 32 MiB of lines, or where the log ends. Copies of an event have the same dedup_key. What is \
            not JSON, and attributes or tags of more than 8 KiB, are left out. With --follow, the command looks for \
            new events every 10 minutes, and tries again after a failure; without, it ends when all was written. The \
            next run continues.

            forward sends the requests in the server's log to another intake, and ends when all were sent; requests \
            that differ only in their visitors are joined. Its offset is kept, so the next run continues. After an \
            interruption the receiver gets some requests twice, and drops the duplicates by the ids of the events. The \
            server can do the same continuously (`events.forward`).

            From the first run of forward or export --to on, the server keeps in its log what was not sent or written \
            yet, and refuses events when the log is full. `forward --to URL --forget` ends that: nothing is kept for \
            the address any more, and another run starts with the oldest request in the log. When a server starts, it \
            does the same for each address that is not its `events.forward`. `export --to FOLDER --forget` ends an \
            export; another one needs an empty folder.

            expire deletes events that were received more than a number of days ago, from the database and from the \
            log, which is deleted in pieces: while the server runs, requests of up to a day more may stay in the log.

            forget deletes everything about one user: the events in the database and in the log, also those that are \
            not processed or forwarded yet or are set aside, the assignments, the places in lists, the devices, and \
            what is known of the devices. Files of export are left to you. With --server, a running server does that, \
            for a management token with the scope `users`. With --data, the server must be stopped; assignments that \
            are not in `turnout.sqlite` of that folder are left to `turnout profiles delete`. After a failure, run it \
            again: it does the rest. A copy of a forgotten event that arrives within 31 days does not count again; new \
            events of the user do.
            """,
        operands: .init(
            "ACTION", "export, forward, expire or forget.", count: 1...1,
            choices: .words(["export", "forward", "expire", "forget"])),
        options: [
            .value(data, "DIR", "The folder of the server. Required, except to forget with --server."),
            .value(format, "FORMAT", "How export prints.").oneOf("ndjson", "csv").byDefault("ndjson"),
            .value(kind, "KIND", "Exports one kind only.").oneOf("exposure", "conversion"),
            .value(start, "TIME", "Exports events at this time or later."),
            .value(end, "TIME", "Exports events before this time."),
            .value(receiver, "URL|FOLDER", "Where forward sends; where export writes files from the log."),
            .toggle(follows, "Goes on exporting to the folder, until the command is stopped."),
            .toggle(forgets, "Ends the forwarding to the address, or the export to the folder, instead."),
            .value(days, "NUMBER", "The days that expire keeps."),
            .value(user, "ID", "The user to forget.").short("u"),
            .value(ManagedServer.server, "URL", "The address of the running server that forgets the user."),
            .value(ManagedServer.token, "TOKEN", "The management token, instead of that in TURNOUT_TOKEN."),
        ],
        examples: [
            "turnout events export --data /var/lib/turnout --kind conversion --format csv": "A table.",
            "turnout events export --data /var/lib/turnout --to /srv/events --follow": "Files for a warehouse.",
            "turnout events forward --data /var/lib/turnout --to https://logx.optimizely.com/v1/events":
                "To the vendor.",
            "turnout events forward --data /var/lib/turnout --to https://logx.optimizely.com/v1/events --forget":
                "Ends it.",
            "turnout events forget --server http://127.0.0.1:8080 --user ada": "Forgets a user.",
        ],
        json: [
            "kind": "exposure or conversion. An object lacks members that have no value.",
            "time, timestamp, received":
                "When it happened, as text in UTC and in milliseconds since 1970; when the server received it.",
            "project_id, account_id, revision": "Of the datafile that the client had.",
            "visitor_id, uuid": "The ids of the user and of the event.",
            "campaign_id, experiment_id, variation_id": "Of an exposure: the ids of the decision.",
            "flag_key, rule_key, rule_type, variation_key, enabled": "Of an exposure: the decision.",
            "event_id, event_key, revenue, value, tags": "Of a conversion.",
            "attributes": "The user's attributes, as they were sent.",
            "client_name, client_version": "The program that sent it.",
            "time_corrected": "Whether the time was missing or implausible, and the time of receipt replaces it.",
            "--to FOLDER": "Each line of a file has all of the following members; null without a value.",
            "user_id, timestamp, received": "As visitor_id, time and received above; times are text in UTC.",
            "experiment_id, variation_id, flag_key, rule_key, rule_type, variation_key": "Of an exposure, as above.",
            "event_key, revenue, value, tags": "Of a conversion, as above.",
            "attributes": "The user's attributes by key.",
            "uuid, project_id, revision, client_name, client_version, time_corrected": "As above.",
            "dedup_key": "The same in all copies of an event, which the server counts once.",
            "log_position": "The place in the log: of several copies, the server counts that with the lowest.",
        ])

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let action = try checkAction(arguments, among: actions, "export, forward, expire or forget")
        guard action == "forget" || arguments.has(data) else { throw UsageError.missing(anyOf: [data + " DIR"]) }
        let allowed = options[action] ?? []
        if let other = options.values.joined().first(where: { arguments.has($0) && !allowed.contains($0) }) {
            throw UsageError.conflicting(action, other)
        }
        #if Server
            let events = EventFiles(directory: arguments.value(data) ?? "")
            switch action {
            case "export": try await export(events, arguments)
            case "forward":
                guard let address = arguments.value(receiver) else { throw UsageError.missing(anyOf: [receiver]) }
                if arguments.has(forgets) {
                    try events.endForwarding(to: address)
                } else {
                    try await events.forward(to: address)
                }
            case "expire":
                guard let days = try arguments.integer(Self.days, in: 1...36_500) else {
                    throw UsageError.missing(anyOf: [Self.days])
                }
                try events.expire(days: days)
            default: try await UserToForget(arguments).forget()
            }
        #else
            guard action == "forget" else { throw CommandError.withoutServer }
            try await UserToForget(arguments).forget()
        #endif
        return 0
    }
}

#if Server
    extension EventsCommand {
        private static func export(_ events: EventFiles, _ arguments: ParsedArguments) async throws {
            guard let folder = arguments.value(receiver) else {
                guard !arguments.has(follows), !arguments.has(forgets) else {
                    throw UsageError.missing(anyOf: [receiver + " FOLDER"])
                }
                return try events.export(EventSelection(arguments))
            }
            if let other = [format, kind, start, end].first(where: arguments.has) {
                throw UsageError.conflicting(receiver, other)
            }
            guard arguments.has(forgets) else {
                return try await events.export(to: folder, follows: arguments.has(follows))
            }
            if arguments.has(follows) { throw UsageError.conflicting(follows, forgets) }
            try events.endExport(to: folder)
        }
    }
#endif

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
        return HTTPDate.days(year, month, day) * 86_400_000
    }
}
