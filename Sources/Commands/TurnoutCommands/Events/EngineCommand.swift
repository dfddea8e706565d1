import TurnoutClient
import TurnoutCommandIO
import TurnoutReports

#if Server
    import LibC
    import TurnoutServer
#endif

/// `turnout engine`: prepares an engine for the events of servers.
enum EngineCommand: Command {
    static let address = "--engine"
    static let prints = "--print"
    private static let actions = ["setup", "import"]

    static let syntax = CommandSyntax(
        name: "engine",
        summary: "Prepares PostgreSQL or ClickHouse for the events of servers, and writes earlier ones there.",
        discussion: """
            setup creates the table of events and the views turnout_exposures and turnout_conversions in PostgreSQL, \
            or on each server of ClickHouse, unless they exist: run it before the setting events.engine names the \
            servers, and again after an update of turnout. The views have one row for each event, and columns that \
            stay: queries of other tools can use them. The table in ClickHouse may have an event several times, with \
            the same number in `event`.

            import writes the events in the folder of a server, also while it runs, to the engine: those from before \
            events.engine, which the server's log does not have any more. Set events.engine first, and start the \
            server. The command can be repeated: what the engine has already counts once. When it has written \
            everything, the server keeps events for 7 days only. If events are refused, the command says why, and \
            ends with code 1.
            """,
        operands: .init("ACTION", "setup or import.", count: 1...1, choices: .words(actions)),
        options: [
            .value(
                address, "URL",
                """
                The address, such as postgresql://user:password@host/database or https://user:password@host:8443, \
                instead of that in TURNOUT_EVENTS_ENGINE.
                """
            ).commaSeparated(),
            .toggle(prints, "Prints the statements of setup instead of running them."),
            .value(ServerPlace.data, "DIR", "The folder of the server whose events import writes."),
        ],
        examples: [
            "turnout engine setup --engine postgresql://turnout:secret@db.example/turnout": "Creates the tables.",
            "turnout engine setup --engine https://db.example:8443 --print": "Shows what would run.",
            "turnout engine import --engine https://db.example:8443 --data /var/lib/turnout": "Writes earlier events.",
        ])

    #if Server
        static func run(_ arguments: ParsedArguments) async throws -> Int32 {
            let action = try checkAction(arguments, among: actions, "setup or import")
            let known = getenv("TURNOUT_EVENTS_ENGINE").map {
                String(cString: $0).split(separator: ",").map(String.init)
            }
            guard let engine = try engine(arguments.has(address) ? arguments.values(address) : known ?? []) else {
                throw UsageError.missing(anyOf: [address + " URL"])
            }
            let other = action == "setup" ? ServerPlace.data : prints
            if arguments.has(other) { throw UsageError.conflicting(action, other) }
            guard action == "setup" else {
                guard let folder = arguments.value(ServerPlace.data) else {
                    throw UsageError.missing(anyOf: [ServerPlace.data + " DIR"])
                }
                try await EventFiles(directory: folder).importEvents(into: engine)
                return 0
            }
            if arguments.has(prints) {
                try StandardStream.output.print(
                    engine.setupStatements.map { $0 + ";\n" }.joined(separator: "\n"), "the statements")
                return 0
            }
            do { try await engine.setUp() } catch {
                throw CommandError(
                    "the tables were not created: \(error)",
                    advice: "Create the database and its user first, or mend what the engine says; then run it again.")
            }
            StandardStream.error.put("\(engine.description.printable): the tables and views are there.\n")
            return 0
        }

        /// The engine with the addresses of its servers; nil without addresses.
        static func engine(_ addresses: [String]) throws(CommandError) -> (any EventEngine)? {
            guard !addresses.isEmpty else { return nil }
            var name = [CChar](repeating: 0, count: 256)
            gethostname(&name, name.count - 1)
            let node = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let engine: (any EventEngine)?
            if addresses.contains(where: { $0.hasPrefix("postgres") }) {
                engine = try postgreSQL(addresses, node: node)
            } else {
                // The visitors of a large experiment, with 40 bytes each.
                let transport = try Network.transport(TransportOptions(maximumResponseSize: 4 << 30))
                engine = ClickHouseEngine(addresses, node: node, over: transport)
            }
            guard let engine else {
                throw CommandError(
                    "an address of the engine cannot be read",
                    advice: "It looks like postgresql://user:password@host:5432/database or "
                        + "https://user:password@host:8443/database.")
            }
            return engine
        }

        private static func postgreSQL(_ addresses: [String], node: String) throws(CommandError) -> (any EventEngine)? {
            guard addresses.count == 1 else {
                throw CommandError(
                    "the engine has \(addresses.count) addresses, and one of them is of PostgreSQL",
                    advice: "Name one server of PostgreSQL, or servers of ClickHouse only.")
            }
            #if PostgreSQL
                return PostgreSQLEngine(addresses[0], node: node)
            #else
                throw CommandError(
                    "this turnout was built without PostgreSQL",
                    advice: "Build it with `swift build --traits default,PostgreSQL`, which needs libpq.")
            #endif
        }
    #else
        static func run(_ arguments: ParsedArguments) throws -> Int32 { throw CommandError.withoutServer }
    #endif
}
