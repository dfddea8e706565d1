import TurnoutClient
import TurnoutCommandIO
import TurnoutFlags

/// `turnout segments`: uploads a list of users to a server.
package struct SegmentsCommand: Command {
    static let list = "--list"
    static let format = "--format"
    static let adds = "--add"
    static let allowsEmpty = "--allow-empty"

    package static let syntax = CommandSyntax(
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
        operands: .init("ACTION FILE", "upload, and the file; - is standard input.", count: 2...2, words: ["upload"]),
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
            .init("turnout segments upload --list vip vip.csv", "Replaces the users of a list."),
            .init(
                "query | turnout segments upload --server https://flags.example.com --list vip --add -",
                "Adds users from a pipe."),
        ])

    private let upload: ListUpload

    package init(_ arguments: ParsedArguments) throws {
        let action = arguments.operands.first ?? ""
        guard action == "upload" else {
            throw UsageError.invalidValue(
                option: "ACTION", value: action, expected: "upload",
                nearest: Spelling.nearest(to: action, among: ["upload"]))
        }
        let list = arguments[Self.list]
        guard ![".", ".."].contains(list) else {
            throw UsageError.invalidValue(
                option: Self.list, value: list, expected: "a name that can be a part of an address", nearest: nil)
        }
        let file = arguments.operands.last ?? "-"
        upload = ListUpload(
            file: file, list: list, isTable: try Self.isTable(file, arguments.value(Self.format)),
            replaces: !arguments.has(Self.adds), allowsEmpty: arguments.has(Self.allowsEmpty),
            server: try ManagedServer(arguments[ManagedServer.server], arguments))
    }

    private static func isTable(_ file: String, _ format: String?) throws -> Bool {
        if let format { return format == "csv" }
        if file == "-" || [".csv", ".txt"].contains(where: file.hasSuffix) { return true }
        guard [".ndjson", ".jsonl"].contains(where: file.hasSuffix) else {
            throw UsageError.missing(anyOf: [Self.format])
        }
        return false
    }

    func run() async throws -> Int32 {
        #if Curl && os(Linux)
            try await upload.run()
            return 0
        #else
            throw CommandError("this build of turnout cannot send requests", advice: Self.otherBuild)
        #endif
    }

    #if os(Linux)
        private static let otherBuild = "Build with the trait Curl."
    #else
        private static let otherBuild = "Lists are uploaded by builds for Linux with the trait Curl."
    #endif
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
}
