/// `turnout lint --output sarif`, with the rules of SARIF 2.1.0 that code hosts rely on.
@Suite struct SARIFReportTests {
    private let directory = TemporaryDirectory()
    private var folder: String { directory.path + "/a b#é" }
    private var project: String { folder + "/flags 100%.yaml" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let text = "project: shop\nenviroments: {a: {}}\nflags:\n  x: {rules: [{delivery: d, serve: onn}]}\n"
        try Data(text.utf8).write(to: URL(filePath: project))
    }

    private func run(_ files: [String], in folder: String? = nil, input: String? = nil) async throws -> JSONValue {
        let line = ["lint"] + files + ["--output", "sarif"]
        let output = await RunTool.output(of: line, exitCode: 3, in: folder, input: input).output
        return try JSONValue(parsing: output)
    }

    private func list(_ value: JSONValue?) throws -> [JSONValue] {
        guard case .array(let elements)? = value else { throw CommandError("expected a list") }
        return elements
    }

    private func text(_ value: JSONValue?) -> String? {
        guard case .string(let text)? = value else { return nil }
        return text
    }

    private func place(_ result: JSONValue) throws -> JSONValue? {
        try list(result["locations"]).first?["physicalLocation"]
    }

    @Test func resultsReferToRulesAndPlaces() async throws {
        let report = try await run([project])
        #expect(report["version"] == .string("2.1.0"))
        let run = try #require(try list(report["runs"]).first)
        let rules = try list(run["tool"]?["driver"]?["rules"])
        let results = try list(run["results"])
        #expect(results.count > 1 && Set(rules.map { text($0["id"]) }).count == rules.count)
        #expect(run["columnKind"] == .string("unicodeCodePoints"))
        for result in results {
            guard case .integer(let index)? = result["ruleIndex"] else { throw CommandError("no index") }
            #expect(rules[Int(index)]["id"] == result["ruleId"])
            #expect(["note", "warning", "error"].contains(text(result["level"])))
            #expect(text(result["message"]?["text"])?.isEmpty == false)
        }
        #expect(try place(results[0])?["region"]?["startLine"] == .integer(2))
        #expect(try place(results[0])?["region"]?["startColumn"] == .integer(1))
    }

    /// Code hosts show the help of a rule beside a finding.
    @Test func rulesSayWhyTheyMatterAndHowFindingsAreSilenced() async throws {
        let text = "project: shop\nenvironments: {a: {}}\nevents: [buy]\naudiences: {x: {any: []}}\n"
        try Data(text.utf8).write(to: URL(filePath: project))
        let run = try #require(try list(try await run([project])["runs"]).first)
        let rules = try list(run["tool"]?["driver"]?["rules"])
        #expect(rules.map { self.text($0["id"]) } == ["audience-never-met", "unused-audience", "unused-event"])
        for rule in rules {
            let id = try #require(self.text(rule["id"]))
            #expect(self.text(rule["help"]?["text"])?.contains("add `ignore: [\(id)]`") == true)
            #expect(self.text(rule["fullDescription"]?["text"])?.hasSuffix(".") == true)
        }
        for result in try list(run["results"]) {
            let sentences = try #require(self.text(result["message"]?["text"])).split(separator: ". ")
            #expect(Set(sentences).count == sentences.count)
        }
        let github = await RunTool.output(of: ["lint", project, "-o", "github"], exitCode: 3).output
        #expect(github.contains("::event buy is not a metric of any experiment. Programs may still track it"))
        #expect(github.contains("[ignore: unused-event]\n"))
        let lines = await RunTool.output(of: ["lint", project], exitCode: 3).output.split(separator: "\n")
        #expect(lines.last?.hasPrefix("To silence a finding, add `ignore: [CODE]` to the part") == true)
    }

    @Test func filesOutsideOfARepositoryHaveAddresses() async throws {
        let run = try #require(try list(try await run(["flags 100%.yaml"], in: folder)["runs"]).first)
        let place = try #require(try place(try list(run["results"])[0]))
        let address = try #require(text(place["artifactLocation"]?["uri"]))
        #expect(address.hasPrefix("file:///") && address.hasSuffix("/a%20b%23%C3%A9/flags%20100%25.yaml"))
        #expect(place["artifactLocation"]?["uriBaseId"] == nil && run["originalUriBaseIds"] == nil)
    }

    /// Also from a folder inside, where a check runs.
    @Test func filesOfARepositoryAreRelativeToItsRoot() async throws {
        try FileManager.default.createDirectory(atPath: directory.path + "/.git", withIntermediateDirectories: true)
        let run = try #require(try list(try await run(["./flags 100%.yaml"], in: folder)["runs"]).first)
        let location = try place(try list(run["results"])[0])?["artifactLocation"]
        #expect(location?["uri"] == .string("a%20b%23%C3%A9/flags%20100%25.yaml"))
        #expect(location?["uriBaseId"] == .string("%SRCROOT%"))
        let root = text(run["originalUriBaseIds"]?["%SRCROOT%"]?["uri"])
        #expect(root?.hasPrefix("file:///") == true && root?.hasSuffix("/") == true, "\(root ?? "none")")
    }

    @Test func standardInputHasNoAddress() async throws {
        let run = try #require(try list(try await run(["-"], input: project)["runs"]).first)
        for result in try list(run["results"]) { #expect(result["locations"] == nil) }
    }
}
