import TurnoutFlags

@testable import TurnoutCommands
@testable import TurnoutServer

/// Simulated visitors go through the log and the processing of a server; the command reads its folder.
@Suite(.blocking) struct ResultsCommandTests {
    private let directory = TemporaryDirectory()
    /// 2027-01-01.
    private let end: Int64 = 1_798_761_600_000
    private var folder: String { directory.path + "/data" }

    private static let text = """
        {"project": "shop", "environments": {"production": {}}, "events": ["purchase"],
         "metrics": {"revenue_per_visitor": {"event": "purchase", "count": "revenue"}},
         "flags": {"checkout": {"variations": {"off": {}, "big": {}, "small": {}}, "rules": [
          {"experiment": "checkout_test", "split": ["off", "big", "small"],
           "metrics": ["purchase.unique", "revenue_per_visitor"], "plan": {"visitors": 40000}}]}}}
        """

    private func simulation() throws -> (Simulation, CompiledDatafile) {
        let project = try AuthoredProject.read(json: Self.text)
        let compiled = try #require(ProjectCompiler(project, lock: LockFile()).compile().datafiles.first)
        let datafile = try Project(datafile: compiled.bytes)
        let population = Population(.description(PopulationDescription(audiencesOf: [datafile])), seed: 1)
        var simulation = Simulation(datafile, population, event: try #require(datafile.event("purchase")), end: end)
        simulation.revenue = 4_000
        return (simulation, compiled)
    }

    /// Lets a server process payloads in a folder.
    private func process(_ payloads: [[UInt8]], of compiled: CompiledDatafile, exclusions: [String] = []) async throws {
        let storage = ServerStorage(directory: folder, messages: .silent)
        let datafiles = DatafileDirectory()
        datafiles.define(compiled.designs, by: "flags.yaml")
        try datafiles.publish(compiled.bytes, for: "shop")
        try ExperimentHistory(of: datafiles, exclusions: exclusions).write(to: storage.events, rebuilds: 0)
        for payload in payloads { try await storage.log.append(payload, receivedAt: end) }
        try EventProcessing(storage.log, into: storage.events, messages: .silent).processAll()
        await storage.close()
    }

    private func results(_ options: String..., code: Int32 = 0) async -> String {
        await RunTool.output(of: ["results"] + options + ["--data", folder], exitCode: code).output
    }

    @Test func effectsAreFoundWhateverTheOrderAndTheNumberOfCopies() async throws {
        var (simulation, compiled) = try simulation()
        simulation.effects = ["big": 0.5, "checkout/small": -0.3]
        let payloads = stride(from: 1, to: 12_000, by: 500).map { simulation.payload($0...$0 + 499) }
        for payload in payloads { _ = try JSONValue(parsing: payload) }
        try await process(payloads, of: compiled)
        let json = await results("checkout_test", "-o", "json")
        let found = try ExperimentResults(json: Array(json.utf8))
        #expect(found.arms.map(\.key) == ["off", "big", "small"] && found.ratio?.isOff == false)
        for (comparison, effect) in zip(found.primary, [0.5, -0.3]) {
            let lift = try #require(comparison.lift)
            #expect(lift.low <= effect && effect <= lift.high && comparison.isSignificant)
        }
        #expect(found.state == .harmed)
        _ = await results("checkout/checkout_test", "--fail-if", "harmed", code: 3)
        #expect(await results().contains("small is worse than off by purchase.unique"))
        #expect(await results("checkout_test", "-o", "html").contains("</svg>"))
        #expect(await results("checkout_test", "-o", "csv").hasPrefix("metric,variation,first_exposure,count,"))
        try await process(payloads.reversed() + payloads.shuffled(), of: compiled)
        #expect(await results("checkout_test", "-o", "json") == json)
    }

    @Test func withoutAnEffectNothingIsSignificant() async throws {
        let (simulation, compiled) = try simulation()
        try await process([simulation.payload(1...3_000)], of: compiled)
        let text = await results("checkout_test", "--fixed-horizon")
        #expect(text.hasPrefix("No difference from off is shown yet by purchase.unique"), "\(text)")
        #expect(text.contains("for one look only") && text.contains(" UTC. Planned for 40,000 visitors."))
    }

    @Test func aFolderIsOnlyRead() async throws {
        let (simulation, compiled) = try simulation()
        try await process([simulation.payload(1...300)], of: compiled, exclusions: ["segment:staff"])
        let errors = await RunTool.output(of: ["results", "--data", folder], exitCode: 1).errors
        #expect(errors.contains("segments.sqlite"))
        #expect(!SystemCall.exists(folder + "/segments.sqlite"))
        let lists = SegmentDatabase(directory: folder, log: .silent)
        _ = try lists.change("staff", .add((1...300).map { "simulated-1-\($0)" }))
        #expect(await results("checkout_test").contains("visitors of results.exclude"))
        lists.close()
    }

    @Test func simulatedVisitorsConvertWithAProbability() async throws {
        let file = folder + ".yaml"
        try SystemCall.makeDirectory(directory.path)
        try Data(Self.text.utf8).write(to: URL(filePath: file))
        for share in ["10", "0.1", "-50%", "101%"] {
            let line = ["simulate", file, "--server", "http://127.0.0.1:9", "--base-rate=\(share)"]
            let errors = await RunTool.output(of: line, exitCode: 2).errors
            #expect(errors.contains("a percentage from 0% to 100%"), "\(errors)")
        }
        let banner = #""flags": {"banner": {"variations": {"off": {}, "big": {}}, "else": "big"}, "#
        try Data(Self.text.replacing(#""flags": {"#, with: banner).utf8).write(to: URL(filePath: file))
        let line = ["simulate", file, "--server", "http://127.0.0.1:9", "--effect", "big=+20%"]
        let errors = await RunTool.output(of: line, exitCode: 1).errors
        #expect(errors.contains("several flags have a variation \"big\"\n  Write banner/big or checkout/big."))
    }

    @Test func anUnknownExperimentIsNamed() async throws {
        try await process([], of: try simulation().1)
        let errors = await RunTool.output(of: ["results", "x", "--data", folder], exitCode: 1).errors
        #expect(errors.contains("no experiment is called x; known are checkout_test"))
        #expect(await results().contains("No data yet"))
        #expect(await RunTool.output(of: ["results"], exitCode: 2).errors.contains("--data DIR"))
    }
}
