import TurnoutClient
import TurnoutCommandIO
import TurnoutFlags
import TurnoutReports

/// `turnout segments`: uploads a list of users to a server.
enum SegmentsCommand: Command {
    static let list = "--list"
    static let format = "--format"
    static let adds = "--add"
    static let allowsEmpty = "--allow-empty"

    static let syntax = CommandSyntax(
        name: "segments", summary: "Uploads a list of users to a server.",
        discussion: """
            upload sends the users in a file to the list of a segment of `turnout serve`, whose users they replace. \
            CSV has a user in the first column of each line. A table with several columns begins with a line of names, \
            `user_id` first; with one column, this line is optional. NDJSON has a string in each line, or an object \
            with `user_id`. The name of the file tells the format: .csv, .txt, .ndjson, .jsonl.

            A file has at most 16 MiB. Split a larger one: the first part replaces the users, and --add adds those of \
            the others. The file is sent in one request, which changes the list at once, or not at all. The connection \
            needs 100 kB a second. A request that fails because of the network or the server's state is repeated, at \
            growing intervals; a mistake in the file ends the upload with its line. A segment that no audience on the \
            server names is probably misspelt, and is named on standard error.

            Where the server has management tokens, one with the scope `flags` is needed. In the environment variable \
            TURNOUT_TOKEN it is not in the list of processes.
            """,
        operands: .init(
            "ACTION FILE", "upload, and the file; - is standard input.", count: 2...2,
            choices: .words(["upload"])),
        options: [
            .value(ManagedServer.server, "URL", "The address of the server.").byDefault("http://127.0.0.1:8080"),
            .value(list, "NAME", "The segment.").required(),
            .value(format, "FORMAT", "The format of the file; of standard input, csv by default.")
                .oneOf("csv", "ndjson"),
            .toggle(adds, "Adds the users to the list instead of replacing those in it."),
            .toggle(allowsEmpty, "Lets a file without users remove all users of the list."),
            .value(ManagedServer.token, "TOKEN", "The management token, instead of that in TURNOUT_TOKEN."),
        ],
        examples: [
            "turnout segments upload --list vip vip.csv": "Replaces the users of a list.",
            "query | turnout segments upload --server https://flags.example.com --list vip --add -":
                "Adds users from a pipe.",
        ])

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        try checkAction(arguments, among: ["upload"], "upload")
        let list = arguments[Self.list]
        guard ![".", ".."].contains(list) else {
            throw UsageError.invalidValue(
                option: Self.list, value: list, expected: "a name that can be a part of an address", nearest: nil)
        }
        let file = arguments.operands.last ?? "-"
        let upload = ListUpload(
            file: file, list: list, isTable: try isTable(file, arguments.value(format)),
            replaces: !arguments.has(adds), allowsEmpty: arguments.has(allowsEmpty),
            server: try ManagedServer(arguments[ManagedServer.server], arguments))
        try await upload.run()
        return 0
    }

    private static func isTable(_ file: String, _ format: String?) throws -> Bool {
        if let format { return format == "csv" }
        if file == "-" || [".csv", ".txt"].contains(where: file.hasSuffix) { return true }
        guard [".ndjson", ".jsonl"].contains(where: file.hasSuffix) else {
            throw UsageError.missing(anyOf: [Self.format])
        }
        return false
    }
}

/// A list of users to send to a server.
struct ListUpload {
    let file: String
    let list: String
    /// Whether the file has comma-separated values instead of JSON.
    let isTable: Bool
    /// Whether the users replace those of the list.
    let replaces: Bool
    /// Whether a file without users may replace them.
    let allowsEmpty: Bool
    let server: ManagedServer

    /// How often the request is sent, over some two minutes.
    private static let attempts = 10

    /// The server's limit for a list in bytes.
    private static let sizeLimit = 16 << 20

    /// Sends the file, and prints a summary.
    ///
    /// - Throws: `CommandError` if the file cannot be read or is too large, or the server refuses it.
    func run() async throws {
        let body = try InputFile(file).readAll(upTo: Self.sizeLimit, advice: splitting)
        let request = server.request(
            "/segments/" + list.percentEncoded + "/users" + query,
            contentType: isTable ? "text/csv" : "application/x-ndjson", body: body)
        let transport = try Network.transport()
        var backoff = Backoff(first: .milliseconds(500), longest: .seconds(30), random: .system)
        for attempt in 1... {
            let (problem, wait): (String, Duration)
            switch await Self.response(to: request, over: transport) {
            case .failure(let error):
                (problem, wait) = ("\(error)", .zero)
                // The address or a header cannot be sent, however often.
                guard (error as? TransportError)?.code != .badAddress else {
                    throw CommandError("\(list): \(problem)", advice: "Correct \(ManagedServer.server) or the token.")
                }
            case .success(let response):
                if response.status == 200 { return try print(response, isRepeated: attempt > 1) }
                guard response.isTemporaryFailure else {
                    throw CommandError(
                        "\(list): \(response.problem)" + (attempt > 1 ? Self.unknownState : ""),
                        advice: advice(for: response))
                }
                (problem, wait) = (response.problem, response.retryAfter)
            }
            guard attempt < Self.attempts else {
                throw CommandError(
                    "\(list): given up after \(attempt) requests: \(problem)\(Self.unknownState)",
                    advice: "Is the server running at \(server.address)? Then run the command again.")
            }
            let pause = max(backoff.delay(), wait)
            CommandLog().write(.warning, "\(list): \(problem); trying again in \(pause.logText)")
            try await Task.sleep(for: pause)
        }
    }

    /// A request without an answer may have changed the list.
    private static let unknownState = "; the list has been changed, or is as it was"

    private func print(_ response: ManagementResponse, isRepeated: Bool) throws(CommandError) {
        // What the request before has changed, the one that repeats it does not change.
        let least = isRepeated ? "at least " : ""
        let (added, removed) = try (response.number("added"), response.number("removed"))
        let text = "\(list): \(least)\(added.grouped) added, \(least)\(removed.grouped) removed\n"
        try StandardStream.output.print(text, "the summary")
        guard let known = response.texts("segments") else { return }
        UnknownNames.warn("no audience of a datafile on the server names the segment \"\(list)\"", list, known)
    }

    /// The query of a request that replaces the list, or adds to it.
    private var query: String {
        guard replaces else { return "" }
        return "?replace=true" + (allowsEmpty ? "&allow_empty=true" : "")
    }

    private static func response(
        to request: HTTPRequest, over transport: any Transport
    ) async -> Result<ManagementResponse, any Error> {
        do { return .success(ManagementResponse(try await transport.send(request))) } catch { return .failure(error) }
    }

    private var splitting: String {
        "Split it; upload the first part\(replaces ? "" : " so"), and the others with \(SegmentsCommand.adds)."
    }

    private func advice(for response: ManagementResponse) -> String? {
        switch response.status {
        case 400: "Correct the line, and run the command again."
        case 409 where response.text("code") == "empty":
            "To remove all users of the list, pass \(SegmentsCommand.allowsEmpty)."
        case 409 where response.text("code") == "limit":
            "Delete lists that are not needed, or raise segments.maximum_users if it is that limit."
        // A proxy may allow less than the server.
        case 413: splitting
        default: response.advice(forScope: "flags")
        }
    }
}
