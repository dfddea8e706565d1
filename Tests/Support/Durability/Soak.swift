import LoopbackServer
import TurnoutClient
import TurnoutSQLite

/// A client that runs for minutes: a thousand decisions and a new datafile per second, a server that fails often.
final class Soak: Sendable {
    private static let decisionsPerSecond = 1_000
    private static let threads = 2
    private static let datafilePath = "/datafiles/soak.json"
    private static let eventPath = "/v1/events"
    /// The memory growth that is tolerated after the first third, whatever the duration: SQLite fills the page
    /// cache of each connection, each Dispatch thread keeps up to 1,024 work items for reuse, and the allocator
    /// keeps peaks, for instance of a long queue on a busy machine. A leak of 48 bytes per decision exceeds this in
    /// five minutes.
    private static let tolerance = 8_000_000

    private let server: LoopbackServer
    private let storage: SQLiteStorage
    private let template: String
    private let seconds: Int
    private let flags: [String]
    private let client: FlagClient
    private let tally = Locked(Tally())

    private struct Tally {
        var (decisions, impressions, revisions) = (0, 0, 0)
        var isOver = false
    }

    init(_ arguments: [String]) throws {
        server = try LoopbackServer()
        template = String(decoding: contents(of: arguments[1]), as: UTF8.self)
        seconds = max(3, Int(arguments[2]) ?? 0)
        var options = SQLiteOptions()
        options.maximumEvents = 100_000
        storage = try SQLiteStorage(directory: arguments[0], options)
        var configuration = ClientConfiguration.wire(storage, to: server.address)
        configuration.log = .silent
        configuration.events.eventsPerRequest = 500
        configuration.events.requestDeadline = .seconds(1)
        configuration.events.firstDelay = .milliseconds(50)
        configuration.pollingInterval = .seconds(1)
        configuration.minimumPollingInterval = .seconds(1)
        var source = HTTPDatafileOptions()
        source.address = server.address + Self.datafilePath
        source.log = .silent
        configuration.datafiles = .http(
            sdkKey: "ShopDemoSdkKey", transport: .insecure, cache: storage.datafiles, options: source)
        client = FlagClient(configuration)
        let project = try Project(datafile: Array(template.utf8))
        flags = project.flags.map(\.key)
    }

    /// Exits with an error if events are lost, memory grows, or an event arrives twice with two ids.
    func run() async throws {
        try server.countEvents()
        try publish(1)
        try await client.start()
        try server.fail(Self.datafilePath, fraction: 0.2, seed: 2, with: [.status(500), .status(503), .reset])
        // The server accepts the events of the last reply, but too late for the client, which sends them again.
        let slow = [Reply.status(204).after(.milliseconds(200)), .status(204).after(.milliseconds(1_200))]
        try server.fail(
            Self.eventPath, fraction: 0.2, seed: 1, with: [.status(500), .status(503), .status(429), .reset] + slow)
        let listener = client.addListener(to: .datafileChanges) { [weak self] _ in
            self?.tally.withLock { $0.revisions += 1 }
        }
        for thread in 0..<Self.threads { BlockingCall.start { self.decide(thread) } }
        let memory = try await watch()
        tally.withLock { $0.isOver = true }
        let problems = try await finish() + growth(of: memory)
        client.removeListener(listener)
        guard problems.isEmpty else { end("soak: " + problems.joined(separator: "; "), status: 1) }
    }

    // MARK: Work

    private func publish(_ revision: Int) throws {
        let datafile = template.replacing("\"revision\": \"42\"", with: "\"revision\": \"\(revision)\"")
        try server.publish(datafile: Array(datafile.utf8), path: Self.datafilePath, etag: "\"\(revision)\"")
    }

    private func decide(_ thread: Int) {
        let (start, perThread) = (milliseconds, Self.decisionsPerSecond / Self.threads)
        var number = 0
        while !tally.withLock({ $0.isOver }) {
            let due = (milliseconds - start) * perThread / 1_000
            var impressions = 0
            let first = number
            while number < due {
                let user = User("user \((number * Self.threads + thread) % 20_000)", attributes: ["country": "US"])
                let decision = client.decide(flags[number % flags.count], for: user)
                if decision.impression != nil { impressions += 1 }
                number += 1
            }
            tally.withLock {
                $0.decisions += number - first; $0.impressions += impressions
            }
            pause(milliseconds: 5)
        }
    }

    /// Publishes a datafile every second, and prints the state every ten.
    private func watch() async throws -> [Int] {
        var memory: [Int] = []
        let start = milliseconds
        for second in 1...seconds {
            try await Task.sleep(for: .milliseconds(max(0, start + second * 1_000 - milliseconds)))
            try publish(second + 1)
            guard second % max(1, min(10, seconds / 12)) == 0 else { continue }
            memory.append(residentBytes ?? 0)
            let (tally, statistics) = (tally.withLock { $0 }, try server.statistics)
            say(
                "\(second) s: \(megabytes(memory.last ?? 0)) MB, \(tally.decisions) decisions, "
                    + "\(tally.impressions) impressions, \(statistics.distinctEvents) arrived by "
                    + "\(statistics.requests) requests, \(storage.events.count) wait, "
                    + "\(tally.revisions) datafiles")
        }
        return memory
    }

    // MARK: Result

    /// Waits until all events have arrived, and compares.
    private func finish() async throws -> [String] {
        pause(milliseconds: 50)
        try server.fail(Self.datafilePath, fraction: 0, seed: 2)
        try server.fail(Self.eventPath, fraction: 0, seed: 1)
        let deadline = milliseconds + 60_000
        let newest = "\(seconds + 1)"
        while storage.events.count > 0 || client.project?.revision != newest, milliseconds < deadline {
            await client.flush(within: .seconds(5))
            try await Task.sleep(for: .milliseconds(100))
        }
        let (tally, statistics) = (tally.withLock { $0 }, try server.statistics)
        say(
            "\(tally.decisions) decisions, \(tally.impressions) impressions, \(statistics.distinctEvents) arrived, "
                + "\(statistics.acceptedEvents - statistics.distinctEvents) once more, "
                + "\(tally.revisions) datafiles in \(seconds) s")
        var problems: [String] = []
        if statistics.distinctEvents != tally.impressions { problems.append("events are missing, or too many") }
        if storage.events.count > 0 { problems.append("events stay queued") }
        if client.lostEvents.total > 0 { problems.append("lost: \(client.lostEvents)") }
        if statistics.unreadableBodies > 0 { problems.append("\(statistics.unreadableBodies) unreadable bodies") }
        if tally.decisions < seconds * Self.decisionsPerSecond * 9 / 10 { problems.append("too few decisions") }
        if tally.impressions < tally.decisions / 4 { problems.append("too few impressions") }
        if client.project?.revision != newest { problems.append("the newest datafile did not arrive") }
        // Two of three, because requests fail and a second failure in a row doubles the pause.
        if tally.revisions < seconds / 2 { problems.append("only \(tally.revisions) datafiles arrived") }
        return problems
    }

    private func growth(of memory: [Int]) -> [String] {
        let first = memory[memory.count / 6...memory.count / 3]
        let (early, late) = (median(first), median(memory.suffix(first.count)))
        say("memory: \(megabytes(early)) MB in the first third, \(megabytes(late)) MB at the end")
        return late - early <= Self.tolerance ? [] : ["the memory grows"]
    }

    private func median(_ memory: ArraySlice<Int>) -> Int { memory.sorted()[memory.count / 2] }

    private func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000).\(bytes / 100_000 % 10)" }
}
