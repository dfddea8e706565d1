import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// `turnout simulate`: sends what visitors would do to a running server.
enum SimulateCommand: Command {
    static let syntax = CommandSyntax(
        name: "simulate", summary: "Sends what visitors would do to a running server, to see its results.",
        discussion: """
            Draws visitors, decides every flag for each of them as a client does, and sends their exposures and \
            conversions to the server. A share of the visitors converts; --effect changes the share of those who get \
            a variation. Without --effect, an experiment compares equals (an A/A test): nothing should be significant.

            First exposures are spread over the days up to yesterday. The server must serve the datafile, or it keeps \
            the events aside. Sending the same simulation on the same day again changes nothing: the server counts \
            each event once. Visitors are called simulated-SEED-1, simulated-SEED-2, …; do not send them to a server \
            in production: they count like real ones.
            """,
        operands: .init("[FILE]", "The datafile or project file. Default: as --datafile.", count: 0...1),
        options: DatafileArguments.options + [
            .value(ManagedServer.server, "URL", "The address of the server. Required."),
            .value("--visitors", "N", "The number of visitors.").short("n").byDefault("10000"),
            .value("--days", "N", "The days over which they come, 1 to 28.").byDefault("14"),
            .value("--event", "KEY", "The event of a conversion. Default: the only one of the datafile."),
            .value("--base-rate", "SHARE", "The share of visitors who convert, such as 10%.").byDefault("10%"),
            .value(
                "--effect", "VARIATION=PERCENT",
                "The relative change of that share by a variation, such as big=+5%; of one flag, checkout/big=-3%."
            ).repeatable(),
            .value("--revenue", "CENTS", "The mean revenue of a conversion. Default: conversions have none."),
            .value("--seed", "N", "Another number gives other visitors.").byDefault("1"),
        ],
        examples: [
            "turnout simulate flags.yaml --server http://127.0.0.1:8080 --effect big=+20%":
                "10,000 visitors, of whom more convert with the variation big."
        ])

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        guard let address = arguments.value(ManagedServer.server) else {
            throw UsageError.missing(anyOf: [ManagedServer.server + " URL"])
        }
        let server = try ManagedServer(address, token: nil)
        let visitors = try arguments.integer("--visitors", in: 1...100_000_000) ?? 0
        let simulation = try await simulation(arguments)
        try await send(simulation, of: visitors, to: server)
        return 0
    }

    private static func simulation(_ arguments: ParsedArguments) async throws -> Simulation {
        let project = try await DatafileArguments.project(arguments, operand: arguments.operands.first)
        let attributes = PopulationDescription(audiencesOf: [project])
        let seed = UInt64(try arguments.integer("--seed", in: 0...Int.max) ?? 1)
        let today = SystemWallClock().millisecondsSince1970() / 86_400_000 * 86_400_000
        var simulation = Simulation(
            project, Population(.description(attributes), seed: seed),
            event: try event(arguments.value("--event"), of: project), end: today)
        simulation.seed = seed
        simulation.days = try arguments.integer("--days", in: 1...28) ?? 14
        simulation.baseRate = try percent(arguments["--base-rate"], of: "--base-rate", in: 0...1)
        simulation.revenue = try arguments.integer("--revenue", in: 1...1_000_000_000).map(Double.init)
        let keys = project.flags.flatMap { flag in
            (flag.experiments + flag.rolloutRules).flatMap(\.variations).flatMap { [$0.key, "\(flag.key)/\($0.key)"] }
        }
        for text in arguments.values("--effect") {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw UsageError.invalidValue(
                    option: "--effect", value: text, expected: "a variation and a change, such as big=+5%",
                    nearest: nil)
            }
            guard keys.contains(parts[0]) else {
                throw CommandError(
                    "no flag has a variation \"\(parts[0])\"", advice: Spelling.suggestion(for: parts[0], among: keys))
            }
            let owners = Set(keys.filter { $0.hasSuffix("/" + parts[0]) }).sorted()
            guard owners.count < 2 else {
                throw CommandError(
                    "several flags have a variation \"\(parts[0])\"",
                    advice: "Write \(owners.prefix(9).joined(separator: " or ")).")
            }
            simulation.effects[parts[0]] = try percent(parts[1], of: "--effect", in: -1...100)
        }
        return simulation
    }

    private static func event(_ key: String?, of project: Project) throws -> Event {
        let keys = project.events.map(\.key)
        if let key, let event = project.event(key) { return event }
        if key == nil, project.events.count == 1 { return project.events[0] }
        throw CommandError(
            key.map { "the datafile has no event \"\($0)\"" } ?? "the datafile has \(keys.count.grouped("event"))",
            advice: key.flatMap { Spelling.suggestion(for: $0, among: keys) }
                ?? "Choose one with --event: \(keys.prefix(9).joined(separator: ", ")).")
    }

    /// A share or a change, such as `5%`. Without the sign, 20 could mean 20% or 20 times as many.
    private static func percent(_ text: String, of option: String, in range: ClosedRange<Double>) throws -> Double {
        let number = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : nil
        guard let number, range.contains(number) else {
            let limits = "\(Int(range.lowerBound * 100))% to \(Int(range.upperBound * 100))%"
            throw UsageError.invalidValue(
                option: option, value: text, expected: "a percentage from \(limits)", nearest: nil)
        }
        return number
    }

    // MARK: Sending

    /// A server takes 3.5 MB.
    private static let requestSize = 3_000_000

    private static func send(_ simulation: Simulation, of count: Int, to server: ManagedServer) async throws {
        var (start, visitorsPerRequest) = (1, 500)
        while start <= count {
            let payload = simulation.payload(start...min(start + visitorsPerRequest - 1, count))
            guard payload.count <= requestSize || visitorsPerRequest == 1 else {
                visitorsPerRequest /= 2
                continue
            }
            let request = server.request("/v1/events", contentType: "application/json", body: payload)
            let response = try await server.response(to: request, advice: again)
            guard response.isSuccess else {
                throw CommandError(
                    "the server answered with status \(response.status) after \((start - 1).grouped("visitor"))",
                    advice: again)
            }
            start += visitorsPerRequest
        }
        let text = """
            \(count.grouped("visitor")) sent to \(server.address), which counts their events within seconds, unless it \
            does not know the datafile. See: turnout results --server \(server.address)

            """
        try StandardStream.output.print(text, "the summary")
    }

    private static let again = "Is it a turnout server? Run the command again: what it has already counts once."
}
