/// Configurations for RolloutManager in a project file.
@Suite("Configurations") struct ConfigurationReadingTests {
    private static func text(_ configurations: String = "{}") -> String {
        #"{"project": "7", "environments": {"on": {}}, "configurations": \#(configurations)}"#
    }

    private static let full = text(
        """
        {"app": {"experiments": {"a": {"sticky": true, "countries": ["US"], "languages": ["en", "he"],
                                       "variants": {"x": 70, "y": 0.5}}},
                 "versions": {"1.2": {"b": {"variants": {"x": 1}}}}}}
        """)

    @Test func experimentsAndVersionsAreRead() throws {
        let configuration = try #require(try AuthoredProject.read(json: Self.full).configurations.first)
        #expect(configuration.key == "app")
        var experiment = AuthoredConfiguration.Experiment(key: "a", variants: [("x", 7_000), ("y", 50)])
        (experiment.isSticky, experiment.countries, experiment.languages) = (true, ["US"], ["en", "he"])
        #expect(configuration.experiments == [experiment])
        let version = AuthoredConfiguration.Version(key: "1.2", experiments: [.init(key: "b", variants: [("x", 100)])])
        #expect(configuration.versions == [version])
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        let project = try AuthoredProject.read(json: Self.full)
        let written = ProjectWriter.node(of: project).jsonValue.json
        #expect(try AuthoredProject.read(json: written).configurations == project.configurations)
    }

    @Test func datafilesAndLocksDoNotContainThem() throws {
        let compiled = try [Self.full, Self.text()].map { text in
            ProjectCompiler(try AuthoredProject.read(json: text), lock: LockFile()).compile()
        }
        #expect(compiled[0].datafiles.map(\.bytes) == compiled[1].datafiles.map(\.bytes))
        #expect(compiled[0].lock == compiled[1].lock)
    }

    @Test func theirChangesAreShown() throws {
        let edited = Self.full.replacing(#""x": 70"#, with: #""x": 80"#)
        let changes = ProjectComparison(
            from: try AuthoredProject.read(json: Self.full), to: try AuthoredProject.read(json: edited)
        ).changes
        #expect(changes.count == 1)
        #expect("\(changes)".contains("a x 70, y 0.5; countries US; languages en, he; sticky"))
    }

    @Test(arguments: [
        (#"{"a b": {"experiments": {}}}"#, "wrong-type"), (#"{"../x": {"experiments": {}}}"#, "wrong-type"),
        (#"{"a": {}}"#, "missing-key"), (#"{"a": {"experiments": {"e": {}}}}"#, "missing-key"),
        (#"{"a": {"experiments": {"e": {"variants": {"x": -1}}}}}"#, "weight"),
        (#"{"a": {"experiments": {"e": {"variants": {"x": 1}, "sticky": 1}}}}"#, "wrong-type"),
        (#"{"a": {"experiments": {}, "versions": {".1": {}}}}"#, "wrong-type"),
        (#"{"a": {"experiments": {}, "version": {}}}"#, "unknown-key"),
        (#"{"a": {"experiments": {"e\u0001": {"variants": {"x": 1}}}}}"#, "wrong-type"),
        (#"{"a": {"experiments": {"e": {"variants": {"x\u000B": 1}}}}}"#, "wrong-type"),
        (#"{"a": {"experiments": {"e": {"variants": {"x": 1}, "countries": ["US\n"]}}}}"#, "wrong-type"),
        (#"{"a": {"experiments": {}, "versions": {"1": {"e\uFFFF": {"variants": {"x": 1}}}}}}"#, "wrong-type"),
    ])
    func aMistakeIsReported(configurations: String, code: String) {
        let error = #expect(throws: Diagnostics.self) { try AuthoredProject.read(json: Self.text(configurations)) }
        #expect(error?.all.map(\.code) == [code])
    }
}
