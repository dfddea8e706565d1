import ServerTestSupport
import TurnoutServer

/// The files of `turnout events export --to`, and the queries of the page about them.
@Suite("turnout events export --to", .blocking)
struct EventFilesTests {
    private let directory = TemporaryDirectory()
    private var folder: String { directory.path + "/files" }

    private func append(_ bodies: [(body: [UInt8], time: Int64)]) async throws {
        let log = SegmentLog(directory: directory.path + "/log", log: directory.log)
        for (body, time) in bodies { try await log.append(body, receivedAt: time) }
        await log.close()
    }

    private func append(_ number: Int) async throws { try await append([(EventBodies.ten(number), EventBodies.time)]) }

    private func run(_ arguments: String..., exitCode: Int32 = 0) async -> (output: String, errors: String) {
        let command = ["events", "export", "--data", directory.path]
        return await RunTool.output(of: command + arguments, exitCode: exitCode, in: directory.path)
    }

    private func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.contains(".ndjson.gz") }.sorted()
    }

    private var offset: Int64? {
        get throws {
            try SegmentLogReader(directory: directory.path + "/log").readers[EventReader.files(in: folder).name]
        }
    }

    @Test func eachRunWritesWhatIsNew() async throws {
        try await append(0)
        #expect(await run("--to", folder).errors == "10 events are in 2 new files.\n")
        // The same folder, named from the current one.
        #expect(await run("--to", "./files/").errors == "0 events are in 0 new files.\n")
        try await append(1)
        #expect(await run("--to", folder).errors == "10 events are in 2 new files.\n")
        #expect(try files().count == 4)
        #expect(await run("--to", folder, "--forget").output == "nothing is kept for \(folder) any more\n")
        #expect(try offset == nil)
        #expect(await run("--to", folder, exitCode: 1).errors.contains("use an empty folder"))
    }

    @Test(arguments: [
        (["--follow"], "--to FOLDER is missing"), (["--forget"], "--to FOLDER is missing"),
        (["--to", "f", "--kind", "exposure"], "--to and --kind exclude each other"),
        (["--to", "f", "--follow", "--forget"], "--follow and --forget exclude each other"),
    ]) func optionsThatDoNotFitAreRefused(arguments: [String], problem: String) async {
        let command = ["events", "export", "--data", directory.path] + arguments
        #expect(await RunTool.output(of: command, exitCode: 2).errors.contains(problem))
    }

    @Test func aFullDiskLosesNothing() async throws {
        try await append(0)
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            [data = directory.path as String, folder = folder as String] in
            OutputFile.reportSizeLimit()
            var limit = rlimit(rlim_cur: 512, rlim_max: 512)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            StandardStream.reserve()
            exit(await Tool.run(["events", "export", "--data", data, "--to", folder]))
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("cannot write \(folder)/") && errors.contains("File too large"), "\(errors)")
        // The small file is in place, and nothing is left of the large one.
        #expect(try files().map { $0.prefix(12) } == ["conversions/"] && offset == 0)
        #expect(await run("--to", folder).errors.hasPrefix("10 events "))
    }

    @Test func followingGoesOnUntilItIsKilled() async throws {
        try await append(0)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [data = directory.path as String, folder = folder as String] in
            Thread.detachNewThread {
                let exposures = folder + "/exposures/2026-01-15"
                try? waitBlocking("a file") { FileManager.default.fileExists(atPath: exposures) }
                kill(getpid(), SIGKILL)
            }
            exit(await Tool.run(["events", "export", "--data", data, "--to", folder, "--follow"]))
        }
        try await append(1)
        _ = await run("--to", folder)
        #expect(try files().count == 4)
    }

    // MARK: The page

    /// Python with DuckDB, installed by `Scripts/setup`.
    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
    private static let python = root.path + "/.build/duckdb/bin/python"
    private static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python) }

    /// The numbers of an arm.
    private struct Arm: Equatable { var (visitors, converted, revenue) = (0, 0, 0) }

    /// The page's query finds the numbers that follow from what the visitors did.
    @Test(.enabled(if: isInstalled, "Scripts/setup installs DuckDB"), arguments: [1, 2, 3])
    func theQueryOfThePageFindsWhatHappened(seed: UInt64) async throws {
        var visitors = GeneratedVisitors(seed: seed)
        for number in 0..<400 { visitors.add(number) }
        try await append(visitors.requests.shuffled(using: &visitors.random))
        _ = await run("--to", folder)
        let page = try String(
            contentsOf: Self.root.appending(path: "Documentation/Guides/EventsInFiles.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```sql\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        let queries = try [#require(blocks.first { $0.contains("read_json") }), #require(blocks.last)]
        let script = """
            import duckdb, json, os, sys
            os.chdir(sys.argv[1])
            for text in sys.argv[2:]: result = duckdb.execute(text)
            print(json.dumps(result.fetchall()))
            """
        let output = try await blocking { [folder] in
            try ChildProcess.output(of: Self.python, ["-c", script, folder] + queries)
        }
        let rows = try JSONDecoder().decode([Row].self, from: Data(output.utf8))
        #expect(rows.map(\.arm) == visitors.arms.keys.sorted())
        for row in rows {
            let arm = try #require(visitors.arms[row.arm])
            #expect(row.visitors == arm.visitors && arm.visitors > 100)
            #expect(abs(row.rate - Double(arm.converted) / Double(arm.visitors)) < 1e-12)
            #expect(abs(row.revenue - Double(arm.revenue) / Double(arm.visitors)) < 1e-9)
        }
    }

    private struct Row: Decodable {
        let arm: String
        let visitors: Int
        let (rate, revenue): (Double, Double)

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            (arm, visitors) = (try values.decode(String.self), try values.decode(Int.self))
            (rate, revenue) = (try values.decode(Double.self), try values.decode(Double.self))
        }
    }

    /// What visitors did, as the requests of their clients and as the numbers that count.
    private struct GeneratedVisitors {
        var random: SplitMix
        private(set) var requests: [(body: [UInt8], time: Int64)] = []
        private(set) var arms: [String: Arm] = [:]
        private var events = 0

        init(seed: UInt64) { random = SplitMix(state: seed) }

        private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

        /// Sends a snapshot, some of them twice, and some a day late.
        private mutating func send(_ visitor: String, _ snapshot: String, _ time: Int64, _ project: String) {
            let body = EventBodies.body(EventBodies.visitor(visitor, snapshot), project: project)
            let delay: Int64 = chance(20) ? 86_400_000 : 1_000
            for copy in 0..<(chance(25) ? 2 : 1) { requests.append((body, time + delay + Int64(copy))) }
        }

        private mutating func uuid() -> String {
            events += 1
            return EventBodies.uuid(events)
        }

        private mutating func expose(_ visitor: String, _ arm: String, _ time: Int64) {
            send(visitor, EventBodies.exposure(uuid: uuid(), variation: arm, timestamp: time), time, "12001")
        }

        private mutating func convert(
            _ visitor: String, _ revenue: Int?, at time: Int64, sent: Int64? = nil, key: String = "purchase",
            project: String = "12001"
        ) {
            let conversion = EventBodies.conversion(key, uuid: uuid(), revenue: revenue, timestamp: time)
            send(visitor, conversion, sent ?? time, project)
        }

        mutating func add(_ number: Int) {
            let (visitor, arm) = ("visitor \(number) '👩‍👧", ["41011", "41012"][number % 2])
            let first = EventBodies.time + Int64.random(in: 0..<172_800_000, using: &random)
            expose(visitor, arm, first)
            if chance(30) { expose(visitor, arm, first + 3_600_000) }
            // What does not count: before the exposure, a wrong clock, another event, another project.
            if chance(30) { convert(visitor, 100_000, at: first - 1) }
            if chance(20) { convert(visitor, 100_000, at: first - 40 * 86_400_000, sent: first + 60_000) }
            if chance(20) { convert(visitor, 100_000, at: first + 60_000, key: "add_to_cart") }
            if chance(20) { convert(visitor, 100_000, at: first + 60_000, project: "12002") }
            var revenues: [Int?] = []
            while chance(40) { revenues.append(chance(80) ? Int.random(in: -500..<10_000, using: &random) : nil) }
            for revenue in revenues { convert(visitor, revenue, at: first + (chance(10) ? 0 : 90_000_000)) }
            guard !chance(5) else { return expose(visitor, arm == "41011" ? "41012" : "41011", first + 7_200_000) }
            arms[arm, default: Arm()].visitors += 1
            arms[arm, default: Arm()].converted += revenues.isEmpty ? 0 : 1
            arms[arm, default: Arm()].revenue += revenues.compactMap(\.self).reduce(0, +)
        }
    }
}
